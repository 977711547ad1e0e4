/** A recipient whose messages do not leave takes no room from the others, whatever waits for it. */
import t from 'tap'
import { until } from '../../runtime/support/wait.ts'
import { startChannel } from './channel_node.ts'

const ENTRIES = 10_000
const MINUTE_LATER = `now() + interval '1 minute'`

type Channel = Awaited<ReturnType<typeof startChannel>>

/** Stores messages that wait. `recipient` is an expression of `n`. */
function store({ query, project_id, channel_id }: Channel, recipient: string, is_bulk = false) {
  return query(`
    insert into dispatch (message_id, channel_id, project_id, number, recipient, request, state, is_bulk, broadcast_id,
      attempts, next_attempt_at, created_at)
    select 'msg_' || n, '${channel_id}', '${project_id}', n, ${recipient}, json_build_object('recipient', ${recipient}),
      'queued', ${is_bulk}, ${is_bulk ? `'brd_1'` : 'null'}, 1, ${MINUTE_LATER}, now()
    from generate_series(1, ${ENTRIES}) n`)
}

const CASES: [what: string, recipient: string, is_bulk?: boolean][] = [
  ['ten thousand messages to one recipient', `'ana'`],
  ['as many recipients, each with a message', `'r' || n`],
  ['a hundred recipients', `'r' || n % 100`],
  ['a broadcast', `'r' || n`, true],
]

for (const [what, recipient, is_bulk] of CASES) {
  t.test(`${what}: blocked for a minute, and another recipient has its message`, async (t) => {
    const channel = await startChannel(t, ({ recipient }) => ({ sent: recipient }))
    const { send, sent, ended, restart, dispatches } = channel
    await restart(() => store(channel, recipient, is_bulk))
    const ids = [await send('zoe', 'one'), await send('zoe', 'two')]
    await until(async () => (await ended()).accepted!.length === 2)
    t.strictSame((await ended()).accepted, ids)
    t.ok(sent.every((one) => one.recipient === 'zoe'))
    t.equal((await dispatches()).length, ENTRIES, 'the others still wait')
  })
}

t.test('all of them leave when they may, in order for each recipient, single ones first', async (t) => {
  const OF_EACH = 40
  const channel = await startChannel(t, ({ recipient }) => ({ sent: recipient }), { max_items: 50 })
  const { query, sent, ended, restart, project_id, channel_id } = channel
  await restart(() =>
    query(`
      insert into dispatch (message_id, channel_id, project_id, number, recipient, request, state, is_bulk,
        broadcast_id, attempts, created_at)
      select 'msg_' || n, '${channel_id}', '${project_id}', n, r, json_build_object('recipient', r, 'text', n::text),
        'queued', r <> 'single', case when r <> 'single' then 'brd_1' end, 0, now()
      from generate_series(1, ${20 * OF_EACH}) n, lateral (select case when n > ${19 * OF_EACH} then 'single'
        else 'bulk' || n % 19 end as r) as of`),
  )
  await channel.ask({ type: 'wake' })
  await until(async () => (await ended()).accepted!.length === 20 * OF_EACH)
  for (const [recipient, all] of Map.groupBy(sent, (one) => one.recipient)) {
    const numbers = all.map(({ text }) => Number(text))
    t.equal(numbers.length, OF_EACH, recipient)
    t.strictSame(
      numbers,
      numbers.toSorted((a, b) => a - b),
      recipient,
    )
  }
  const last_single = sent.findLastIndex(({ recipient }) => recipient === 'single')
  t.ok(last_single < sent.length / 2, `the last single message is number ${last_single} of ${sent.length}`)
})

t.test('a long queue to one recipient leaves in order, though memory has a part of it', async (t) => {
  const { send, sent, ended } = await startChannel(t, ({ recipient }) => ({ sent: recipient }))
  const numbers = Array.from({ length: 300 }, (_, n) => String(n))
  await Promise.all(numbers.map((text) => send('ana', text)))
  await until(async () => (await ended()).accepted!.length === numbers.length)
  t.strictSame(
    sent.map(({ text }) => text),
    numbers,
  )
})

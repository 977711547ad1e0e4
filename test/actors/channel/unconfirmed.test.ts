/** A message that the provider may have taken without saying so is sent again only where a person cannot get it twice. */
import t from 'tap'
import { until } from '../../runtime/support/wait.ts'
import { startChannel } from './channel_node.ts'

const LATE = { failure: { kind: 'unknown', code: 'timeout', message: 'No answer.', maybe_accepted: true } } as const
const TOO_FAST = {
  failure: { kind: 'slow_down', scope: 'recipient', code: '429', message: 'Too fast.', maybe_accepted: false },
} as const
const DOWN = { failure: { kind: 'retry', code: 'down', message: 'Down.', maybe_accepted: false } } as const

t.test('where nothing tells, it ends without a confirmation, and the next message follows', async (t) => {
  const { send, sent, ended, dispatches } = await startChannel(
    t,
    (_, count) => (count === 1 ? LATE : { sent: 'two' }),
    {
      settles_doubt: 'nothing',
    },
  )
  const [first, second] = [await send('ana', 'one'), await send('ana', 'two')]
  await until(async () => (await ended()).accepted!.length === 1)
  t.strictSame(await ended(), { accepted: [second], unconfirmed: [first], refused: [], statuses: [], refreshed: [] })
  t.strictSame(
    sent.map(({ text }) => text),
    ['one', 'two'],
  )
  t.strictSame(await dispatches(), [])
})

t.test('where no callback has arrived yet, a missing one proves nothing', async (t) => {
  const { send, sent, ended } = await startChannel(t, () => LATE, { has_heard: false, confirm_ms: 300 })
  const id = await send('ana', 'one')
  await until(async () => (await ended()).unconfirmed!.length === 1)
  t.strictSame((await ended()).unconfirmed, [id])
  t.equal(sent.length, 1)
})

const REPEATED = [
  { what: 'where a callback of any message has proved that callbacks arrive', settles_doubt: 'callback', hears: true },
  { what: 'where the provider keeps one copy', settles_doubt: 'repeat', hears: false },
] as const

for (const { what, settles_doubt, hears } of REPEATED) {
  t.test(`it is sent again ${what}`, async (t) => {
    const answer = (_: object, count: number) => (count === 1 ? LATE : { sent: 'two' })
    const options = { settles_doubt, has_heard: false, confirm_ms: 300 }
    const { send, sent, ended, ask } = await startChannel(t, answer, options)
    if (hears) await ask({ type: 'heard' })
    const id = await send('ana', 'one')
    await until(async () => (await ended()).accepted!.length === 1)
    t.strictSame((await ended()).accepted, [id])
    t.equal(sent.length, 2)
  })
}

t.test('what certainly did not arrive is sent again on every channel', async (t) => {
  for (const settles_doubt of ['callback', 'repeat', 'nothing'] as const) {
    const answer = (_: object, count: number) => (count === 1 ? DOWN : { sent: 'two' })
    const { send, sent, ended } = await startChannel(t, answer, { settles_doubt, has_heard: false })
    const id = await send('ana', 'one')
    await until(async () => (await ended()).accepted!.length === 1)
    t.strictSame((await ended()).accepted, [id], settles_doubt)
    t.equal(sent.length, 2, settles_doubt)
  }
})

t.test('the attempt of a former owner is not repeated where nothing tells', async (t) => {
  const called = Promise.withResolvers<{ sent: string }>()
  const { send, sent, ended, restart } = await startChannel(t, () => called.promise, {
    settles_doubt: 'nothing',
    confirm_ms: 300,
  })
  const id = await send('ana', 'one')
  await until(() => sent.length === 1)
  await restart()
  await until(async () => (await ended()).unconfirmed!.length === 1)
  t.strictSame((await ended()).unconfirmed, [id])
  t.equal(sent.length, 1)
  called.resolve({ sent: 'late' })
})

t.test('an earlier attempt that was taken after all ends the message', async (t) => {
  const { send, sent, ended, ask } = await startChannel(t, (_, count) => (count === 1 ? DOWN : TOO_FAST))
  const id = await send('ana', 'one')
  await until(() => sent.length === 2)
  await ask({ type: 'attempted', message_id: id, attempt: 1, outcome: { sent: 'one' }, at: Date.now() } as never)
  await until(async () => (await ended()).accepted!.length === 1)
  t.strictSame((await ended()).accepted, [id])
  await ask({ type: 'wake' })
  t.equal(sent.length, 2)
})

t.test('a callback ends a message that is only in the table', async (t) => {
  const { send, ended, confirm, dispatches, restart, query, sent } = await startChannel(t, () => DOWN, {
    max_items: 2,
  })
  const ids = [await send('ana', 'one'), await send('ana', 'two'), await send('ana', 'three')] as string[]
  await confirm(ids[2]!)
  await until(async () => (await dispatches()).length === 2)
  t.notOk((await query('select message_id from dispatch')).some(({ message_id }) => message_id === ids[2]))
  t.ok(sent.every(({ text }) => text === 'one'))
  await restart()
  t.equal((await dispatches()).length, 2)
  t.strictSame((await ended()).refused, [])
})

t.test('a message that is withdrawn while it is sent is not sent again', async (t) => {
  for (const outcome of [TOO_FAST, LATE]) {
    const called = Promise.withResolvers<typeof outcome>()
    const { send, sent, ended, ask, dispatches } = await startChannel(t, () => called.promise, { confirm_ms: 300 })
    const id = await send('ana', 'one')
    await until(() => sent.length === 1)
    await ask({ type: 'withdraw', message_ids: [id] } as never)
    called.resolve(outcome)
    await until(async () => (await ended()).refused!.length === 1)
    t.strictSame((await ended()).refused, [id])
    t.equal(sent.length, 1)
    t.strictSame(await dispatches(), [])
  }
})

/** Messages that reach their receivers before the sender's turn is committed (I16 to I19), on the way to success. */
import t from 'tap'
import { defineActor } from '../../runtime/mod.ts'
import { at, check, early, link, startLinks } from './support/early_links.ts'
import { keyIn } from './support/key_in.ts'
import { linkKind, upTo } from './support/links.ts'
import { until } from './support/wait.ts'

const [a, b, c] = [at(0), at(1), at(2)]

t.test('I17 two turns in one transaction need no row', async (t) => {
  const { node, database, commits, counted } = await startLinks(t)
  t.equal(await node.ask(a, { type: 'next', path: [b] }), 1)
  await check(t, node, b, a, [1])
  // The receivers were not in memory for their first message.
  commits.length = 0
  t.equal(await node.ask(a, { type: 'next', path: [b] }), 2)
  await check(t, node, b, a, [1, 2])
  t.equal(commits.length, 1)
  t.notMatch(commits[0], /lane_send|lane_settle/)
  t.match(counted(), { early: 2, retracted: 0 })
  t.strictSame(await database.execute('select * from outbox'), [])
})

t.test('I16 a chain of three and a cycle end in one transaction, or wait for it', async (t) => {
  const { node, commits, counted } = await startLinks(t)
  for (const path of [[b, c], [b]]) await node.ask(a, { type: 'next', path })
  await check(t, node, c, a, [1])
  await check(t, node, b, a, [1, 2])
  commits.length = 0
  const { fused } = counted()
  t.equal(await node.ask(a, { type: 'next', path: [b, c] }), 3)
  await check(t, node, c, a, [1, 3])
  t.equal(commits.length, 1)
  t.equal(counted().fused - fused, 2)
  // An actor has one turn at a time: what comes back to it waits until its first turn is committed.
  t.equal(await node.ask(a, { type: 'next', path: [b, a, b] }), 4)
  await check(t, node, b, a, [1, 2, 3, 4, 4])
  await check(t, node, a, a, [4])
})

t.test('I17 a receiver that reads or is loaded too long settles a row', async (t) => {
  let open = () => {}
  let is_slow = false
  const slow = linkKind('slow', undefined, {
    early,
    read: () =>
      is_slow ? new Promise<undefined>((resolve) => (open = () => resolve(undefined))) : Promise.resolve(undefined),
  })
  const { node, database, commits, counted } = await startLinks(t, [link, slow])
  const receiver = slow.address(keyIn('slow', 'r', 1))
  await node.ask(a, { type: 'next', path: [receiver] })
  await check(t, node, receiver as typeof a, a, [1])
  is_slow = true
  commits.length = 0
  t.equal(await node.ask(a, { type: 'next', path: [receiver] }), 2, 'the sender waits for nobody')
  t.match(commits, [/lane_send/])
  t.equal((await database.execute('select * from outbox')).length, 1)
  is_slow = false
  open()
  await check(t, node, receiver as typeof a, a, [1, 2])
  t.match(commits, [/lane_send/, /lane_settle/])
  t.equal(counted().early, 2)
  // Loaded for the first time.
  const fresh = at(2, 'fresh')
  t.equal(await node.ask(a, { type: 'next', path: [fresh] }), 3)
  await check(t, node, fresh, a, [3])
  t.strictSame(await database.execute('select * from outbox'), [])
})

t.test('I18 a message of a type that waits for the commit keeps later ones from going early', async (t) => {
  type Mixed = { say: { message: { types: ('early' | 'late')[] }; reply: null } }
  type Heard = {
    early: { message: { n: number }; reply: undefined }
    late: { message: { n: number }; reply: undefined }
  }
  const heard: string[] = []
  const hear =
    (type: string) =>
    (turn: { after(effect: () => void): void }, { n }: { n: number }) =>
      turn.after(() => heard.push(`${type} ${n}`)) as undefined
  const listener = defineActor<Heard, null>({
    kind: 'listener',
    early: { early: [] },
    create: () => null,
    receive: { early: hear('early'), late: hear('late') },
  })
  const to = listener.address(keyIn('listener', 'l', 1))
  const speaker = defineActor<Mixed, null>({
    kind: 'speaker',
    create: () => null,
    receive: {
      say(turn, { types }) {
        for (const [n, type] of types.entries()) turn.tell(to, { type, n })
        return null
      },
    },
  })
  const { node, counted } = await startLinks(t, [link, listener, speaker] as never)
  const say = (types: ('early' | 'late')[]) =>
    node.ask(speaker.address(keyIn('speaker', 's', 0)), { type: 'say', types })
  await say(['early', 'late', 'early'])
  await until(() => heard.length === 3)
  t.strictSame(heard.splice(0), ['early 0', 'late 1', 'early 2'])
  t.equal(counted().early, 1)
  await say(['late', 'early'])
  await until(() => heard.length === 2)
  t.strictSame(heard.splice(0), ['late 0', 'early 1'])
  t.equal(counted().early, 1)
})

t.test('I19 a chain of early messages is as deep as its limit, and the rest follows the commit', async (t) => {
  const { node, hold, counted } = await startLinks(t)
  const chain = upTo(14).map((n) => at(n % 3, `chain${n}-`))
  await node.ask(a, { type: 'next', path: chain })
  await check(t, node, chain.at(-1)!, a, [1])
  const before = counted().early
  const open = hold()
  const busy = node.ask(at(3), { type: 'next', path: [] })
  const answer = node.ask(a, { type: 'next', path: chain })
  await until(() => counted().early - before === 8)
  // More would come by now: each takes a turn of the event loop.
  for (let i = 0; i < 100; i++) await new Promise(setImmediate)
  t.equal(counted().early - before, 8)
  open()
  await Promise.all([busy, answer])
  await check(t, node, chain.at(-1)!, a, [1, 2])
})

t.test('I19 early messages take places of the inbox, and no more than it has', async (t) => {
  const limit = 5
  const { node, database, hold, counted } = await startLinks(t, [link], { inbox_limit: limit })
  await node.ask(a, { type: 'next', path: [b] })
  await check(t, node, b, a, [1])
  const before = counted().early
  const open = hold()
  const senders = upTo(20).map((n) => at(0, `s${n}-`))
  const answers = senders.map((sender) => node.ask(sender, { type: 'next', path: [b] }))
  await until(() => counted().early - before === limit)
  for (let i = 0; i < 100; i++) await new Promise(setImmediate)
  t.equal(counted().early - before, limit)
  t.equal(node.stats().inboxes.waiting, limit)
  open()
  await Promise.all(answers)
  for (const sender of senders) await check(t, node, b, sender, [1])
  await until(async () => (await database.execute('select 1 from outbox')).length === 0)
  await until(() => node.stats().inboxes.waiting === 0)
})

t.test('with the transport alone no message goes early', async (t) => {
  const { node, counted } = await startLinks(t, [link], { transport_only: true })
  for (const n of upTo(5)) t.equal(await node.ask(a, { type: 'next', path: [b, c] }), n)
  await check(t, node, c, a, upTo(5))
  t.strictSame(counted(), { early: 0, fused: 0, retracted: 0 })
})

t.test('an actor with an early message does not leave memory', async (t) => {
  const { node, hold } = await startLinks(t, [link], { idle_ms: 50 })
  await node.ask(a, { type: 'next', path: [b] })
  await check(t, node, b, a, [1])
  const open = hold()
  const busy = node.ask(c, { type: 'next', path: [] })
  const answer = node.ask(a, { type: 'next', path: [b] })
  const { passivated } = node.stats().scheduler
  // Another actor, idle for as long, does leave.
  await node.ask(at(3, 'idle'), { type: 'seen' })
  await until(() => node.stats().scheduler.passivated > passivated)
  open()
  await Promise.all([busy, answer])
  await check(t, node, b, a, [1, 2])
})

t.test('random graphs come to the same history, whether messages go early or not', async (t) => {
  const seed = Number(process.env.PARLEY_TEST_SEED ?? 1)
  t.comment(`PARLEY_TEST_SEED=${seed}`)
  let state = seed
  const random = (below: number) => {
    state = (Math.imul(state, 48271) >>> 0) % 2147483647
    return state % below
  }
  const links = upTo(12).map((n) => at(n % 4, `g${n}-`))
  const pick = () => links[random(links.length)]!
  const heads = upTo(300).map(() => ({ head: pick(), path: upTo(random(6)).map(pick) }))
  const histories = []
  for (const kind of [link, linkKind()]) {
    const { node, counted } = await startLinks(t, [kind])
    for (let i = 0; i < heads.length; i += 50) {
      await Promise.all(heads.slice(i, i + 50).map(({ head, path }) => node.ask(head, { type: 'next', path })))
    }
    await until(() => node.stats().inboxes.waiting === 0)
    // Each link sees the messages of each head in order on each path. Other orders are up to chance.
    const seen = await Promise.all(links.map((address) => node.ask(address, { type: 'seen' })))
    histories.push(
      seen.map((one) =>
        Object.entries(one)
          .sort()
          .map(([origin, numbers]) => [origin, [...numbers].sort((x, y) => x - y)]),
      ),
    )
    if (kind === link) t.ok(counted().fused > 100, `${counted().fused} fused`)
    else t.equal(counted().early, 0)
  }
  t.strictSame(histories[0], histories[1])
})

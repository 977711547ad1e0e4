/** Early messages (I16, I17) whose senders or receivers fail, lose their partitions or are in doubt. */
import t from 'tap'
import { defineActor } from '../../runtime/mod.ts'
import { Idempotency, openDatabase } from '../../storage/mod.ts'
import { at, check, early, link, startLinks } from './support/early_links.ts'
import { keyIn } from './support/key_in.ts'
import { linkKind } from './support/links.ts'
import { startNode } from './support/start_node.ts'
import { cutOff } from './support/tapped.ts'
import { until } from './support/wait.ts'

const [a, b, c] = [at(0), at(1), at(2)]

type Writer = { pass: { message: { origin: string; n: number; path: string[] }; reply: number } }

/** Like a link that writes a row for each message. A bad number is an error of the commit. */
function writerKind(isBad: (n: number) => boolean) {
  return defineActor<Writer, { seen: number[] }>({
    kind: 'writer',
    early,
    create: () => ({ seen: [] }),
    receive: {
      pass(turn, { origin, n, path }) {
        const status = (isBad(n) ? 'no number' : n) as number
        const row = { project_id: turn.key, route: 'r', key: String(n), body_hash: '', created_at: turn.now }
        turn.insert(Idempotency, { ...row, status })
        turn.state.seen.push(n)
        turn.save()
        if (path.length > 0) turn.tell(path[0]!, { type: 'pass', origin, n, path: path.slice(1) })
        return n
      },
    },
  })
}

t.test('I16 when the sender is at fault, its receivers have never heard of it', async (t) => {
  const writer = writerKind((n) => n === 2)
  const { node, database, hold, counted } = await startLinks(t, [link, writer])
  const middle = writer.address(keyIn('writer', 'w', 2))
  const next = () => node.ask(a, { type: 'next', path: [middle, b, c] })
  t.equal(await next(), 1)
  await check(t, node, c, a, [1])
  const before = counted().early
  const open = hold()
  const busy = node.ask(at(3), { type: 'next', path: [] })
  const second = next()
  await until(() => counted().early - before === 3)
  open()
  await busy
  t.equal(await second, 2)
  t.equal(await next(), 3)
  await check(t, node, c, a, [1, 3])
  await check(t, node, b, a, [1, 3])
  t.ok(counted().retracted > 0, 'a turn was undone with the one that it depended on')
  const letters = await database.execute('select address, message from dead_letter')
  t.match(letters, [{ address: middle, message: { n: 2 } }])
  t.equal(letters.length, 1)
  t.strictSame(await database.execute('select * from outbox'), [])
})

t.test('I17 a receiver at fault undoes no sender, and is parked alone', async (t) => {
  const writer = writerKind((n) => n === 2)
  const { node, database, counted } = await startLinks(t, [link, writer])
  const last = writer.address(keyIn('writer', 'w', 2))
  const answers = [1, 2, 3, 4].map(() => node.ask(a, { type: 'next', path: [b, last] }))
  t.strictSame((await Promise.all(answers)).sort(), [1, 2, 3, 4])
  await check(t, node, b, a, [1, 2, 3, 4])
  await until(async () => (await database.execute('select 1 from dead_letter')).length === 1)
  const rows = () => database.execute('select status from idempotency order by status')
  await until(async () => (await rows()).length === 3)
  t.strictSame(await rows(), [{ status: 1 }, { status: 3 }, { status: 4 }])
  t.equal(counted().retracted, 0)
  await until(async () => (await database.execute('select 1 from outbox')).length === 0)
})

t.test('I17 a receiver that throws is parked alone', async (t) => {
  const thrower = linkKind(
    'thrower',
    (_, n) => {
      if (n === 2) throw new Error('poison')
    },
    { early },
  )
  const { node, database, counted } = await startLinks(t, [link, thrower])
  const last = thrower.address(keyIn('thrower', 'w', 2))
  for (const n of [1, 2, 3]) t.equal(await node.ask(a, { type: 'next', path: [last] }), n)
  await check(t, node, last as typeof a, a, [1, 3])
  t.match(await database.execute('select message from dead_letter'), [{ message: { n: 2 } }])
  t.match(counted(), { early: 3, retracted: 0 })
  await until(async () => (await database.execute('select 1 from outbox')).length === 0)
})

t.test('messages of turns that are tried again one by one do not go early', async (t) => {
  let faults = 0
  const shaky = linkKind('shaky', (_, n) => {
    if (n === 2 && faults++ === 0) throw new Error('only once')
  })
  const { node, hold, commits, counted } = await startLinks(t, [link, shaky])
  const head = shaky.address(keyIn('shaky', 'w', 2))
  const pass = (n: number) => node.ask(head, { type: 'pass', origin: head, n, path: [b] })
  const open = hold()
  const first = pass(1)
  await until(() => commits.length > 0)
  const others = [2, 3].map(pass)
  open()
  await Promise.all([first, ...others])
  await check(t, node, b, head, [1, 2, 3])
  t.equal(counted().early, 1, 'the first message only')
})

t.test('I17 a receiver that waits for a locked row lets its sender go first', async (t) => {
  const { node, database, url, hold } = await startLinks(t)
  await node.ask(a, { type: 'next', path: [b] })
  await check(t, node, b, a, [1])
  const other = await openDatabase({ url, pool_size: 2 })
  t.teardown(() => other.close())
  await other.em().transactional(async (em) => {
    await em.execute(`select 1 from actor_state where address = '${b}' for update`)
    const open = hold()
    const busy = node.ask(c, { type: 'next', path: [] })
    const answer = node.ask(a, { type: 'next', path: [b] })
    open()
    t.equal(await answer, 2, 'answered while the row is locked')
    await busy
    t.equal((await database.execute('select 1 from outbox')).length, 1)
  })
  await check(t, node, b, a, [1, 2])
})

for (const [partition, name] of [
  [0, 'sender'],
  [1, 'receiver'],
] as const) {
  t.test(`I16 I17 the ${name} is fenced before both are committed`, async (t) => {
    const { node, database, once, nats } = await startLinks(t)
    await node.ask(a, { type: 'next', path: [b] })
    await check(t, node, b, a, [1])
    const fenced = /'\{(0,1|1,0)\}'/
    once(fenced, async (run) => {
      await database.execute(`update partition set epoch = epoch + 1, owner = 'other' where id = ${partition}`)
      return run()
    })
    const answer = node.ask(a, { type: 'next', path: [b] }, { deadline_ms: 4000 }).catch((error) => error.name)
    await until(async () => (await database.execute(`select 1 from partition where owner = 'other'`)).length === 1)
    const [{ n }] = (await until(async () => {
      const rows = await database.execute(`select (state->>'n')::int as n from actor_state where address = '${a}'`)
      return rows.length === 1 && (name === 'sender' || rows[0]!.n === 2) && rows
    })) as [{ n: number }]
    if (name === 'receiver') {
      t.equal(await answer, 2)
      t.match(await database.execute('select address, message from outbox'), [{ address: b, message: { n: 2 } }])
    }
    const other = await startNode(t, { database, nats }, [link], { take: [partition] })
    if (name === 'sender') await answer
    t.equal(n, name === 'sender' ? 1 : 2)
    const next = (await other.ask(a, { type: 'next', path: [b] })) as number
    await check(
      t,
      other,
      b,
      a,
      Array.from({ length: next }, (_, i) => i + 1),
    )
    await until(async () => (await database.execute('select 1 from outbox')).length === 0)
  })
}

for (const happened of [true, false]) {
  t.test(`I4 I16 a commit of both is in doubt, and ${happened ? 'has happened' : 'has not happened'}`, async (t) => {
    const { node, database, once, counted } = await startLinks(t)
    await node.ask(a, { type: 'next', path: [b] })
    await check(t, node, b, a, [1])
    once(/'\{(0,1|1,0)\}'/, async (run) => {
      if (happened) await run()
      throw cutOff()
    })
    t.equal(await node.ask(a, { type: 'next', path: [b] }), 2)
    t.equal(await node.ask(a, { type: 'next', path: [b] }), 3)
    await check(t, node, b, a, [1, 2, 3])
    t.ok(counted().fused >= 2)
    t.strictSame(await database.execute('select * from outbox'), [])
  })
}

t.test('I16 a node stops, and another takes the partition, while messages are early', async (t) => {
  const { node, database, hold, nats } = await startLinks(t)
  await node.ask(a, { type: 'next', path: [b, c] })
  await check(t, node, c, a, [1])
  const open = hold()
  const busy = node.ask(at(3), { type: 'next', path: [] })
  const answers = [2, 3, 4].map(() => node.ask(a, { type: 'next', path: [b, c] }).catch(({ name }) => name))
  await until(() => node.stats().scheduler.early > 0)
  // The receiver's partition goes to another node, and then the first node stops.
  const other = await startNode(t, { database, nats }, [link], { take: [1] })
  const stopped = node.stop(5000)
  open()
  await Promise.all([busy, stopped])
  const taken = (await Promise.all(answers)).filter((answer) => typeof answer === 'number').length
  const last = await startNode(t, { database, nats }, [link], { take: [0, 2, 3] })
  const n = (await last.ask(a, { type: 'next', path: [b, c] })) as number
  t.ok(n >= taken + 2)
  await check(
    t,
    last,
    c,
    a,
    Array.from({ length: n }, (_, i) => i + 1),
  )
  await check(
    t,
    other,
    b,
    a,
    Array.from({ length: n }, (_, i) => i + 1),
  )
  await until(async () => (await database.execute('select 1 from outbox')).length === 0)
})

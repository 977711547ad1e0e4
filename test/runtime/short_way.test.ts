import t, { type Test } from 'tap'
import type { Sent } from '../../runtime/actor/pending_turn.ts'
import { PostgresStore } from '../../runtime/commit/postgres_store.ts'
import { silentLog } from '../../runtime/log.ts'
import { Inbox } from '../../runtime/messages/inbox.ts'
import { MessageRouter } from '../../runtime/messages/message_router.ts'
import { defineActor, type Node } from '../../runtime/mod.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { privateNats, testDatabase, testNats } from '../support/mod.ts'
import { keyIn } from './support/key_in.ts'
import { linkKind, upTo } from './support/links.ts'
import { startNode } from './support/start_node.ts'
import { tapped } from './support/tapped.ts'
import { until } from './support/wait.ts'

const link = linkKind()
const at = (partition: number, name = 'x') => link.address(keyIn('link', name, partition))

/** Checks that every number of the sender came to the receiver once and in order. */
async function check(t: Test, node: Node, receiver: ReturnType<typeof at>, sender: string, n: number) {
  const seen = async () => (await node.ask(receiver, { type: 'seen' }))[sender] ?? []
  await until(async () => (await seen()).length >= n)
  t.strictSame(await seen(), upTo(n))
}

t.test('I7 messages within a node need neither transport nor broker', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await privateNats(t)
  const node = await startNode(t, { database, nats }, [link])
  const path = [at(1), at(2)]
  const next = (count: number) => Promise.all(upTo(count).map(() => node.ask(at(0), { type: 'next', path })))
  await next(50)
  for (const address of path) await check(t, node, address, at(0), 50)
  await nats.kill()
  await until(async () => (await node.readiness()).checks.broker !== 'ok')
  await next(50)
  for (const address of path) await check(t, node, address, at(0), 100)
  t.equal(node.stats().short_way.handed, 200)
  t.equal(node.stats().transport.published, 0)
  await until(async () => (await database.execute('select 1 from outbox')).length === 0)
})

t.test('I8 a message handed to an owner that had lost the partition is found by the present owner', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const epochs = held(database)
  const former = await startNode(t, { database: epochs.database, nats }, [link])
  const next = () => former.ask(at(0), { type: 'next', path: [at(1)] })
  await next()
  await check(t, former, at(1), at(0), 1)
  // From here on only a refused commit tells the node of a lost partition.
  await epochs.hold()
  const present = await startNode(t, { database, nats }, [link], { take: [1] })
  // However late the next message is sent, the former owner has asked by then.
  await until(() => epochs.told() > 0)
  await next()
  t.equal(former.stats().short_way.handed, 2, 'it believed that the receiver was here')
  await check(t, present, at(1), at(0), 2)
  // The present owner may find the message in the outbox before the former one's commit is refused.
  await until(() => former.stats().partitions === 3)
  await Promise.all(upTo(20).map(next))
  await check(t, present, at(1), at(0), 22)
  t.equal(former.stats().short_way.handed, 2, 'and knows better since')
})

t.test('I6 order outlives every change between the short way and the transport', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const client = await startNode(t, { database, nats }, [link], { take: [] })
  let loading = true
  let taken = 0
  const load = upTo(4).map(async () => {
    while (loading) {
      const n = await client.ask(at(0), { type: 'next', path: [at(1), at(2)] }, { repeatable: false })
      taken = Math.max(taken, n)
    }
  })
  const nodes: Node[] = []
  // The actors are apart, together, apart the other way round, and together elsewhere. The former owners live on and
  // learn of each change late.
  for (const take of [[0, 1, 2, 3], [1], [0], [0, 1], [2, 1], [0, 1, 2, 3]]) {
    nodes.push(await startNode(t, { database, nats }, [link], { take }))
    const reached = taken + 100
    await until(() => taken > reached)
  }
  loading = false
  await Promise.all(load)
  const last = nodes.at(-1)!
  await check(t, last, at(1), at(0), taken)
  await check(t, last, at(2), at(0), taken)
  const stats = nodes.map((node) => node.stats())
  t.ok(stats.some(({ transport }) => transport.published > 0) && stats.some(({ short_way }) => short_way.handed > 0))
  t.strictSame(await database.execute('select * from outbox'), [])
})

t.test('I9 more than an inbox may hold, sent in one turn to an actor of the same node', async (t) => {
  const count = 5000
  const limit = 100
  let most = 0
  const seen: number[] = []
  let node: Node | undefined
  const sink = defineActor<{ put: { message: { n: number }; reply: undefined } }, null>({
    kind: 'sink',
    create: () => null,
    receive: {
      put(turn, { n }) {
        most = Math.max(most, node!.stats().inboxes.waiting)
        turn.after(() => seen.push(n))
      },
    },
  })
  const source = defineActor<{ pour: { message: { from: number }; reply: undefined } }, null>({
    kind: 'source',
    create: () => null,
    receive: {
      pour(turn, { from }) {
        for (let n = from; n < from + count; n++) turn.tell(sink.address('a'), { type: 'put', n })
      },
    },
  })
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  node = await startNode(t, { database, nats }, [sink, source], { partitions: 1, inbox_limit: limit })
  await node.ask(source.address('a'), { type: 'pour', from: 1 })
  await node.ask(source.address('a'), { type: 'pour', from: count + 1 })
  await until(() => seen.length >= 2 * count)
  t.strictSame(seen, upTo(2 * count))
  t.ok(most <= limit, `${most} at most in memory`)
  t.strictSame(await database.execute('select * from outbox'), [])
})

t.test('a node that may have lost partitions uses both ways, and one copy arrives', async (t) => {
  const { database } = await testDatabase(t)
  const arrived: number[] = []
  const published: number[] = []
  const inbox = new Inbox(0, {
    store: new PostgresStore(database),
    clock: systemClock,
    log: silentLog,
    limit: 10,
    deliver: ({ number }) => void arrived.push(number),
  })
  inbox.heal()
  await until(() => inbox.open)
  let leased = true
  const message_router = new MessageRouter({
    transport: { publish: (_: number, sent: Sent[]) => published.push(...sent.map(({ number }) => number)) } as never,
    inbox: (partition) => (partition === 0 ? inbox : undefined),
    leased: () => leased,
    transport_only: false,
  })
  const send = (number: number, partition = 0): Sent => {
    const json = JSON.stringify({ type: 'pass', number })
    return { partition, number, address: 'link/a', sender: null, json }
  }
  // A lane that is not known yet is looked up. A lane that begins with the number that was read continues from there.
  const [lane] = await database.execute<{ source: number }>(
    `insert into lane (node) values ('n') returning source::int`,
  )
  const { source } = lane!
  await database.execute(
    `insert into outbox (partition, source, number, address, message) values (0, ${source}, 1, 'link/a', '{"type":"x"}')`,
  )
  message_router.send([send(1), send(7, 1)], source)
  await until(() => inbox.open && arrived.length === 1)
  t.strictSame(published, [7], 'what is not here takes the transport')
  message_router.send([send(2)], source)
  t.strictSame(published, [7])
  leased = false
  message_router.send([send(3)], source)
  inbox.receive({
    source,
    first: 3,
    messages: [{ address: 'link/a', sender: null, message: { type: 'pass' }, size: 15 }],
  })
  t.strictSame(published, [7, 3], 'whoever has it now hears of it')
  t.strictSame(arrived, [1, 2, 3])
  t.equal(inbox.stats.repeats, 1)
})

/** Opens a database whose answer about the owners can be held back. */
function held(database: Parameters<typeof tapped>[0]) {
  let question: string | undefined
  let answer: Record<string, unknown>[] | undefined
  let told = 0
  return {
    database: tapped(database, async (sql, run) => {
      const rows = await run()
      // Looked at after the question, so that one that is under way is held back, too.
      if (!answer || sql !== question) return rows
      told++
      return answer
    }),
    /** From now on nodes are told what holds now. */
    async hold() {
      const asked = tapped(database, async (sql, run) => {
        question = sql
        answer = await run()
        return answer
      })
      await new PostgresStore(asked).partitions()
    },
    /** Number of times that a node was told the held answer. */
    told: () => told,
  }
}

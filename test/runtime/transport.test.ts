import { jetstreamManager } from '@nats-io/jetstream'
import t, { type Test } from 'tap'
import { defineActor, type Node, type NodeOptions } from '../../runtime/mod.ts'
import { type PrivateNats, privateNats, testDatabase, testNats } from '../support/mod.ts'
import { linkKind, upTo } from './support/links.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const link = linkKind()
const a = link.address('a')
const b = link.address('b')
const c = link.address('c')
const path = [b, c]
// A single node would hand everything over itself, and these tests are about the transport.
const transport_only = true

/** Checks that every number of `a` came to b and c once and in order, and that nothing is left on the way. */
async function check(t: Test, node: Node, n: number) {
  for (const address of [b, c]) {
    await until(async () => (await node.ask(address, { type: 'seen' }))['link/a']?.length === n)
    t.strictSame(await node.ask(address, { type: 'seen' }), { 'link/a': upTo(n) })
  }
}

async function start(t: Test, options: Partial<NodeOptions> = {}) {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const node = await startNode(t, { database, nats }, [link], { transport_only, ...options })
  const next = (count: number) => Promise.all(upTo(count).map(() => node.ask(a, { type: 'next', path })))
  return { database, nats, node, next }
}

/** Records everything that goes over the transport, and can send it again. */
async function eavesdrop(
  _t: Test,
  nats: { url: string; prefix: string; connect(): ReturnType<PrivateNats['connect']> },
) {
  const connection = await nats.connect()
  const heard: { subject: string; text: string }[] = []
  connection.subscribe(`${nats.prefix}.transport.>`, {
    callback: (_error, message) => void heard.push({ subject: message.subject, text: message.string() }),
  })
  await connection.flush()
  return { connection, heard }
}

t.test('I7 a message that the transport repeats, old or new, is applied once', async (t) => {
  const { nats, node, next } = await start(t)
  const { connection, heard } = await eavesdrop(t, nats)
  for (let round = 0; round < 5; round++) {
    await next(20)
    for (const { subject, text } of [...heard]) connection.publish(subject, text)
  }
  await check(t, node, 100)
  // The test repeats this: on a cluster the reader may not stand yet, and it cannot recognise messages that it did not
  // get.
  await until(() => {
    for (const { subject, text } of heard.slice(0, 200)) connection.publish(subject, text)
    return node.stats().inboxes.repeats > 100
  })
  await check(t, node, 100)
})

t.test(
  'I7 a repeat that nobody recognises, since its lane is unknown here, is looked up and not applied',
  async (t) => {
    const { database, nats, node, next } = await start(t)
    const { connection, heard } = await eavesdrop(t, nats)
    await next(30)
    await check(t, node, 30)
    await until(() => heard.length > 0)
    await node.stop()
    const second = await startNode(t, { database, nats }, [link])
    for (const { subject, text } of heard.splice(0)) connection.publish(subject, text)
    await until(() => second.stats().inboxes.gaps > 0)
    await check(t, second, 30)
    t.equal(second.stats().scheduler.repeats, 0, 'not even tried')
  },
)

t.test('I8 batches that arrive out of order or not at all are read from the outbox', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  // The first node's transport leads nowhere. A tap carries some messages over, late and out of order.
  const lost = { url: nats.url, prefix: `${nats.prefix}x` }
  const sender = await startNode(t, { database, nats: lost }, [link], { take: [] })
  const node = await startNode(t, { database, nats }, [link])
  const { connection, heard } = await eavesdrop(t, { ...nats, ...lost })
  const tells = upTo(300).map((n) => sender.tell(c, { type: 'pass', origin: a, n, path: [] }))
  for (let n = 0; n < 300; n += 10) await tells[n]
  await Promise.all(tells)
  await until(() => heard.length > 0)
  heard.reverse()
  for (const [i, { subject, text }] of heard.entries()) {
    if (i % 3 !== 1) connection.publish(subject.replace(lost.prefix, nats.prefix), text)
  }
  await until(async () => (await node.ask(c, { type: 'seen' }))['link/a']?.length === 300)
  t.strictSame(await node.ask(c, { type: 'seen' }), { 'link/a': upTo(300) })
  t.ok(node.stats().inboxes.healed > 0)
})

t.test('I8 a message whose publish was lost, with none after it, is found', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const sender = await startNode(t, { database, nats: { url: nats.url, prefix: `${nats.prefix}x` } }, [link], {
    take: [],
  })
  const node = await startNode(t, { database, nats }, [link])
  await sender.tell(c, { type: 'pass', origin: a, n: 1, path: [] })
  await until(async () => (await node.ask(c, { type: 'seen' }))['link/a']?.length === 1)
})

t.test('I8 nonsense on the transport does no harm, a forgery is not applied and hides nothing for long', async (t) => {
  const { database, nats, node, next } = await start(t, { partitions: 1 })
  const { connection, heard } = await eavesdrop(t, nats)
  await next(10)
  await check(t, node, 10)
  await until(() => heard.length > 0)
  const { s: source, f, m } = JSON.parse(heard.at(-1)!.text)
  const send = (body: string) => connection.publish(`${nats.prefix}.transport.0.0`, body)
  send('no json')
  send('{}')
  send(JSON.stringify({ s: source, f: f + m.length, m: null }))
  const message = { type: 'pass', origin: a, n: 666, path: [] }
  send(JSON.stringify({ s: source, f: f + m.length, m: [{ a: c, f: a, m: message }] }))
  send(JSON.stringify({ s: 999_999, f: 1, m: [{ a: c, f: a, m: message }] }))
  await until(() => node.stats().scheduler.repeats > 0)
  await next(10)
  for (const address of [b, c]) {
    // A forged number takes the place of the next true message, which is then found late, and so out of order.
    await until(async () => (await node.ask(address, { type: 'seen' }))['link/a']?.length === 20)
    const { 'link/a': seen } = await node.ask(address, { type: 'seen' })
    t.strictSame(
      seen?.sort((x, y) => x - y),
      upTo(20),
    )
  }
  t.strictSame(await database.execute('select * from dead_letter'), [])
})

t.test('I8 a stream that was deleted is made anew, and nothing in it is missed', async (t) => {
  const { nats, node, next } = await start(t, { partitions: 1 })
  await next(20)
  await check(t, node, 20)
  const manager = await jetstreamManager(await nats.connect())
  await manager.streams.delete(`${nats.prefix}-transport-0`)
  await next(20)
  await check(t, node, 40)
  const { received } = node.stats().transport
  await next(20)
  await check(t, node, 60)
  await until(async () => {
    await next(1)
    return node.stats().transport.received > received
  })
})

t.test('I8 a broker that is down only delays, and one that comes back wiped is healed', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await privateNats(t)
  const node = await startNode(t, { database, nats }, [link], { transport_only })
  const next = (count: number) => Promise.all(upTo(count).map(() => node.ask(a, { type: 'next', path })))
  await next(50)
  await nats.kill()
  await next(50)
  await check(t, node, 100)
  await nats.start()
  await next(50)
  await check(t, node, 150)
  await nats.kill()
  nats.wipe()
  await next(50)
  await nats.start()
  await next(50)
  await check(t, node, 250)
  const { received } = node.stats().transport
  await until(async () => {
    await next(1)
    return node.stats().transport.received > received
  })
  t.pass('the transport carries again')
})

t.test('I9 a backlog far beyond the limit is worked off in order with bounded memory', async (t) => {
  const count = 10_000
  const limit = 500
  let most = 0
  let last = 0
  let ordered = true
  let node: Node | undefined
  const sink = defineActor<{ put: { message: { n: number }; reply: undefined } }, { n: number }>({
    kind: 'sink',
    create: () => ({ n: 0 }),
    receive: {
      put(turn, { n }) {
        ordered &&= n === last + 1
        last = n
        most = Math.max(most, node?.stats().inboxes.waiting ?? 0)
        turn.state.n = n
        turn.save()
      },
    },
  })
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const sender = await startNode(t, { database, nats }, [sink], { take: [], partitions: 1 })
  await Promise.all(upTo(count).map((n) => sender.tell(sink.address('a'), { type: 'put', n })))
  node = await startNode(t, { database, nats }, [sink], { inbox_limit: limit })
  await Promise.all(upTo(100).map((n) => sender.tell(sink.address('a'), { type: 'put', n: count + n })))
  await until(() => last === count + 100)
  t.ok(ordered, 'each once and in order')
  t.ok(most <= limit + 512, `${most} at most in memory`)
  await until(async () => (await database.execute('select 1 from outbox limit 1')).length === 0)
  await until(() => node.stats().inboxes.waiting === 0)
})

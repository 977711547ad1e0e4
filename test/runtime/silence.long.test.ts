/** A PostgreSQL that does not answer, although no connection is closed: for one node, or for all. */
import t, { type Test } from 'tap'
import { defineActor, type Node, Unavailable } from '../../runtime/mod.ts'
import { type Database, openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET, testDatabase, testNats } from '../support/mod.ts'
import { proxied } from './support/proxy.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const PARTITIONS = 8

const counter = defineActor<
  { add: { message: object; reply: number }; count: { message: object; reply: number } },
  { n: number }
>({
  kind: 'counter',
  create: () => ({ n: 0 }),
  peek: { count: ({ state }) => state.n },
  receive: {
    add(turn) {
      turn.state.n++
      turn.save()
      return turn.state.n
    },
    count: (turn) => turn.state.n,
  },
})

const held = (node: Node) => node.stats().partitions

async function owners(database: Database): Promise<Map<number, string | null>> {
  const rows = await database.execute<{ id: number; owner: string | null }>('select id, owner from partition')
  return new Map(rows.map(({ id, owner }) => [id, owner]))
}

/** Opens databases whose connections swallow everything while `silent` is true. */
async function silenced(t: Test, url: string) {
  const line = { silent: false }
  const through = await proxied(t, url, {
    toServer: (piece, { server }) => !line.silent && server.write(piece),
    toClient: (piece, { client }) => !line.silent && client.write(piece),
  })
  const open = async () => {
    const database = await openDatabase({ url: through, secret: TEST_SECRET, pool_size: 4 })
    t.teardown(() => database.close())
    return database
  }
  return { line, open }
}

t.test('others serve the partitions of a node without PostgreSQL, and the node serves none from memory', async (t) => {
  const { url, database } = await testDatabase(t, { pool_size: 8 })
  const nats = await testNats(t)
  const { line, open } = await silenced(t, url)
  const options = { partitions: PARTITIONS, cluster: {} }
  const whole = await startNode(t, { database, nats }, [counter], options)
  const fragile = await startNode(t, { database: await open(), nats }, [counter], options)
  await until(() => held(whole) === 4 && held(fragile) === 4)
  const before = await owners(database)
  const keys = Array.from({ length: 40 }, (_, n) => counter.address(`k${n}`))
  const lost = keys.find((address) => before.get(fragile.partitionOf(address)) === fragile.id)!
  t.equal(await fragile.ask(lost, { type: 'add' }), 1)
  // The node answers from memory while all is well.
  await until(() => fragile.tryAsk(lost, { type: 'count' }) === 1)

  line.silent = true
  const hung = t.rejects(fragile.ask(lost, { type: 'add' }, { deadline_ms: 3000 }), Unavailable)
  await until(async () => (await owners(database)).get(whole.partitionOf(lost)) === whole.id)
  t.equal(fragile.tryAsk(lost, { type: 'count' }), undefined, 'not when others may own it')
  const readiness = await fragile.readiness()
  t.match(readiness.checks.database, /does not renew the lease/)
  await hung
  const n = await whole.ask(lost, { type: 'add' })
  await until(() => held(whole) === PARTITIONS && held(fragile) === 0)
  t.equal(await fragile.ask(lost, { type: 'count' }), n, 'its own callers are answered by the new owner')

  line.silent = false
  await until(() => held(whole) === 4 && held(fragile) === 4)
  t.equal(await fragile.ask(lost, { type: 'count' }), n, 'what was under way when it fell silent was not written later')
})

t.test(
  'a node drops partitions that others took without a handover, and no owner known to the table alone stays',
  async (t) => {
    const { database } = await testDatabase(t, { pool_size: 8 })
    const nats = await testNats(t)
    const options = { partitions: PARTITIONS, cluster: {} }
    const said: string[] = []
    const note = (_: object, text: string) => void said.push(text)
    const log = { debug: note, info: note, warn: note, error: note }
    const other = await startNode(t, { database, nats }, [counter], options)
    const robbed = await startNode(t, { database, nats }, [counter], { ...options, log })
    await until(() => held(other) === 4 && held(robbed) === 4)
    const broker = await nats.connect()
    // A handover would wait for turns that cannot commit. Meanwhile nobody would serve the partitions that others give
    // back.
    const robbery = await database.execute<{ id: number; epoch: string }>(
      'update partition set owner = ?, epoch = epoch + 1 where owner = ? returning id, epoch::text',
      [other.id, robbed.id],
    )
    t.equal(robbery.length, 4)
    broker.publish(`${nats.prefix}.node.released`, '')
    // Every taken partition has a later epoch by then, whoever has it.
    await until(async () => {
      const rows = await database.execute<{ id: number; epoch: string }>('select id, epoch::text from partition')
      const now = new Map(rows.map(({ id, epoch }) => [id, Number(epoch)]))
      return robbery.every(({ id, epoch }) => now.get(id)! > Number(epoch))
    })
    await until(() => held(other) === 4 && held(robbed) === 4)
    t.notOk(said.includes('giving partitions to other nodes'))
  },
)

t.test(
  'a PostgreSQL that is silent for all nodes moves nothing, and work continues when it answers again',
  async (t) => {
    const { url, database } = await testDatabase(t, { pool_size: 4 })
    const nats = await testNats(t)
    const { line, open } = await silenced(t, url)
    const options = { partitions: PARTITIONS, cluster: {} }
    const one = await startNode(t, { database: await open(), nats }, [counter], options)
    const two = await startNode(t, { database: await open(), nats }, [counter], options)
    await until(() => held(one) === 4 && held(two) === 4)
    const before = await owners(database)
    const key = Array.from({ length: 40 }, (_, n) => `m${n}`).find(
      (key) => before.get(one.partitionOf(counter.address(key))) === one.id,
    )!
    await one.ask(counter.address(key), { type: 'add' })
    await until(() => one.tryAsk(counter.address(key), { type: 'count' }) === 1)
    line.silent = true
    const hung = one.ask(counter.address('k'), { type: 'add' }, { deadline_ms: 30_000 })
    await until(async () => !(await one.readiness()).ok && !(await two.readiness()).ok)
    // Several questions of the watch: long enough for a node that would take partitions to do so.
    await new Promise((resolve) => setTimeout(resolve, 4000))
    t.same([held(one), held(two)], [4, 4])
    t.equal(one.tryAsk(counter.address(key), { type: 'count' }), undefined, 'memory answers only under a lease')
    line.silent = false
    t.equal(await hung, 1, 'what waited is done once')
    t.same(await owners(database), before)
  },
)

/** Nodes that come, go and fall silent share the partitions. Callers notice a wait at most. */
import { setTimeout as pause } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { defineActor, type Node, Unavailable } from '../../runtime/mod.ts'
import { type Database, openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET, testDatabase, testNats } from '../support/mod.ts'
import { proxied } from './support/proxy.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const PARTITIONS = 24

/** An actor that adds once for each id. A repeat by the caller shows as a repeat and not as a second effect. */
const counter = defineActor<{ add: { message: { id: string }; reply: number } }, { ids: string[] }>({
  kind: 'counter',
  create: () => ({ ids: [] }),
  receive: {
    add(turn, { id }) {
      turn.state.ids.push(id)
      turn.save()
      return turn.state.ids.length
    },
  },
})

const keys = Array.from({ length: 60 }, (_, n) => `k${n}`)
const held = (node: Node) => node.stats().partitions

async function owners(database: Database): Promise<(string | null)[]> {
  const rows = await database.execute<{ owner: string | null }>('select owner from partition order by id')
  return rows.map(({ owner }) => owner)
}

/** Asks through the nodes in turn until it is stopped. Notes the ids that were acknowledged and those in doubt. */
function load(nodes: () => Node[]) {
  const acknowledged = new Set<string>()
  const doubtful = new Set<string>()
  let running = true
  let slowest = 0
  const loops = Array.from({ length: 8 }, async (_, loop) => {
    for (let n = 0; running; n++) {
      const id = `${loop}.${n}`
      const all = nodes()
      const from = performance.now()
      try {
        await all[n % all.length]!.ask(
          counter.address(keys[n % keys.length]!),
          { type: 'add', id },
          { deadline_ms: 8000 },
        )
        acknowledged.add(id)
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error
        doubtful.add(id)
      }
      slowest = Math.max(slowest, performance.now() - from)
      await pause(2)
    }
  })
  return {
    acknowledged,
    doubtful,
    slowest: () => slowest,
    async stop() {
      running = false
      await Promise.all(loops)
    },
  }
}

/**
 * Checks that every acknowledged id is there once. An id without an acknowledgement is there at most once, and only if
 * it was in doubt.
 */
async function compare(t: Test, database: Database, { acknowledged, doubtful }: ReturnType<typeof load>) {
  const rows = await database.execute<{ state: { ids: string[] } }>('select state from actor_state')
  const stored = rows.flatMap(({ state }) => state.ids)
  const once = new Set(stored)
  t.equal(stored.length, once.size, 'nothing is done twice')
  t.strictSame(
    [...acknowledged].filter((id) => !once.has(id)),
    [],
    'nothing acknowledged is lost',
  )
  t.strictSame(
    [...once].filter((id) => !acknowledged.has(id) && !doubtful.has(id)),
    [],
    'nothing is done that nobody asked for',
  )
}

t.test('nodes that join and leave gracefully share the partitions evenly, and no ask fails', async (t) => {
  const { database } = await testDatabase(t, { pool_size: 8 })
  const nats = await testNats(t)
  const options = { partitions: PARTITIONS, cluster: {} }
  const nodes = [await startNode(t, { database, nats }, [counter], options)]
  t.equal(held(nodes[0]!), PARTITIONS, 'the first takes all')
  const traffic = load(() => nodes)

  const before = await owners(database)
  nodes.push(await startNode(t, { database, nats }, [counter], options))
  await until(() => held(nodes[0]!) === 12 && held(nodes[1]!) === 12)
  nodes.push(await startNode(t, { database, nats }, [counter], options))
  await until(() => nodes.every((node) => held(node) === 8))
  const after = await owners(database)
  t.equal(after.filter((owner) => owner === nodes[0]!.id).length, 8)
  t.ok(
    before.every((owner, id) => owner === nodes[0]!.id || owner === after[id]),
    'what moved came from the first',
  )

  const [leaving] = nodes.splice(1, 1)
  await leaving!.stop()
  await until(() => nodes.every((node) => held(node) === 12))
  await until(() => traffic.acknowledged.size > 100)
  await traffic.stop()
  t.equal(traffic.doubtful.size, 0, 'every ask was answered')
  await compare(t, database, traffic)
})

t.test('a node that leaves says goodbye, and no other node misses it', async (t) => {
  const { database } = await testDatabase(t, { pool_size: 8 })
  const nats = await testNats(t)
  const said: string[] = []
  const note = (_: object, message: string) => void said.push(message)
  const log = { debug() {}, info: note, warn: note, error: note }
  const seen: string[][] = []
  const changed = (members: { id: string }[]) => void seen.push(members.map(({ id }) => id))
  const one = await startNode(t, { database, nats }, [counter], { partitions: 4, cluster: { changed }, log })
  const two = await startNode(t, { database, nats }, [counter], { partitions: 4, cluster: {} })
  await until(() => held(one) === 2 && held(two) === 2)
  await two.stop()
  // The lease is not over yet, so only the goodbye can tell.
  await until(() => said.includes('the lease of a node has ended'))
  t.notOk(said.some((text) => text.startsWith('a node is silent')))
  t.strictSame(seen.at(-1), [one.id])
  await until(() => held(one) === 4)
})

t.test(
  'a node that is cut off is replaced, writes and answers nothing meanwhile, and comes back to its share',
  async (t) => {
    const { url, database } = await testDatabase(t, { pool_size: 8 })
    const nats = await testNats(t)
    // The node keeps its database, so only the fence and the node's own doubt can stop it.
    let deaf = false
    const cut = await proxied(t, nats.url, {
      toServer: (piece, line) => !deaf && line.server.write(piece),
      toClient: (piece, line) => !deaf && line.client.write(piece),
    })
    const own = await openDatabase({ url, secret: TEST_SECRET, pool_size: 4 })
    t.teardown(() => own.close())
    const options = { partitions: PARTITIONS, cluster: {} }
    const whole = await startNode(t, { database, nats }, [counter], options)
    const fragile = await startNode(t, { database: own, nats: { ...nats, url: cut } }, [counter], options)
    await until(() => held(whole) === 12 && held(fragile) === 12)
    const lost = (await owners(database)).flatMap((owner, id) => (owner === fragile.id ? [id] : []))

    const traffic = load(() => [whole])
    deaf = true
    await until(async () => (await owners(database)).every((owner) => owner === whole.id))
    await until(() => held(whole) === PARTITIONS)
    await until(() => traffic.acknowledged.size > 50)
    deaf = false
    await until(() => held(fragile) === 12 && held(whole) === 12)
    t.equal(lost.length, 12)
    await traffic.stop()
    await compare(t, database, traffic)
  },
)

t.test('a broker that no node reaches moves nothing', async (t) => {
  const { database } = await testDatabase(t, { pool_size: 8 })
  const nats = await testNats(t)
  let deaf = false
  const cut = await proxied(t, nats.url, {
    toServer: (piece, line) => !deaf && line.server.write(piece),
    toClient: (piece, line) => !deaf && line.client.write(piece),
  })
  const options = { partitions: PARTITIONS, cluster: {} }
  const through = { database, nats: { ...nats, url: cut } }
  const one = await startNode(t, through, [counter], options)
  const two = await startNode(t, through, [counter], options)
  await until(() => held(one) === 12 && held(two) === 12)
  const before = await owners(database)
  const local = keys.filter((key) => before[one.partitionOf(counter.address(key))] === one.id)
  deaf = true
  // The time is longer than the lease: each node believes itself alone, and knows that it cannot be sure.
  for (const end = Date.now() + 4000; Date.now() < end; await pause(50)) {
    await one.ask(counter.address(local[0]!), { type: 'add', id: `x${Date.now()}` })
  }
  t.strictSame(await owners(database), before)
  deaf = false
  // A question that left while the connection was made anew is lost, and its asker learns so.
  const asked = () => two.ask(counter.address(local[0]!), { type: 'add', id: 'y' }).catch(() => 0)
  await until(async () => (await asked()) > 1)
})

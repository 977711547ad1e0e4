/**
 * Questions whose owner is lost, slow or leaving: answered once, or given up with an honest error. Never done twice.
 */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { defineActor, type Node, Unavailable } from '../../runtime/mod.ts'
import { type Database, openDatabase } from '../../storage/mod.ts'
import { type Owner, TEST_SECRET, testDatabase, testNats } from '../support/mod.ts'
import { proxied } from './support/proxy.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const PARTITIONS = 8
const options = { partitions: PARTITIONS, cluster: {} }

/** `slow_ms` is the time that a turn takes before it decides. */
const counterOf = (slow: { ms: number }) =>
  defineActor<{ add: { message: object; reply: number } }, { count: number }, null>({
    kind: 'counter',
    create: () => ({ count: 0 }),
    read: () => pause(slow.ms, null),
    receive: {
      add(turn) {
        turn.save()
        return ++turn.state.count
      },
    },
  })

type Counter = ReturnType<typeof counterOf>

/** Starts two nodes that share the partitions. The test can cut off all messages from and to the second. */
async function pair(t: Owner, slow = { ms: 0 }) {
  const { url, database } = await testDatabase(t, { pool_size: 8 })
  const nats = await testNats(t)
  const line = { cut: false }
  const through = await proxied(t, nats.url.split(',')[0]!, {
    toServer: (piece, { server }) => !line.cut && server.write(piece),
    toClient: (piece, { client }) => !line.cut && client.write(piece),
  })
  const own = await openDatabase({ url, secret: TEST_SECRET, pool_size: 4 })
  t.teardown(() => own.close())
  const counter = counterOf(slow)
  const asker = await startNode(t, { database, nats }, [counter], options)
  const owner = await startNode(t, { database: own, nats: { ...nats, url: through } }, [counter], options)
  await until(() => [asker, owner].every((node) => node.stats().partitions === PARTITIONS / 2))
  return { database, asker, owner, counter, line, keys: await keysOf(database, owner, counter) }
}

/** Returns keys of actors that `node` owns. */
async function keysOf(database: Database, node: Node, counter: Counter): Promise<string[]> {
  const rows = await database.execute<{ id: number; owner: string }>('select id, owner from partition')
  const owned = new Set(rows.filter(({ owner }) => owner === node.id).map(({ id }) => id))
  const all = Array.from({ length: 100 }, (_, n) => `k${n}`)
  return all.filter((key) => owned.has(node.partitionOf(counter.address(key))))
}

t.test('a question to an owner that falls silent: the next one answers it when a repeat is harmless', async (t) => {
  const { asker, counter, line, keys } = await pair(t)
  line.cut = true
  const first = counter.address(keys[0]!)
  const once = asker.ask(first, { type: 'add' })
  const again = asker.ask(counter.address(keys[1]!), { type: 'add' }, { repeatable: true })
  await t.rejects(once, Unavailable, 'else nobody knows whether it was done, and the caller is told so')
  t.equal(await again, 1)
  t.equal(await asker.ask(first, { type: 'add' }), 1, 'what was given up was not done')
})

t.test('a question asked again because its answer takes long is done once', async (t) => {
  const { asker, counter, keys } = await pair(t, { ms: 3500 })
  t.equal(await asker.ask(counter.address(keys[0]!), { type: 'add' }), 1)
})

t.test('a long-waiting question that a leaving owner gives back is done by the next owner', async (t) => {
  const slow = { ms: 2500 }
  const { asker, owner, counter, keys } = await pair(t, slow)
  const asked = asker.ask(counter.address(keys[0]!), { type: 'add' })
  await pause(1700)
  await Promise.all([owner.stop(), t.resolves(asked)])
  t.equal(await asked, 1)
})

t.test('an answer that was lost on the way is given again', async (t) => {
  const { asker, counter, line, keys } = await pair(t, { ms: 300 })
  const asked = asker.ask(counter.address(keys[0]!), { type: 'add' })
  await pause(100)
  line.cut = true
  await pause(800)
  line.cut = false
  t.equal(await asked, 1)
})

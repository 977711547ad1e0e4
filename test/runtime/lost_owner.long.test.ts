/**
 * Questions whose owner is lost, slow or leaving: answered once, or given up with an honest error. Never done twice.
 */
import t from 'tap'
import { defineActor, type Node, Unavailable } from '../../runtime/mod.ts'
import { type Database, openDatabase } from '../../storage/mod.ts'
import { type Owner, TEST_SECRET, testDatabase, testNats } from '../support/mod.ts'
import { proxied } from './support/proxy.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const PARTITIONS = 8
const options = { partitions: PARTITIONS, cluster: {} }
/** For questions that wait for a new owner, however long the nodes take to agree on one. */
const PATIENT = { deadline_ms: 60_000 }

/** `read` holds a turn before it decides. */
type Held = { read(): Promise<void> }

const counterOf = (held: Held) =>
  defineActor<{ add: { message: object; reply: number } }, { count: number }, null>({
    kind: 'counter',
    create: () => ({ count: 0 }),
    read: () => held.read().then(() => null),
    receive: {
      add(turn) {
        turn.save()
        return ++turn.state.count
      },
    },
  })

type Counter = ReturnType<typeof counterOf>

/**
 * Starts two nodes that share the partitions. The test can cut off all messages from and to the second. `repeats` counts
 * the questions that the first sent again, `heard` those of them that reached the second; `lost` is what the second
 * sent while it was cut off.
 */
async function pair(t: Owner, held: Held = { read: () => Promise.resolve() }) {
  const { url, database } = await testDatabase(t, { pool_size: 8 })
  const nats = await testNats(t)
  const line = { cut: false, repeats: 0, heard: 0, lost: '' }
  const is_repeat = (piece: Buffer) => piece.includes('"unanswered":true')
  const observed = await proxied(t, nats.url.split(',')[0]!, {
    toServer(piece, { server }) {
      if (is_repeat(piece)) line.repeats++
      server.write(piece)
    },
  })
  const through = await proxied(t, nats.url.split(',')[0]!, {
    toServer(piece, { server }) {
      if (line.cut) line.lost += piece
      else server.write(piece)
    },
    toClient(piece, { client }) {
      if (line.cut) return
      if (is_repeat(piece)) line.heard++
      client.write(piece)
    },
  })
  const own = await openDatabase({ url, secret: TEST_SECRET, pool_size: 4 })
  t.teardown(() => own.close())
  const counter = counterOf(held)
  const asker = await startNode(t, { database, nats: { ...nats, url: observed } }, [counter], options)
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

/** Turns that wait: `reached` is settled when the first one begins, which goes on when the test says so; others do at once. */
function gate() {
  const first = { reached: Promise.withResolvers<void>(), opened: Promise.withResolvers<void>() }
  let turns = 0
  const read = () => {
    if (turns++ > 0) return Promise.resolve()
    first.reached.resolve()
    return first.opened.promise
  }
  return { read, reached: first.reached.promise, open: first.opened.resolve, turns: () => turns }
}

t.test('a question to an owner that falls silent: the next one answers it when a repeat is harmless', async (t) => {
  const { asker, counter, line, keys } = await pair(t)
  line.cut = true
  const first = counter.address(keys[0]!)
  const once = asker.ask(first, { type: 'add' }, PATIENT)
  const again = asker.ask(counter.address(keys[1]!), { type: 'add' }, { ...PATIENT, repeatable: true })
  await t.rejects(once, Unavailable, 'else nobody knows whether it was done, and the caller is told so')
  t.equal(await again, 1)
  t.equal(await asker.ask(first, { type: 'add' }, PATIENT), 1, 'what was given up was not done')
})

t.test('a question asked again because its answer takes long is done once', async (t) => {
  const held = gate()
  const { asker, counter, line, keys } = await pair(t, held)
  const asked = asker.ask(counter.address(keys[0]!), { type: 'add' }, PATIENT)
  await until(() => line.heard >= 2)
  held.open()
  t.equal(await asked, 1)
  t.equal(held.turns(), 1)
})

t.test('a long-waiting question that a leaving owner gives back is done by the next owner', async (t) => {
  const held = gate()
  const { asker, owner, counter, line, keys } = await pair(t, held)
  const asked = asker.ask(counter.address(keys[0]!), { type: 'add' }, PATIENT)
  await until(() => line.heard > 0)
  // The turn that never ends is given up, and no further repeat reaches this owner.
  await Promise.all([owner.stop(), t.resolves(asked)])
  t.equal(await asked, 1)
  t.equal(held.turns(), 2)
  held.open()
})

t.test('a leaving owner answers a question that it has finished, however long it took', async (t) => {
  const held = gate()
  const { asker, owner, counter, line, keys } = await pair(t, held)
  const asked = asker.ask(counter.address(keys[0]!), { type: 'add' }, PATIENT)
  await held.reached
  const leaving = owner.stop()
  await until(() => line.repeats > 0)
  t.equal(line.heard, 0, 'it listens no more')
  held.open()
  t.equal(await asked, 1)
  await leaving
})

t.test('an answer that was lost on the way is given again', async (t) => {
  const held = gate()
  const { asker, counter, line, keys } = await pair(t, held)
  const asked = asker.ask(counter.address(keys[0]!), { type: 'add' }, PATIENT)
  await held.reached
  line.cut = true
  held.open()
  await until(() => line.lost.includes('"reply"'))
  line.cut = false
  t.equal(await asked, 1)
  t.ok(line.heard > 0, 'it was asked again')
})

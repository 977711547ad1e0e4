/** A node that stood still may remember stale states: it asks the database before it answers. */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { defineActor } from '../../runtime/mod.ts'
import type { Database } from '../../storage/mod.ts'
import { testDatabase, testNats } from '../support/mod.ts'
import { startNode } from './support/start_node.ts'

const SLOW_MS = 1000

const counter = defineActor<
  { add: { message: object; reply: number }; look: { message: object; reply: number } },
  { count: number }
>({
  kind: 'counter',
  create: () => ({ count: 0 }),
  peek: { look: ({ state }) => state.count },
  receive: {
    add(turn) {
      turn.state.count++
      turn.save()
      return turn.state.count
    },
    look: ({ state }) => state.count,
  },
})

/** Blocks this process for `ms`, as if it were stopped. */
function standStill(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/**
 * Opens a database that answers questions about epochs only a while after it has looked, so that the node's own
 * heartbeat arrives first.
 */
function slowAboutEpochs(database: Database): Database {
  return {
    ...database,
    async execute<Row>(sql: string, params?: readonly unknown[]) {
      const rows = await database.execute<Row>(sql, params)
      if (/^select id, epoch::text from partition/.test(sql)) await pause(SLOW_MS)
      return rows
    },
  }
}

t.test('the first answer after a stand-still does not come from stale memory', async (t) => {
  const [{ database }, nats] = [await testDatabase(t), await testNats(t)]
  const node = await startNode(t, { database: slowAboutEpochs(database), nats }, [counter], {
    partitions: 1,
    cluster: {},
  })
  const address = counter.address('a')
  for (let n = 1; n <= 3; n++) t.equal(await node.ask(address, { type: 'add' }), n)
  t.equal(await node.ask(address, { type: 'look' }), 3)
  for (let round = 1; round <= 3; round++) {
    // Meanwhile another node had the partition, counted on, and gave it back.
    const counted = round * 100
    await database.execute(`update actor_state set state = '{"count": ${counted}}'`)
    await database.execute('update partition set owner = null, epoch = epoch + 1')
    standStill(1500)
    // The pause is long enough for the node to receive its own heartbeat, which proves to the node that it is alive.
    await pause(300)
    const seen = new Set<number>()
    for (const end = Date.now() + SLOW_MS; Date.now() < end; await pause(20)) {
      seen.add(await node.ask(address, { type: 'look' }))
    }
    t.same([...seen], [counted])
  }
})

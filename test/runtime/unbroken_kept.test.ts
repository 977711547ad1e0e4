/**
 * The result of a call that must not be cut short is not lost, wherever it is when the state of its actor is thrown
 * away.
 */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET, testDatabase, testNats } from '../support/mod.ts'
import { callerOf } from './support/caller.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

t.test('a result survives when its turn waits for its commit and the partition goes to another node', async (t) => {
  const { url, database } = await testDatabase(t, { pool_size: 8 })
  const nats = await testNats(t)
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  const caller = callerOf(gate.promise, seen)
  const line = { held: false, waiting: 0 }
  const commit: typeof database.commit = async (...args) => {
    if (line.held) line.waiting++
    while (line.held) await pause(10)
    return database.commit(...args)
  }
  const first = await startNode(t, { database: { ...database, commit }, nats }, [caller])
  const address = caller.address('a')
  await first.ask(address, { type: 'call' })
  await until(() => seen.includes('begun'))
  // The provider answers. The commit of its answer is under way when another node takes the partition.
  line.held = true
  gate.resolve()
  await until(() => line.waiting > 0)
  const own = await openDatabase({ url, secret: TEST_SECRET, pool_size: 4 })
  t.teardown(() => own.close())
  const second = await startNode(t, { database: own, nats }, [caller])
  line.held = false
  await until(async () => (await second.ask(address, { type: 'read' })) === 1)
  t.same(seen, ['begun', 'ended'], 'the next owner learns what came of the call')
})

t.test('a result survives when its turn meets a column that is missing for a while', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  const caller = callerOf(gate.promise, seen)
  const node = await startNode(t, { database, nats }, [caller])
  const address = caller.address('a')
  await node.ask(address, { type: 'call' })
  await until(() => seen.includes('begun'))
  await database.execute('alter table actor_state rename column state to state_of_tomorrow')
  gate.resolve()
  await until(() => node.stats().scheduler.held > 0)
  await database.execute('alter table actor_state rename column state_of_tomorrow to state')
  await until(async () => (await node.ask(address, { type: 'read' })) === 1)
  t.same(seen, ['begun', 'ended'], 'the actor learns what came of the call')
})

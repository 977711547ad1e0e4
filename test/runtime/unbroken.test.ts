/** Calls that must not be cut short: their results reach the actor, wherever the actor is by then. */
import t from 'tap'
import type { Node } from '../../runtime/mod.ts'
import { testDatabase, testNats } from '../support/mod.ts'
import { callerOf } from './support/caller.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

t.test('a node that leaves in the middle of a call tells the next owner its result', async (t) => {
  const { database } = await testDatabase(t, { pool_size: 8 })
  const nats = await testNats(t)
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  const caller = callerOf(gate.promise, seen)
  const start = () => startNode(t, { database, nats }, [caller], { cluster: {} })
  const first: Node = await start()
  const address = caller.address('a')
  await first.ask(address, { type: 'call' })
  await until(() => seen.includes('begun'))
  const second = await start()
  const left = first.stop()
  t.equal(await second.ask(address, { type: 'read' }), 0, 'nobody waits for the call')
  gate.resolve()
  await left
  await until(async () => (await second.ask(address, { type: 'read' })) === 1)
  t.strictSame(seen, ['begun', 'ended'])
})

t.test('a call goes on when its turn is undone by a fault, and its result comes back once', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await testNats(t)
  const gate = Promise.withResolvers<void>()
  const seen: string[] = []
  const caller = callerOf(gate.promise, seen)
  const node = await startNode(t, { database, nats }, [caller])
  const address = caller.address('a')
  await node.ask(address, { type: 'call' })
  await t.rejects(node.ask(address, { type: 'throw' }), /a fault/)
  gate.resolve()
  await until(async () => (await node.ask(address, { type: 'read' })) === 1)
  t.strictSame(seen, ['begun', 'ended'])
})

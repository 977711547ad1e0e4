/**
 * A wall clock that was ahead while the node connected, and then was set right: the node finds the broker again all the
 * same.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { privateNats, testDatabase } from '../support/mod.ts'
import { startNode } from './support/start_node.ts'
import { until } from './support/wait.ts'

const MONTH_MS = 31 * 86_400_000

t.test('a broker that comes back is reached again after the clock was set back', async (t) => {
  const { database } = await testDatabase(t)
  const nats = await privateNats(t)
  const right = Date.now
  Date.now = () => right() + MONTH_MS
  t.teardown(() => {
    Date.now = right
  })
  const node = await startNode(t, { database, nats }, [])
  Date.now = right
  const broker = async () => (await node.readiness()).checks.broker
  t.equal(await broker(), 'ok')
  await nats.kill()
  await until(async () => (await broker()) !== 'ok')
  await nats.start()
  await until(async () => (await broker()) === 'ok')
  // The readers start anew. A reader that is just asking the broker would wait beyond the end of its node.
  await sleep(2000)
})

/** Deliveries that reach their subscription before the turn of the project that created them is committed. */
import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { until } from '../../runtime/support/wait.ts'
import { startTenant } from './tenant_node.ts'

t.test('an event in the turn that creates its subscription is delivered', async (t) => {
  const { node, hold, happen, subscribe, delivered, posted, commits } = await startTenant(t)
  await subscribe('first')
  await happen({ n: 1 })
  await delivered(1)
  const open = hold()
  const before = commits.length
  const busy = happen({ n: 2 })
  await until(() => commits.length > before)
  // The next turn has both; its commit waits until its early messages have been received.
  const together = [subscribe('second'), happen({ n: 3 })]
  const openNext = hold()
  open()
  await until(() => node.stats().scheduler.early >= 2)
  await setTimeout(200)
  openNext()
  await Promise.all([busy, ...together])
  await delivered(4)
  t.equal(posted.filter(({ url }) => url.endsWith('second')).length, 1)
})

/** A subscription is disabled, and its node dies before it has ended all deliveries that wait. */
import t from 'tap'
import { until } from '../../runtime/support/wait.ts'
import { startTenant } from './tenant_node.ts'

const WAITING = 20

for (const ordering of ['none', 'subscription']) {
  t.test(`the next owner ends those that are left: ordering ${ordering}`, async (t) => {
    const { happen, subscribe, answerWith, posted, restart, query } = await startTenant(t)
    answerWith(() => new Promise(() => {}))
    await subscribe('waiting', { concurrency: 1, ordering })
    for (let n = 0; n < WAITING; n++) await happen({ n })
    await until(() => posted.length > 0)
    // As its project leaves it: the deliveries end in later turns of the subscription.
    await restart(() => query('update subscription set is_active = false'))
    const left = () => query('select id from delivery where next_attempt_at is not null')
    await until(async () => (await left()).length === 0, 30_000)
    const ends = await query('select distinct last_error from delivery')
    t.same(ends, [{ last_error: 'subscription_disabled' }])
  })
}

/** A subscription that changes while its deliveries wait for the receiver. */
import t from 'tap'
import { until } from '../../runtime/support/wait.ts'
import { startTenant } from './tenant_node.ts'

t.test('a delivery that waits for its turn goes out with the secret and to the address of that time', async (t) => {
  const { happen, subscribe, request, answerWith, posted, delivered } = await startTenant(t)
  const { id, secret } = await subscribe('first', { concurrency: 1 })
  let release = () => {}
  answerWith(() =>
    posted.length === 1
      ? new Promise((resolve) => {
          release = () => resolve({})
        })
      : {},
  )
  for (const n of [1, 2, 3, 4]) await happen({ n })
  await until(() => posted.length === 1)
  const { secret: renewed } = await request({ type: 'rotate_webhook_secret', id })
  await request({ type: 'update_webhook', id, patch: { url: 'https://example.com/second' } })
  // A test waits for nobody. Once it is out, the subscription has the changes, which came before it.
  await request({ type: 'test_webhook', id, event_type: 'crm.note.created' })
  await until(() => posted.length === 2)
  release()
  await delivered(5, 'success', 30_000)
  t.match(posted[0], { secret, url: /first$/ })
  for (const one of posted.slice(1)) t.match(one, { secret: renewed, url: /second$/ })
})

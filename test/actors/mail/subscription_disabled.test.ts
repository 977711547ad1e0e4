import t from 'tap'
import { subscriptionDisabledMail } from '../../../actors/mail/mod.ts'

const subscription = {
  id: 'wh_66f2a0c1d4e5f60718293a4b',
  name: 'Orders',
  url: 'https://example.com/hooks?key=secret',
  failing_since: new Date('2026-09-21T14:13:20.000Z'),
  failure_count: 50,
  last_error: 'http_503',
  base_url: 'https://api.example.com',
}

t.test('the mail names the subscription, the time, the reason and the remedy', (t) => {
  const { subject, text } = subscriptionDisabledMail(subscription)
  t.equal(subject, 'Webhook "Orders" was switched off')
  for (const part of [
    'The webhook subscription "Orders" was switched off.',
    'Subscription:  wh_66f2a0c1d4e5f60718293a4b\n',
    'Address:       https://example.com/hooks?…\n',
    'Failing since: 2026-09-21T14:13:20.000Z\n',
    'Failed:        50 deliveries in a row',
    'Last error:    answered with HTTP status 503\n',
    'curl -X PATCH https://api.example.com/v1/webhooks/wh_66f2a0c1d4e5f60718293a4b \\\n',
    `-d '{"is_active":true}'`,
    'curl -X POST https://api.example.com/v1/webhooks/wh_66f2a0c1d4e5f60718293a4b/recover \\\n',
    `-d '{"since":"2026-09-21T14:13:20.000Z"}'`,
  ]) {
    t.ok(text.includes(part), part)
  }
  t.notMatch(text, 'secret', 'the query may hold keys')
  t.ok(text.split('\n').every((line) => line.length <= 100))
  t.end()
})

t.test('other errors are shown unchanged; a name cannot add lines', (t) => {
  t.match(subscriptionDisabledMail({ ...subscription, last_error: 'timeout' }).text, 'Last error:    timeout\n')
  t.match(subscriptionDisabledMail({ ...subscription, last_error: null }).text, 'Last error:    unknown\n')
  const { subject, text } = subscriptionDisabledMail({ ...subscription, name: 'a\r\nBcc: x@y\nz' })
  t.equal(subject, 'Webhook "a Bcc: x@y z" was switched off')
  t.notMatch(text, /^Bcc/m)
  t.end()
})

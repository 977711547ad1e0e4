import { Registry } from 'prom-client'
import t from 'tap'
import { productMetrics } from '../../http/app/metrics/product_metrics.ts'

t.test('sends and deliveries are counted by their results, and calls are timed', async (t) => {
  const registry = new Registry()
  const { channels, subscriptions } = productMetrics(registry)
  channels.observe({ channel_type: 'telegram', outcome: 'accepted', duration_ms: 120 })
  channels.observe({ channel_type: 'telegram', outcome: 'refuse', duration_ms: 1500 })
  subscriptions.attempted({ outcome: 'success', duration_ms: 30 } as Parameters<typeof subscriptions.attempted>[0])
  subscriptions.concluded('success')
  subscriptions.concluded('waiting')
  const text = await registry.metrics()
  t.match(text, /^parley_sends_total\{channel="telegram",outcome="accepted"\} 1$/m)
  t.match(text, /^parley_sends_total\{channel="telegram",outcome="refuse"\} 1$/m)
  t.match(text, /^parley_provider_call_duration_seconds_bucket\{le="0\.2",channel="telegram"\} 1$/m)
  t.match(text, /^parley_provider_call_duration_seconds_count\{channel="telegram"\} 2$/m)
  t.match(text, /^parley_deliveries_total\{outcome="waiting"\} 1$/m)
  t.match(text, /^parley_webhook_attempt_duration_seconds_count\{outcome="success"\} 1$/m)
})

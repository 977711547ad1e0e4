/** Our client against a server of other makers that plays models: texts, tools, streams and chaos. */
import { LLMock } from '@copilotkit/aimock'
import t from 'tap'
import { askHouse, entry, models } from './model_server.ts'

const mock = new LLMock({ port: 0, logLevel: 'silent' })
await mock.start()
t.teardown(() => mock.stop())
const url = `${mock.url}/v1`

mock.onMessage('Hello', { content: 'Good day from elsewhere' })
mock.onMessage('order', { toolCalls: [{ name: 'order_status', arguments: '{"number":"A1234"}', id: 'call_1' }] })
mock.onMessage('both', { content: 'One moment', toolCalls: [{ name: 'order_status', arguments: '{}' }] })
mock.onMessage('limit', {
  error: { message: 'Slow down', type: 'rate_limit_error', code: 'rate_limit_exceeded' },
  status: 429,
  retryAfter: 3,
})
mock.onMessage('context', { error: { message: 'Too many tokens', code: 'context_length_exceeded' }, status: 400 })
mock.onMessage('thought', { content: 'Answer', reasoning: 'Hm, let me think' })

for (const onText of [undefined, () => undefined]) {
  t.test(onText ? 'streamed' : 'whole', async (t) => {
    const all = models(t, [entry(url)])
    const ask = (text: string) => askHouse(all, { text, ...(onText && { onText }) })
    t.match(await ask('Hello'), { kind: 'answer', text: 'Good day from elsewhere', finish: 'stop', tool_calls: [] })
    t.match(await ask('my order'), {
      kind: 'answer',
      finish: 'tool_calls',
      tool_calls: [{ id: 'call_1', name: 'order_status', arguments: '{"number":"A1234"}' }],
    })
    t.match(await ask('both'), { text: 'One moment', finish: 'tool_calls', tool_calls: [{ name: 'order_status' }] })
    t.match(await ask('thought'), { text: 'Answer', finish: 'stop' })
    t.match(await ask('limit'), {
      kind: 'retry',
      code: 'rate_limited',
      retry_after_s: 3,
      message: /Slow down/,
      maybe_paid: false,
    })
    t.match(await ask('context'), { kind: 'refused', code: 'too_long' })
    t.match(await ask('nothing is prepared for this'), { kind: 'refused' })
    mock.nextRequestError(503, { message: 'Overloaded' })
    t.match(await ask('Hello'), { kind: 'retry', code: 'unavailable', status: 503, message: /Overloaded/ })
    t.match(await ask('Hello'), { kind: 'answer' })
    for (const [chaos, expected] of [
      [{ dropRate: 1 }, { kind: 'retry', code: 'unavailable', status: 500 }],
      [{ malformedRate: 1 }, { kind: 'retry' }],
      [{ disconnectRate: 1 }, { kind: 'retry', code: 'cut', maybe_paid: true }],
      [{ rateLimitRate: 1 }, { kind: 'retry', code: 'rate_limited' }],
    ] as const) {
      mock.setChaos(chaos)
      t.match(await ask('Hello'), expected, JSON.stringify(chaos))
    }
    mock.setChaos({ latencyMs: 5000 })
    t.match(await askHouse(all, { deadline_ms: 300, text: 'Hello', ...(onText && { onText }) }), {
      kind: 'retry',
      code: 'timeout',
    })
    mock.clearChaos()
  })
}

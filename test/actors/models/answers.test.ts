/** The request to a model and its answer, whole and streamed. */
import t from 'tap'
import type { ModelMessage, ModelQuestion } from '../../../actors/models/mod.ts'
import { askHouse, completion, entry, event, modelServer, models, usageEvent } from './model_server.ts'

const options = { owner: 'project', signal: new AbortController().signal, deadline_ms: 60_000 }
const tools = [
  {
    name: 'order_status',
    description: 'Tells it',
    parameters: { type: 'object', properties: { number: { type: 'string' } } },
  },
]
const picture = new Uint8Array([137, 80, 78, 71])

const question = (messages: ModelMessage[], fields: Partial<ModelQuestion> = {}): ModelQuestion => ({
  model: 'house',
  messages,
  tools: [],
  max_output_tokens: 100,
  ...fields,
})

t.test('a question has the form of the protocol', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url, { query: { 'api-version': '2026-01-01' }, headers: { 'api-key': 'k' } })])
  const messages: ModelMessage[] = [
    { role: 'system', text: 'You are Demi.' },
    {
      role: 'user',
      parts: [
        { type: 'text', text: 'What is this?' },
        { type: 'file', media_type: 'image/png', data: picture },
        { type: 'file', media_type: 'application/pdf', data: new Uint8Array([37]) },
        { type: 'file', media_type: 'audio/mpeg', data: new Uint8Array([1, 2]) },
      ],
    },
    {
      role: 'assistant',
      text: '',
      tool_calls: [{ id: 'c1', name: 'order_status', arguments: '{"number":"A1"}', signature: 'sig' }],
    },
    { role: 'tool', tool_call_id: 'c1', tool_name: 'order_status', result: '{"status":"packed"}' },
    {
      role: 'assistant',
      text: 'Hm.',
      tool_calls: [
        { id: 'c2', name: 'order_status', arguments: '{no json' },
        { id: 'c3', name: 'order status!', arguments: '' },
      ],
    },
    { role: 'tool', tool_call_id: 'c2', tool_name: 'order_status', result: 'no JSON' },
    { role: 'tool', tool_call_id: 'c3', tool_name: 'order status!', result: 'no number' },
    { role: 'user', parts: [{ type: 'text', text: 'And now?' }] },
  ]
  t.match(await all.ask(question(messages, { tools }), options), { kind: 'answer', text: 'Good day' })
  t.equal(server.paths[0], '/v1/chat/completions?api-version=2026-01-01')
  t.match(server.headers[0], { authorization: 'Bearer sk-secret-of-the-house', 'api-key': 'k', 'user-agent': 'Parley' })
  t.strictSame(server.asked[0], {
    model: 'provider-model',
    max_tokens: 100,
    messages: [
      { role: 'system', content: 'You are Demi.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw==' } },
          { type: 'file', file: { filename: 'document.pdf', file_data: 'data:application/pdf;base64,JQ==' } },
          { type: 'input_audio', input_audio: { data: 'AQI=', format: 'mp3' } },
        ],
      },
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            id: 'c1',
            type: 'function',
            function: { name: 'order_status', arguments: '{"number":"A1"}' },
            extra_content: { google: { thought_signature: 'sig' } },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: '{"status":"packed"}' },
      {
        role: 'assistant',
        content: 'Hm.',
        tool_calls: [
          { id: 'c2', type: 'function', function: { name: 'order_status', arguments: '"{no json"' } },
          { id: 'c3', type: 'function', function: { name: 'order_status_', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c2', content: 'no JSON' },
      { role: 'tool', tool_call_id: 'c3', content: 'no number' },
      { role: 'user', content: 'And now?' },
    ],
    tools: [{ type: 'function', function: tools[0]! }],
  })
})

t.test('bounds of an answer', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url, { output_field: 'max_completion_tokens', key: null })])
  await askHouse(all, { max: 7 })
  await askHouse(all, { max: 1_000_000, onText: () => undefined })
  t.match(server.asked, [
    { max_completion_tokens: 7 },
    { max_completion_tokens: 1000, stream: true, stream_options: { include_usage: true } },
  ])
  t.notOk(server.asked.some((body) => 'max_tokens' in body))
  t.notOk(server.headers.some((headers) => 'authorization' in headers))
})

t.test('a whole answer', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  const answer = { kind: 'answer', text: 'Good day', tool_calls: [], model: 'provider-model-7' }
  const usage = { input_tokens: 9, output_tokens: 2, estimated: false }
  t.strictSame(await askHouse(all), { ...answer, finish: 'stop', usage })
  const call = { id: 'c1', type: 'function', function: { name: 'order_status', arguments: '{"number": ' } }
  server.answer((response) => response.end(completion({ message: { content: null, tool_calls: [call] } })))
  t.strictSame(await askHouse(all), {
    ...answer,
    text: '',
    finish: 'tool_calls',
    tool_calls: [{ id: 'c1', name: 'order_status', arguments: '{"number": ' }],
    usage,
  })
  const signed = { ...call, id: '', extra_content: { google: { thought_signature: 'sig' } } }
  server.answer((response) => response.end(completion({ message: { tool_calls: [signed] }, finish_reason: 'length' })))
  t.match(await askHouse(all), { finish: 'length', tool_calls: [{ id: /./, signature: 'sig' }] })
  for (const [finish_reason, message, finish] of [
    ['content_filter', { content: '' }, 'refused'],
    ['stop', { content: null, refusal: 'I cannot help with that.' }, 'refused'],
    ['length', {}, 'length'],
    ['tool_calls', {}, 'stop'],
    ['eos', {}, 'other'],
    [null, {}, 'other'],
  ] as const) {
    server.answer((response) => response.end(completion({ message, finish_reason })))
    t.match(await askHouse(all), { kind: 'answer', finish }, `${finish_reason}`)
  }
  const filter = JSON.stringify({ error: { message: 'filtered', code: 'content_filter' } })
  server.answer((response) => response.writeHead(400).end(filter))
  t.match(await askHouse(all), {
    kind: 'answer',
    text: '',
    finish: 'refused',
    usage: { output_tokens: 0, estimated: true },
  })
})

t.test('texts that a database cannot store', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  const text = 'a\0b\ud800'
  const own = { id: text, type: 'function', function: { name: text, arguments: text } }
  const message = { content: text, tool_calls: [own] }
  server.answer((response) => response.end(completion({ message, model: 'm'.repeat(10_000) })))
  const shown = 'a\ufffdb\ufffd'
  const answer = await askHouse(all)
  t.match(answer, { kind: 'answer', text: shown, tool_calls: [{ id: shown, name: shown, arguments: shown }] })
  t.ok(answer.kind === 'answer' && answer.model.length === 200)
})

t.test('usage that the provider does not tell is estimated', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  for (const usage of [
    null,
    {},
    { prompt_tokens: 0, completion_tokens: 0 },
    { prompt_tokens: -1, completion_tokens: 1 },
    { prompt_tokens: 1.5, completion_tokens: 1 },
  ]) {
    server.answer((response) => response.end(completion({ usage })))
    const answer = await askHouse(all)
    t.match(
      answer,
      { kind: 'answer', usage: { input_tokens: 18, output_tokens: 3, estimated: true } },
      JSON.stringify(usage),
    )
  }
})

t.test('a streamed answer', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  const pieces: string[] = []
  const onText = (text: string) => pieces.push(text)
  server.answer((response) => {
    const text = `${event({ role: 'assistant', content: '' })}${event({ content: 'Grüß ' })}${event({ content: 'Gott 👋' })}${event({}, 'stop')}${usageEvent}data: [DONE]\n\n`
    // The pieces end within characters.
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7))
    response.end()
  })
  const usage = { input_tokens: 9, output_tokens: 3, estimated: false }
  t.strictSame(await askHouse(all, { onText }), {
    kind: 'answer',
    text: 'Grüß Gott 👋',
    tool_calls: [],
    finish: 'stop',
    usage,
    model: 'provider-model-7',
  })
  t.strictSame(pieces, ['Grüß ', 'Gott 👋'])
  const call = (index: number, id: string | undefined, name: string | undefined, text: string) =>
    event({
      tool_calls: [
        { index, ...(id && { id, type: 'function' }), function: { ...(name && { name }), arguments: text } },
      ],
    })
  server.answer((response) =>
    response.end(
      `${call(0, 'c1', 'order_status', '')}${call(0, undefined, undefined, '{"number"')}${call(1, 'c2', 'book', '{oops')}${call(0, undefined, undefined, ':"A1"}')}${event({}, 'tool_calls')}data: [DONE]\n\n`,
    ),
  )
  t.match(await askHouse(all, { onText }), {
    finish: 'tool_calls',
    tool_calls: [
      { id: 'c1', name: 'order_status', arguments: '{"number":"A1"}' },
      { id: 'c2', name: 'book', arguments: '{oops' },
    ],
    usage: { estimated: true },
  })
  server.answer((response) => response.end(`${event({ refusal: 'No.' })}${event({}, 'stop')}`))
  t.match(await askHouse(all, { onText }), { kind: 'answer', text: 'No.', finish: 'refused' })
})

t.test('what a model cannot read is not sent', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url, { reads: ['text', 'image', 'audio'] })])
  const withFile = (media_type: string, data = picture) =>
    all.ask(question([{ role: 'user', parts: [{ type: 'file', media_type, data }] }]), options)
  for (const type of ['application/pdf', 'audio/ogg', 'video/mp4', 'image/png;x', 'text/html'])
    t.match(await withFile(type), { kind: 'refused', code: 'unreadable', maybe_paid: false, status: null }, type)
  t.match(await withFile('image/png', new Uint8Array(12 * 1024 * 1024 + 1)), { code: 'unreadable', message: /12 MiB/ })
  t.match(await askHouse(all, { text: 'x'.repeat(8 * 1024 * 1024 + 1) }), { code: 'unreadable', message: /8 MiB/ })
  t.match(await all.ask(question([], { model: 'other' }), options), { kind: 'refused', code: 'unknown_model' })
  t.equal(server.asked.length, 0)
})

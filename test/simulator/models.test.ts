/** The simulated model: its rules for questions, its magic words, and the script of the control API. */
import t from 'tap'
import { HttpModels, type ModelMessage, type ModelQuestion } from '../../actors/models/mod.ts'
import { simulatedModel } from '../../http/app/demo/models.ts'
import { startSimulator } from '../../http/simulator/mod.ts'

const simulator = await startSimulator({ numbers: [] })
t.teardown(() => simulator.close())
const all = new HttpModels({ entries: [simulatedModel('simulated', simulator.url)], calls: 8 })
t.teardown(() => all.close())

type Json = Record<string, unknown>

async function call(
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; body: Json; headers: Headers }> {
  const response = await fetch(`${simulator.url}/${path}`, {
    method,
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, body: (await response.json()) as Json, headers: response.headers }
}
const chat = (body: unknown) => call('POST', 'models/v1/chat/completions', body)
const control = (method: string, path = '', body?: unknown) => call(method, `_control/model${path}`, body)

const tools = [
  {
    name: 'order_status',
    description: '',
    parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
  },
  {
    name: 'search_knowledge',
    description: '',
    parameters: {
      type: 'object',
      properties: {
        query: { type: 'string', maxLength: 20 },
        kind: { enum: ['page'] },
        count: { type: 'integer', minimum: 2 },
      },
      required: ['query', 'kind', 'count'],
    },
  },
  {
    name: 'hand_over',
    description: '',
    parameters: { type: 'object', properties: { reason: { type: 'string' } }, required: ['reason'] },
  },
]
const said = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })
const signal = new AbortController().signal

function ask(messages: ModelMessage[] | string, fields: Partial<ModelQuestion> = {}, deadline_ms = 60_000) {
  const own = typeof messages === 'string' ? [said(messages)] : messages
  const question = { model: 'simulated', messages: own, tools, max_output_tokens: 500, ...fields }
  return all.ask(question, { owner: 'p', signal, deadline_ms })
}
const stream = (text: string) =>
  all.ask(
    { model: 'simulated', messages: [said(text)], tools, max_output_tokens: 500 },
    { owner: 'p', signal, deadline_ms: 60_000, onText: () => undefined },
  )

const message = { role: 'user', content: 'Hello' }
const fn = { name: 'f', parameters: { type: 'object' } }
const toolCall = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }
const refused: [string, unknown, object][] = [
  ['no JSON', '{', { param: null, message: /could not parse/ }],
  ['a list', [], { message: /could not parse/ }],
  ['no model', { messages: [message] }, { message: 'you must provide a model parameter' }],
  ['no messages', { model: 'm' }, { param: 'messages', code: 'missing_required_parameter' }],
  ['empty messages', { model: 'm', messages: [] }, { param: 'messages', code: 'empty_array' }],
  ['a strange field', { model: 'm', messages: [message], colour: 1 }, { message: /colour/ }],
  [
    'a strange role',
    { model: 'm', messages: [{ role: 'bot', content: '' }] },
    { param: 'messages[0].role', code: 'invalid_value' },
  ],
  ['no content', { model: 'm', messages: [{ role: 'user' }] }, { param: 'messages[0].content' }],
  [
    'null of the assistant',
    { model: 'm', messages: [{ role: 'assistant', content: null }] },
    { param: 'messages[0].content' },
  ],
  [
    'a strange part',
    { model: 'm', messages: [{ role: 'user', content: [{ type: 'video' }] }] },
    { param: 'messages[0].content[0]' },
  ],
  [
    'a picture of the system',
    { model: 'm', messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'https://x/y' } }] }] },
    { param: 'messages[0].content[0]' },
  ],
  [
    'a picture without data',
    {
      model: 'm',
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,' } }] }],
    },
    { param: 'messages[0].content[0]' },
  ],
  ['tools of no kind', { model: 'm', messages: [message], tools: [{ type: 'x' }] }, { param: 'tools[0]' }],
  ['no tools', { model: 'm', messages: [message], tools: [] }, { param: 'tools' }],
  [
    'the name of a tool',
    { model: 'm', messages: [message], tools: [{ type: 'function', function: { ...fn, name: 'order status' } }] },
    { param: 'tools[0].function.name' },
  ],
  [
    'parameters of a tool',
    {
      model: 'm',
      messages: [message],
      tools: [{ type: 'function', function: { ...fn, parameters: { type: 'string' } } }],
    },
    { code: 'invalid_function_parameters' },
  ],
  ['a choice without tools', { model: 'm', messages: [message], tool_choice: 'auto' }, { param: 'tool_choice' }],
  [
    'max_tokens',
    { model: 'm', messages: [message], max_tokens: 0 },
    { param: 'max_tokens', code: 'integer_below_min_value' },
  ],
  ['two bounds', { model: 'm', messages: [message], max_tokens: 1, max_completion_tokens: 1 }, { param: 'max_tokens' }],
  ['options without a stream', { model: 'm', messages: [message], stream_options: {} }, { param: 'stream_options' }],
  ['a stream that is no boolean', { model: 'm', messages: [message], stream: 'yes' }, { param: 'stream' }],
  ['temperature', { model: 'm', messages: [message], temperature: 3 }, { param: 'temperature' }],
  ['n', { model: 'm', messages: [message], n: 2 }, { param: 'n' }],
  [
    'a call without a result',
    { model: 'm', messages: [message, { role: 'assistant', content: null, tool_calls: [toolCall] }, message] },
    { param: 'messages', message: /did not have response messages: c1$/ },
  ],
  [
    'a call without a result at the end',
    { model: 'm', messages: [{ role: 'assistant', content: null, tool_calls: [toolCall] }] },
    { message: /c1$/ },
  ],
  [
    'a result without a call',
    { model: 'm', messages: [message, { role: 'tool', tool_call_id: 'c1', content: 'x' }] },
    { param: 'messages[1].role' },
  ],
  [
    'a result of another call',
    {
      model: 'm',
      messages: [
        { role: 'assistant', content: null, tool_calls: [toolCall] },
        { role: 'tool', tool_call_id: 'c2', content: '' },
      ],
    },
    { param: 'messages[1].role' },
  ],
  [
    'a result without an id',
    { model: 'm', messages: [{ role: 'tool', content: 'x' }] },
    { param: 'messages[0].tool_call_id' },
  ],
  [
    'arguments that are an object',
    {
      model: 'm',
      messages: [
        { role: 'assistant', content: null, tool_calls: [{ ...toolCall, function: { name: 'f', arguments: {} } }] },
      ],
    },
    { param: 'messages[0].tool_calls[0]' },
  ],
  [
    'calls of the user',
    { model: 'm', messages: [{ ...message, tool_calls: [toolCall] }] },
    { param: 'messages[0].tool_calls' },
  ],
  [
    'more than the context',
    { model: 'm', messages: [{ role: 'user', content: 'x'.repeat(520_000) }] },
    { code: 'context_length_exceeded' },
  ],
]

t.test('wrong questions are refused as OpenAI does', async (t) => {
  for (const [what, body, error] of refused) {
    const answer = await chat(body)
    t.match(answer, { status: 400, body: { error: { type: 'invalid_request_error', ...error } } }, what)
  }
  t.match(await call('GET', 'models/v1/chat/completions'), { status: 405 })
  t.match(await call('POST', 'models/v1/embeddings', {}), { status: 404, body: { error: { message: /Invalid URL/ } } })
  t.match(await chat({ model: 'withdrawn', messages: [message] }), {
    status: 404,
    body: { error: { code: 'model_not_found' } },
  })
})

t.test('answers are decided by the question, in its language', async (t) => {
  for (const [question, answer] of [
    ['Good morning', 'You wrote: “Good morning”'],
    ['Hola, quiero mi pedido', 'Usted escribió: “Hola, quiero mi pedido”'],
    ['Hallo, ich habe eine Bestellung', 'Sie schrieben: “Hallo, ich habe eine Bestellung”'],
    ['Bonjour, je suis chez vous', 'Vous avez écrit : “Bonjour, je suis chez vous”'],
    ['Olá, obrigada pelo pedido', 'Você escreveu: “Olá, obrigada pelo pedido”'],
  ] as const) {
    for (let round = 0; round < 2; round++)
      t.match(await ask(question), { kind: 'answer', text: answer, finish: 'stop' })
    t.match(await stream(question), { text: answer })
  }
})

t.test('answers come from the prompt and from results of tools', async (t) => {
  const prompt = {
    role: 'system' as const,
    text: '# Store\nOur store opens at nine on weekdays. Parking is free.\nReturns are taken for 30 days.',
  }
  const opening = said('When does your store open on weekdays')
  t.match(await ask([prompt, said('Do you take returns for days')]), { text: 'Returns are taken for 30 days.' })
  t.match(await ask([prompt, { ...opening }]), { text: 'Our store opens at nine on weekdays.' })
  const question = said('Which delivery time does Madrid have?')
  const search = await ask([prompt, question])
  t.match(search, {
    finish: 'tool_calls',
    tool_calls: [{ name: 'search_knowledge', arguments: '{"query":"Which delivery time ","kind":"page","count":2}' }],
  })
  if (search.kind !== 'answer') return
  const asked = { role: 'assistant' as const, text: '', tool_calls: search.tool_calls }
  const id = search.tool_calls[0]!.id
  const result = {
    role: 'tool' as const,
    tool_call_id: id,
    tool_name: 'search_knowledge',
    result: JSON.stringify({
      documents: [{ title: 'Madrid', content: 'We like you. The delivery time to Madrid is two days.' }],
    }),
  }
  t.match(await ask([prompt, question, asked, result]), { text: 'The delivery time to Madrid is two days.' })
})

t.test('magic words', async (t) => {
  const answers: [string, object][] = [
    ['call order_status {"number": "A1"}', { tool_calls: [{ name: 'order_status', arguments: '{"number": "A1"}' }] }],
    ['call order_status {no json}', { tool_calls: [{ name: 'order_status', arguments: '{no json}' }] }],
    [
      'I want to speak to a human',
      { tool_calls: [{ name: 'hand_over', arguments: '{"reason":"I want to speak to a human"}' }] },
    ],
    ['handover', { tool_calls: [{ name: 'hand_over' }] }],
    ['model tools', { tool_calls: [{ name: 'order_status', arguments: '{"number":"model tools"}' }] }],
    ['model bad arguments', { tool_calls: [{ name: 'order_status', arguments: '{"number": "A12' }] }],
    ['model unknown tool', { tool_calls: [{ name: 'no_such_tool' }] }],
    ['model promise', { text: /handing you over/, tool_calls: [] }],
    ['model link', { text: /https:\/\/offers\.example\.net/ }],
    ['model wrong language', { text: /Vielen Dank/ }],
    ['model refuse', { finish: 'refused', text: /cannot help/ }],
    ['model filter', { finish: 'refused', text: '' }],
    ['model long', { finish: 'length' }],
    ['model no usage', { usage: { estimated: true } }],
  ]
  for (const [words, expected] of answers) {
    t.match(await ask(words), { kind: 'answer', ...expected }, words)
    t.match(await stream(words), { kind: 'answer', ...expected }, `${words}, streamed`)
  }
  const failures: [string, object][] = [
    ['model 429', { code: 'rate_limited', retry_after_s: 1 }],
    ['model 429 30', { code: 'rate_limited', retry_after_s: 30 }],
    ['model 500', { code: 'unavailable', status: 500 }],
    ['model 503 9', { code: 'unavailable', retry_after_s: 9 }],
    ['model 401', { code: 'unauthorized' }],
    ['model 402', { code: 'quota_exhausted' }],
    ['model 404', { code: 'withdrawn' }],
    ['model too long', { code: 'too_long' }],
    ['model cut', { code: 'cut' }],
    ['model broken', { code: 'malformed' }],
    ['model empty', { code: 'empty' }],
    ['model endless', { code: 'too_large' }],
  ]
  for (const [words, expected] of failures) {
    t.match(await ask(words), expected, words)
    t.match(await stream(words), expected, `${words}, streamed`)
  }
  t.match(await ask('model hang', {}, 300), { code: 'timeout' })
  t.match(await ask('model slow 3', {}, 300), { code: 'timeout' })
  t.match(await ask('model slow 0'), { kind: 'answer', text: 'You wrote: “model slow 0”' })
  const before = [said('Hi'), { role: 'assistant' as const, text: 'Good day.', tool_calls: [] }]
  t.match(await ask([...before, said('model repeat')]), { text: 'Good day.' })
  t.match(await ask([{ role: 'system', text: 'Secret rules' }, said('model prompt')]), { text: 'Secret rules' })
  t.match(await ask('model 500 once'), { code: 'unavailable' })
  t.match(await ask('model 500 once'), { kind: 'answer' })
})

t.test('the script of the control API goes before magic words', async (t) => {
  const script = [
    { match: 'ORDER', answer: 'Your order is packed.', usage: { prompt_tokens: 70, completion_tokens: 5 } },
    {
      tool_calls: [
        { name: 'order_status', arguments: { number: 'A1' } },
        { name: 'hand_over', arguments: '{oops' },
      ],
      times: 2,
    },
    { fault: 429, retry_after: 4 },
    { fault: 'empty' },
    { answer: 'Late.', delay_ms: 10 },
  ]
  t.match(await control('POST', '', { script }), {
    status: 201,
    body: { data: [{ id: /^scr_\d+$/, times: 1 }, {}, {}, {}, {}] },
  })
  t.match(await call('GET', '_control'), { body: { model: { script: 5 } } })
  const calls = [
    { name: 'order_status', arguments: '{"number":"A1"}' },
    { name: 'hand_over', arguments: '{oops' },
  ]
  t.match(await ask('Hello'), { tool_calls: calls })
  t.match(await ask('Where is my order?'), {
    text: 'Your order is packed.',
    usage: { input_tokens: 70, output_tokens: 5 },
  })
  t.match(await ask('model 500'), { tool_calls: calls })
  t.match(await ask('Hello'), { code: 'rate_limited', retry_after_s: 4 })
  t.match(await ask('Hello'), { code: 'empty' })
  t.match((await control('GET')).body, { data: [{ text: 'Late.', delay_ms: 10 }] })
  t.match(await control('DELETE'), { body: { removed: 1 } })
  t.match(await ask('Hello'), { text: 'You wrote: “Hello”' })
})

t.test('a wrong script is refused as a whole', async (t) => {
  for (const [body, sentence] of [
    [{}, /script must be a list/],
    [{ script: [] }, /script must be a list/],
    [{ scripts: [] }, /no field "scripts"/],
    [{ script: [{ answer: 'x' }, 7] }, /script\[1\] must be an object/],
    [{ script: [{}] }, /needs an answer, tool_calls or a fault/],
    [{ script: [{ fault: 'fire' }] }, /fault must be one of 400/],
    [{ script: [{ answer: 'x', delay_ms: -1 }] }, /delay_ms must be a number/],
    [{ script: [{ answer: 'x', colour: 1 }] }, /no field "colour"/],
    [{ script: [{ answer: 'x', operation: 'sing' }] }, /operation must be chat or transcription/],
    [{ script: [{ tool_calls: [{}] }] }, /must have a name/],
    [{ script: [{ answer: 'x', usage: {} }] }, /usage must be/],
    [{ script: Array(1001).fill({ answer: 'x' }) }, /at most 1000 replies/],
  ] as const) {
    t.match(await control('POST', '', body), {
      status: 400,
      body: { error: { code: 'VALIDATION_ERROR', message: sentence } },
    })
  }
  t.match((await control('GET')).body, { data: [] })
})

t.test('calls are kept with their bodies, within bounds', async (t) => {
  t.match(await control('DELETE', '/calls'), { status: 200 })
  const picture = { type: 'file' as const, media_type: 'image/png', data: new Uint8Array(100_000).fill(1) }
  await ask([{ role: 'user', parts: [{ type: 'text', text: 'What is this' }, picture] }])
  await ask('model 500')
  await chat('{')
  const { body } = await control('GET', '/calls')
  t.match(body.data, [
    {
      operation: 'chat',
      model: 'simulated',
      outcome: 'answer',
      at: /^\d{4}-.*Z$/,
      body: { messages: [{ role: 'user' }], tools: [{}, {}, {}] },
    },
    { outcome: '500' },
    { outcome: '400', body: '{' },
  ])
  t.ok(JSON.stringify(body).length < 20_000, 'files are shortened')
  const { sequence } = (body.data as Json[])[1]!
  t.equal(((await control('GET', `/calls?after=${sequence}`)).body.data as Json[]).length, 1)
  t.match(await control('GET', '/calls?after=x'), { status: 400 })
  for (let n = 0; n < 40; n++)
    await chat({ model: 'm', messages: [{ role: 'user', content: `model cut ${'y '.repeat(200_000)}` }] }).catch(
      () => undefined,
    )
  const kept = (await control('GET', '/calls')).body.data as Json[]
  t.ok(kept.length > 10 && JSON.stringify(kept).length < 34 * 1024 * 1024, `${kept.length} calls`)
})

t.test('recordings', async (t) => {
  const data = Buffer.from('OggS SAYS: Wo ist meine Bestellung?')
  const transcribe = (name = 'voice.ogg', model = 'simulated', own: Uint8Array = data, deadline_ms = 60_000) =>
    all.transcribe({ model, data: own, media_type: 'audio/ogg', name }, { owner: 'p', signal, deadline_ms })
  t.match(await transcribe(), { kind: 'transcript', text: 'Wo ist meine Bestellung?', duration_s: null })
  t.match(await transcribe('a"b\r\nc.ogg'), { kind: 'transcript' })
  t.match(await transcribe('voice.ogg', 'other'), { kind: 'refused', code: 'unknown_model' })
  t.match(await transcribe('voice.txt'), { kind: 'refused', code: 'rejected', status: 400 })
  t.match(await transcribe('voice.ogg', 'simulated', new Uint8Array()), { code: 'unreadable' })
  t.match(await transcribe('voice.ogg', 'simulated', new Uint8Array(25 * 1024 * 1024 + 1)), {
    code: 'unreadable',
    message: /25 MiB/,
  })
  const faults = [503, 429, 'cut', 'broken', 'empty', 'hang']
  await control('POST', '', { script: faults.map((fault) => ({ operation: 'transcription', match: 'voice', fault })) })
  const codes = ['unavailable', 'rate_limited', 'cut', 'malformed', 'empty', 'timeout']
  for (const code of codes)
    t.match(await transcribe('voice.ogg', 'simulated', data, code === 'timeout' ? 300 : 60_000), {
      kind: 'retry',
      code,
    })
  await control('POST', '', { script: [{ operation: 'transcription', answer: 'Prepared.' }] })
  t.match(await transcribe(), { text: 'Prepared.' })
  t.match(((await control('GET', '/calls')).body.data as Json[]).at(-1), {
    operation: 'transcription',
    body: { name: 'voice.ogg', type: 'audio/ogg', size: data.length },
  })
})

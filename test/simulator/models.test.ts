/** The simulated model: its rules for questions, and its magic words. */
import { readFileSync } from 'node:fs'
import t from 'tap'
import { modelClient, said } from './model_client.ts'

const { call, chat, ask, stream } = await modelClient(t)

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
  const tried = new Set<string>()
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
    tried.add(words)
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
    tried.add(words)
    t.match(await ask(words), expected, words)
    t.match(await stream(words), expected, `${words}, streamed`)
  }
  t.match(await ask('model hang', 300), { code: 'timeout' })
  t.match(await ask('model slow 3', 300), { code: 'timeout' })
  t.match(await ask('model slow 0'), { kind: 'answer', text: 'You wrote: “model slow 0”' })
  const before = [said('Hi'), { role: 'assistant' as const, text: 'Good day.', tool_calls: [] }]
  t.match(await ask([...before, said('model repeat')]), { text: 'Good day.' })
  t.match(await ask([{ role: 'system', text: 'Secret rules' }, said('model prompt')]), { text: 'Secret rules' })
  t.match(await ask('model 500 once'), { code: 'unavailable' })
  t.match(await ask('model 500 once'), { kind: 'answer' })
  for (const words of ['model hang', 'model slow 10', 'model repeat', 'model prompt', 'model 500 once'])
    tried.add(words)
  const manual = readFileSync('docs/simulator.md', 'utf8')
  const documented = [...manual.matchAll(/`(model [a-z0-9 ]+)`/g)].map(([, words]) => words!)
  t.ok(documented.length > 20)
  t.strictSame(
    documented.filter((words) => !tried.has(words)),
    [],
  )
})

/** Unchanged clients of other makers talk to the simulated model: OpenAI's own, and the AI SDK with its loop of tools. */
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { generateText, jsonSchema, stepCountIs, streamText, tool } from 'ai'
import OpenAI, { toFile } from 'openai'
import t from 'tap'
import { startSimulator } from '../../http/simulator/mod.ts'

const simulator = await startSimulator({ numbers: [] })
t.teardown(() => simulator.close())
const baseURL = `${simulator.url}/models/v1`
const openai = new OpenAI({ baseURL, apiKey: 'any', maxRetries: 0 })
const user = (content: string) => ({ role: 'user' as const, content })
const parameters = { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] }
const tools = [{ type: 'function' as const, function: { name: 'order_status', description: 'Tells it', parameters } }]

t.test('OpenAI’s client: models, an answer, a stream', async (t) => {
  t.strictSame(
    (await openai.models.list()).data.map(({ id }) => id),
    ['simulated', 'simulated-ear'],
  )
  const answer = await openai.chat.completions.create({ model: 'simulated', messages: [user('Where is my parcel')] })
  t.match(answer, {
    object: 'chat.completion',
    model: 'simulated',
    choices: [
      { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'You wrote: “Where is my parcel”' } },
    ],
    usage: { prompt_tokens: 9, completion_tokens: 8, total_tokens: 17 },
  })
  const stream = openai.chat.completions.stream({
    model: 'simulated',
    messages: [user('¿Dónde está mi pedido')],
    stream_options: { include_usage: true },
  })
  const pieces: string[] = []
  stream.on('content', (piece) => pieces.push(piece))
  const whole = await stream.finalChatCompletion()
  t.match(whole.choices[0], { finish_reason: 'stop', message: { content: 'Usted escribió: “¿Dónde está mi pedido”' } })
  t.equal(pieces.join(''), whole.choices[0]?.message.content)
  t.ok(pieces.length > 1)
  t.match(whole.usage, { prompt_tokens: 10 })
})

t.test('OpenAI’s client: calls of tools, whole and streamed in pieces', async (t) => {
  const messages = [user('Please call order_status {"number":"A1234"}')]
  const expected = [{ type: 'function', function: { name: 'order_status', arguments: '{"number":"A1234"}' } }]
  const answer = await openai.chat.completions.create({ model: 'simulated', messages, tools })
  t.match(answer.choices[0], { finish_reason: 'tool_calls', message: { content: null, tool_calls: expected } })
  const streamed = await openai.chat.completions.stream({ model: 'simulated', messages, tools }).finalChatCompletion()
  t.match(streamed.choices[0], { finish_reason: 'tool_calls', message: { tool_calls: expected } })
  const [call] = answer.choices[0]!.message.tool_calls!
  const result = { role: 'tool' as const, tool_call_id: call!.id, content: '{"status":"packed"}' }
  const second = await openai.chat.completions.create({
    model: 'simulated',
    messages: [...messages, answer.choices[0]!.message, result],
    tools,
  })
  t.equal(second.choices[0]?.message.content, 'I found this: {"status":"packed"}')
})

t.test('OpenAI’s client understands each error', async (t) => {
  const ask = (content: string, fields: object = {}) =>
    openai.chat.completions.create({ model: 'simulated', messages: [user(content)], ...fields })
  const errorOf = (content: string, fields?: object) => ask(content, fields).catch((error: unknown) => error)
  await t.rejects(ask('model 429 7'), { status: 429, code: 'rate_limit_exceeded' })
  const error = await errorOf('model 429 7')
  t.ok(error instanceof OpenAI.RateLimitError)
  t.equal((error as InstanceType<typeof OpenAI.RateLimitError>).headers.get('retry-after'), '7')
  t.ok((await errorOf('model 500')) instanceof OpenAI.InternalServerError)
  t.ok((await errorOf('model 401')) instanceof OpenAI.AuthenticationError)
  await t.rejects(ask('model too long'), { status: 400, code: 'context_length_exceeded', param: 'messages' })
  t.ok((await errorOf('Hello', { model: 'withdrawn' })) instanceof OpenAI.NotFoundError)
  await t.rejects(ask('Hello', { colour: 'red' }), {
    status: 400,
    message: /Unrecognized request argument supplied: colour/,
  })
  t.match(await errorOf('model cut'), { message: 'terminated' })
  t.ok((await errorOf('model broken')) instanceof SyntaxError)
  const wrong = new OpenAI({ baseURL, apiKey: 'wrong', maxRetries: 0 })
  await t.rejects(wrong.models.list(), { status: 401, code: 'invalid_api_key' })
  const refused = await ask('model refuse')
  t.match(refused.choices[0], { finish_reason: 'stop', message: { content: null, refusal: /cannot help/ } })
  t.match((await ask('model filter')).choices[0], { finish_reason: 'content_filter' })
  t.match((await ask('model long', { max_tokens: 5 })).choices[0], { finish_reason: 'length' })
  const cut = openai.chat.completions.stream({ model: 'simulated', messages: [user('model cut')] })
  await t.rejects(cut.finalChatCompletion())
  const retrying = new OpenAI({ baseURL, apiKey: 'any', maxRetries: 3 })
  const messages = [user('model 500 twice')]
  const late = await retrying.chat.completions.create({ model: 'simulated', messages })
  t.equal(late.choices[0]?.message.content, 'You wrote: “model 500 twice”')
})

t.test('OpenAI’s client: transcriptions', async (t) => {
  const file = await toFile(Buffer.from('OggS SAYS: Where is my order?\n\0\0'), 'voice.ogg', { type: 'audio/ogg' })
  const transcript = await openai.audio.transcriptions.create({ model: 'simulated-ear', file })
  t.equal(transcript.text, 'Where is my order?')
  const other = await toFile(Buffer.from('OggS'), 'voice.ogg')
  t.match(await openai.audio.transcriptions.create({ model: 'simulated-ear', file: other }), { text: /voice\.ogg/ })
  const text = await toFile(Buffer.from('x'), 'notes.txt')
  t.match(
    await openai.audio.transcriptions.create({ model: 'simulated-ear', file: text }).catch((error: unknown) => error),
    { status: 400, param: 'file' },
  )
})

t.test('the AI SDK runs its loop of tools', async (t) => {
  const model = createOpenAICompatible({ name: 'simulator', baseURL, includeUsage: true }).chatModel('simulated')
  const called: unknown[] = []
  const order_status = tool({
    description: 'Tells the status of an order',
    inputSchema: jsonSchema<{ number: string }>(parameters as never),
    execute: async (input) => {
      called.push(input)
      return { number: input.number, status: 'packed' }
    },
  })
  const answer = await generateText({
    model,
    prompt: 'call order_status {"number":"A1234"}',
    tools: { order_status },
    stopWhen: stepCountIs(5),
  })
  t.strictSame(called, [{ number: 'A1234' }])
  t.match(answer.text, /^I found this: .*packed/)
  t.equal(answer.steps.length, 2)
  const stream = streamText({ model, prompt: 'Wo ist meine Bestellung', tools: { order_status } })
  let text = ''
  for await (const piece of stream.textStream) text += piece
  t.equal(text, 'Sie schrieben: “Wo ist meine Bestellung”')
  t.ok(((await stream.usage).inputTokens ?? 0) > 0)
  t.match(await generateText({ model, prompt: 'model 503', maxRetries: 0 }).catch((error: unknown) => error), {
    statusCode: 503,
  })
  const endless = await generateText({
    model,
    prompt: 'model tools',
    tools: { order_status },
    stopWhen: stepCountIs(4),
  })
  t.equal(endless.steps.length, 4, 'calls in every answer')
})

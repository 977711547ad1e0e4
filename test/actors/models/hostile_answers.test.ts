/** An answer that is made to be expensive is given up early, and others are served while it is read. */
import type { ServerResponse } from 'node:http'
import t from 'tap'
import { askHouse, completion, entry, event, modelServer, models, usageEvent } from './model_server.ts'

const call = (index: number) => ({
  index,
  id: `c${index}`,
  type: 'function',
  function: { name: 'order_status', arguments: '{}' },
})
const calls = (count: number) => Array.from({ length: count }, (_, index) => call(index))
const end = `${event({}, 'stop')}${usageEvent}data: [DONE]\n\n`

const streams: [string, () => string][] = [
  [
    '20,000 calls of tools, each in an event',
    () =>
      calls(20_000)
        .map((one) => event({ tool_calls: [one] }))
        .join(''),
  ],
  ['5,000 calls of tools in an event', () => event({ tool_calls: calls(5_000) })],
  [
    '129 calls of tools',
    () =>
      calls(129)
        .map((one) => event({ tool_calls: [one] }))
        .join(''),
  ],
  ['an event of 1 MB', () => event({ content: 'a'.repeat(1_000_000) })],
  ['an event with 100,000 values', () => event({ content: 'Hello', x: Array(100_000).fill(0) })],
  ['an event with 20,000 levels', () => `data: ${'['.repeat(20_000)}\n\n`],
  ['100,000 empty lines', () => '\n'.repeat(100_000)],
  ['100,000 comments', () => ': wait\n\n'.repeat(100_000)],
  ['arguments in 50,000 parts', () => event({ tool_calls: [call(0)] }) + argumentPart.repeat(50_000)],
  ['an event of 50,000 lines', () => 'data: 1\n'.repeat(50_000)],
  ['a text of 8 MB', () => event({ content: 'word '.repeat(1_000) }).repeat(1_600)],
]
const argumentPart = event({ tool_calls: [{ index: 0, function: { arguments: ' ' } }] })

t.test('streams', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  for (const [name, body] of streams) {
    server.answer((response) => stream(response).end(body() + end))
    t.match(await askHouse(all, { onText: () => undefined }), { kind: 'refused', code: 'too_large' }, name)
  }
})

t.test('whole answers', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  const bodies: [string, string][] = [
    ['5,000 calls of tools', completion({ message: { tool_calls: calls(5_000) } })],
    ['129 calls of tools', completion({ message: { tool_calls: calls(129) } })],
    ['20,000 levels', '['.repeat(20_000)],
    ['100,000 values', completion({ message: { x: Array(100_000).fill(0) } })],
    ['a name of 100,000 characters', completion({ message: { tool_calls: [named('n'.repeat(100_000))] } })],
  ]
  for (const [name, body] of bodies) {
    server.answer((response) => response.end(body))
    t.match(await askHouse(all), { kind: 'refused', code: 'too_large' }, name)
  }
})

t.test('an answer that only looks odd is taken', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  const commas = 'one, two, three, '.repeat(50)
  server.answer((response) => response.end(completion({ message: { content: commas } })))
  t.match(await askHouse(all), { kind: 'answer', text: commas })
  const text = 'é[1], {"a":[1,2]} '.repeat(20)
  server.answer(async (response) => {
    const bytes = Buffer.from(event({ content: text }) + end)
    stream(response)
    for (const byte of bytes) response.write(Buffer.of(byte))
    response.end()
  })
  t.match(await askHouse(all, { onText: () => undefined }), { kind: 'answer', text }, 'in pieces of one byte')
  server.answer((response) => stream(response).end(`${': wait\r\n\r\n'.repeat(500)}${event({ content: 'Hi' })}${end}`))
  t.match(await askHouse(all, { onText: () => undefined }), { kind: 'answer', text: 'Hi' }, 'after comments')
})

t.test('others are served while a stream is read', async (t) => {
  const server = await modelServer(t)
  const all = models(t, [entry(server.url)])
  const words = event({ content: 'word ' })
  server.answer((response) => stream(response).end(words.repeat(600) + end))
  let turns = 0
  let is_reading = false
  const count = () => {
    if (is_reading) turns++
    if (turns < 1_000_000) immediate = setImmediate(count)
  }
  let immediate = setImmediate(count)
  let first = 0
  let last = 0
  const onText = () => {
    is_reading = true
    first ||= turns
    last = turns
  }
  t.match(await askHouse(all, { onText, max: 1_000 }), { kind: 'answer', text: 'word '.repeat(600) })
  clearImmediate(immediate)
  const pieces = Math.floor((words.length * 600) / (8 * 1024))
  t.ok(last - first >= pieces / 2, `${last - first} turns of the event loop between ${pieces} pieces`)
})

function stream(response: ServerResponse): ServerResponse {
  return response.writeHead(200, { 'content-type': 'text/event-stream' })
}

function named(name: string) {
  return { ...call(0), function: { name, arguments: '{}' } }
}

/** A server that answers each question as a test says, with the means of Node alone. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HttpModels, type ModelAnswer, type ModelEntry, type ModelFailure } from '../../../actors/models/mod.ts'

type Handler = (response: ServerResponse, body: Record<string, unknown>, request: IncomingMessage) => unknown

export type ModelServer = {
  url: string
  /** Bodies of the questions, oldest first. */
  asked: Record<string, unknown>[]
  headers: IncomingMessage['headers'][]
  paths: string[]
  answer(handler: Handler): void
}

type Test = { teardown(end: () => unknown): void }

export async function modelServer(t: Test): Promise<ModelServer> {
  let handler: Handler = (response) => response.end(completion({}))
  const server: ModelServer = {
    url: '',
    asked: [],
    headers: [],
    paths: [],
    answer: (next) => {
      handler = next
    },
  }
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('latin1')
    const body = text.startsWith('{') ? JSON.parse(Buffer.concat(chunks).toString()) : { form: text }
    server.asked.push(body)
    server.headers.push(request.headers)
    server.paths.push(request.url ?? '')
    await handler(response, body, request)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    http.closeAllConnections()
    return new Promise((resolve) => http.close(resolve))
  })
  server.url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/v1`
  return server
}

export function entry(url: string, fields: Partial<ModelEntry> = {}): ModelEntry {
  return {
    name: 'house',
    url,
    key: 'sk-secret-of-the-house',
    model: 'provider-model',
    context: 8_000,
    max_output: 1_000,
    price: null,
    reads: ['text', 'image', 'audio', 'pdf'],
    query: {},
    headers: {},
    output_field: 'max_tokens',
    transcription: { url, key: 'sk-of-the-ear', model: 'ear' },
    ...fields,
  }
}

export function models(t: Test, entries: ModelEntry[], calls = 8): HttpModels {
  const all = new HttpModels({ entries, calls })
  t.teardown(() => all.close())
  return all
}

type Asked = {
  deadline_ms?: number
  onText?: (delta: string) => void
  text?: string
  signal?: AbortSignal
  max?: number
}

export function askHouse(all: HttpModels, asked: Asked = {}): Promise<ModelAnswer | ModelFailure> {
  const { deadline_ms = 60_000, onText, text = 'Hello', signal = new AbortController().signal, max = 100 } = asked
  const messages = [{ role: 'user' as const, parts: [{ type: 'text' as const, text }] }]
  const question = { model: 'house', messages, tools: [], max_output_tokens: max }
  return all.ask(question, { owner: 'project', signal, deadline_ms, ...(onText && { onText }) })
}

type Completion = { message?: object; finish_reason?: string | null; usage?: object | null; model?: string }

export function completion({ message, finish_reason = 'stop', usage, model = 'provider-model-7' }: Completion): string {
  return JSON.stringify({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_790_000_000,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: 'Good day', ...message }, finish_reason }],
    ...(usage !== null && { usage: usage ?? { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } }),
  })
}

export function event(delta: object, finish_reason: string | null = null): string {
  const choices = [{ index: 0, delta, finish_reason }]
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', model: 'provider-model-7', choices })}\n\n`
}

export const usageEvent = `data: ${JSON.stringify({ id: 'c', choices: [], usage: { prompt_tokens: 9, completion_tokens: 3 } })}\n\n`

/** A simulator with its model, asked by our client and by plain HTTP. */
import { HttpModels, type ModelMessage, type ModelQuestion } from '../../actors/models/mod.ts'
import { simulatedModel } from '../../http/app/demo/models.ts'
import { startSimulator } from '../../http/simulator/mod.ts'

export type Json = Record<string, unknown>

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
export const said = (text: string): ModelMessage => ({ role: 'user', parts: [{ type: 'text', text }] })

const signal = new AbortController().signal

type Answered = { status: number; body: Json }
type Test = { teardown(end: () => unknown): void }

export async function modelClient(t: Test) {
  const simulator = await startSimulator({ numbers: [] })
  t.teardown(() => simulator.close())
  const all = new HttpModels({ entries: [simulatedModel('simulated', simulator.url)], calls: 8 })
  t.teardown(() => all.close())
  const call = async (method: string, path: string, body?: unknown): Promise<Answered> => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const response = await fetch(`${simulator.url}/${path}`, { method, ...(text !== undefined && { body: text }) })
    return { status: response.status, body: (await response.json()) as Json }
  }
  const options = (deadline_ms = 60_000) => ({ owner: 'project', signal, deadline_ms })
  const question = (messages: ModelMessage[] | string): ModelQuestion => ({
    model: 'simulated',
    messages: typeof messages === 'string' ? [said(messages)] : messages,
    tools,
    max_output_tokens: 500,
  })
  return {
    call,
    chat: (body: unknown) => call('POST', 'models/v1/chat/completions', body),
    control: (method: string, path = '', body?: unknown) => call(method, `_control/model${path}`, body),
    ask: (messages: ModelMessage[] | string, deadline_ms?: number) => all.ask(question(messages), options(deadline_ms)),
    stream: (text: string) => all.ask(question(text), { ...options(), onText: () => undefined }),
    transcribe: (name = 'voice.ogg', model = 'simulated', data: Uint8Array = VOICE, deadline_ms?: number) =>
      all.transcribe({ model, data, media_type: 'audio/ogg', name }, options(deadline_ms)),
  }
}

export const VOICE = Buffer.from('OggS SAYS: Wo ist meine Bestellung?')

/** A simulated service of language models: OpenAI's chat completions and transcriptions under /models/v1. */
import { type Answer, ControlRefusal, ok, type SimulatorRequest } from '../answer.ts'
import type { ControlRoute } from '../control_route.ts'
import { CallLog } from './call_log.ts'
import { type ChatRequest, readChatRequest } from './chat_request.ts'
import { answerWith } from './completion.ts'
import { ModelError, refusal } from './errors.ts'
import { MagicWords } from './magic.ts'
import type { Reply } from './reply.ts'
import { Script } from './script.ts'
import { readRecording, transcriptOf } from './transcription.ts'

/** Any other name answers as well; these are listed. */
const LISTED = ['simulated', 'simulated-ear']
/** A model that its provider has taken away. */
const WITHDRAWN = 'withdrawn'
/** A key that is refused. */
const WRONG_KEY = 'Bearer wrong'

export class SimulatedModels {
  readonly #script = new Script()
  readonly #calls = new CallLog()
  readonly #magic = new MagicWords()
  readonly #now: () => number

  /** `now` in Unix milliseconds. */
  constructor(now: () => number) {
    this.#now = now
  }

  /** Undefined for paths that are not under /models/v1. */
  serve(request: SimulatorRequest): Answer | undefined {
    const [first, version, ...rest] = request.segments
    if (first !== 'models' || version !== 'v1') return undefined
    try {
      return this.#answer(rest.join('/'), request)
    } catch (error) {
      if (error instanceof ModelError) return error.toAnswer()
      throw error
    }
  }

  describe(): Record<string, unknown> {
    return { calls: this.#calls.total, script: this.#script.list().length }
  }

  get control(): ControlRoute[] {
    return [
      {
        method: 'POST',
        path: 'model',
        summary:
          'Prepares replies of the model: { script: [{ match?, operation?, answer | tool_calls | fault, retry_after?, delay_ms?, piece_ms?, usage?, times? }] }.',
        handle: (_request, body) => ok({ data: this.#script.add(body) }, 201),
      },
      {
        method: 'GET',
        path: 'model',
        summary: 'The prepared replies that were not given yet.',
        handle: () => ok({ data: this.#script.list() }),
      },
      {
        method: 'DELETE',
        path: 'model',
        summary: 'Forgets the prepared replies.',
        handle: () => ok({ removed: this.#script.clear() }),
      },
      {
        method: 'GET',
        path: 'model/calls',
        summary: 'The latest calls of the model with their bodies, oldest first; ?after= a sequence.',
        handle: ({ query }) => {
          const after = query.get('after') ?? '0'
          if (!/^\d{1,15}$/.test(after)) throw new ControlRefusal('after must be a whole number.')
          return ok({ total: this.#calls.total, data: this.#calls.list(Number(after)) })
        },
      },
      {
        method: 'DELETE',
        path: 'model/calls',
        summary: 'Forgets the calls of the model.',
        handle: () => ok({ removed: this.#calls.clear() }),
      },
    ]
  }

  #answer(path: string, request: SimulatorRequest): Answer {
    const { method } = request
    const expected = path === 'models' ? 'GET' : 'POST'
    if (!['models', 'chat/completions', 'audio/transcriptions'].includes(path))
      throw new ModelError(404, `Invalid URL (${method} /v1/${path})`)
    if (method !== expected) throw new ModelError(405, `Not allowed to ${method} on /v1/${path}.`)
    if (request.authorization === WRONG_KEY) throw refusal(401)
    if (path === 'models') return this.#list()
    return path === 'chat/completions' ? this.#chat(request) : this.#transcribe(request)
  }

  #list(): Answer {
    const created = 1_790_000_000
    return ok({ object: 'list', data: LISTED.map((id) => ({ id, object: 'model', created, owned_by: 'simulator' })) })
  }

  #chat(request: SimulatorRequest): Answer {
    let chat: ChatRequest
    try {
      chat = readChatRequest(request.body)
      if (chat.model === WITHDRAWN) throw refusal(404)
    } catch (error) {
      this.#log('chat', '', String(error instanceof ModelError ? error.status : 500), textOrJson(request.body))
      throw error
    }
    const asked = chat.messages.findLast(({ role }) => role === 'user')?.text ?? ''
    const reply = this.#script.take('chat', asked) ?? this.#magic.replyTo(chat)
    const sequence = this.#log('chat', chat.model, outcomeOf(reply), textOrJson(request.body))
    return answerWith(reply, chat, sequence, Math.floor(this.#now() / 1000))
  }

  #transcribe(request: SimulatorRequest): Answer {
    const { text, ...recording } = readRecording(request)
    if (recording.model === WITHDRAWN) throw refusal(404)
    const reply = this.#script.take('transcription', recording.name)
    this.#log('transcription', recording.model, reply ? outcomeOf(reply) : 'answer', recording)
    return transcriptOf({ ...recording, text }, reply)
  }

  #log(operation: 'chat' | 'transcription', model: string, outcome: string, body: unknown): number {
    return this.#calls.add({ at: new Date(this.#now()).toISOString(), operation, model, outcome, body })
  }
}

function outcomeOf({ fault, tool_calls }: Reply): string {
  if (fault) return fault.kind === 'status' ? String(fault.status) : fault.kind
  return tool_calls.length > 0 ? 'tool_calls' : 'answer'
}

function textOrJson(body: Buffer): unknown {
  const text = body.toString()
  try {
    return JSON.parse(text)
  } catch {
    return text.slice(0, 1000)
  }
}

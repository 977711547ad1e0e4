import { getCACertificates } from 'node:tls'
import { Agent, type Dispatcher } from 'undici'
import { FairSlots } from '../../runtime/mod.ts'
import { bytesOfFiles, HEAVY_BYTES, problemOfQuestion, problemOfRecording } from './bounds.ts'
import { ModelCall } from './call.ts'
import { ask } from './chat.ts'
import { priceOf } from './cost.ts'
import { type ModelEntry, secretsOf } from './entry.ts'
import { failure, failureOf, type Secrets } from './failures.ts'
import type {
  CallOptions,
  ModelAnswer,
  ModelDescription,
  ModelFailure,
  ModelQuestion,
  ModelRecording,
  Models,
  ModelTranscript,
} from './model.ts'
import { transcribe } from './transcription.ts'

export type HttpModelsOptions = {
  /** The models, in the operator's order. */
  entries: readonly ModelEntry[]
  /** Calls of this node at once. */
  calls: number
  /** Certificate authorities in addition to those of the system. */
  certificates?: readonly string[]
  /** A restored database asks nobody until its operator resumes it. */
  isQuiet?: () => boolean
}

const BUSY = 'This node asks models too much at once; the question waited in vain.'
/** Calls of a node at once that have files, which are in memory with them, and those among them whose files are large. */
const FILE_CALLS = 64
const HEAVY_CALLS = 4
/** Share of its deadline that a call needs for the model, after its wait. With less it would be paid for in vain. */
const LEAST_SHARE = 1 / 4
/** Calls that wait for a place on a node. More are `busy` at once. */
const MAX_WAITING = 10_000

/**
 * Models behind OpenAI-compatible APIs. The addresses are the operator's, so the guard for addresses of tenants does not
 * apply. No redirect is followed, and nothing is repeated.
 */
export class HttpModels implements Models {
  readonly names: readonly string[]
  readonly #entries: ReadonlyMap<string, ModelEntry>
  readonly #dispatcher: Dispatcher
  readonly #slots: FairSlots
  readonly #file_slots: FairSlots
  readonly #heavy_slots: FairSlots
  readonly #isQuiet: () => boolean
  readonly #closing = new AbortController()

  constructor({ entries, calls, certificates = [], isQuiet = () => false }: HttpModelsOptions) {
    this.#isQuiet = isQuiet
    this.names = entries.map(({ name }) => name)
    this.#entries = new Map(entries.map((entry) => [entry.name, entry]))
    // An owner with slow models leaves the others a quarter of the places.
    const fair = (slots: number) =>
      new FairSlots(slots, { max_of_one: Math.ceil((slots * 3) / 4), max_waiting: MAX_WAITING })
    this.#slots = fair(calls)
    this.#file_slots = fair(FILE_CALLS)
    this.#heavy_slots = fair(HEAVY_CALLS)
    this.#dispatcher = new Agent({
      allowH2: false,
      connections: calls,
      pipelining: 1,
      keepAliveTimeout: 4_000,
      connect: certificates.length > 0 ? { ca: [...getCACertificates('default'), ...certificates] } : {},
    })
  }

  find(name: string): ModelDescription | undefined {
    const entry = this.#entries.get(name)
    if (!entry) return undefined
    const { context, max_output, reads, price, transcription } = entry
    return { name, context, max_output, reads, price: price && priceOf(price), transcribes: transcription !== null }
  }

  async ask(
    question: ModelQuestion,
    options: CallOptions & { onText?: (delta: string) => void },
  ): Promise<ModelAnswer | ModelFailure> {
    const entry = this.#entries.get(question.model)
    if (!entry) return failure('unknown_model', `This node has no model ${question.model}.`)
    const problem = problemOfQuestion(question, entry)
    if (problem) return failure('unreadable', problem)
    const max_output_tokens = Math.min(question.max_output_tokens, entry.max_output)
    const dispatcher = this.#dispatcher
    return this.#call(options, secretsOf(entry), bytesOfFiles(question), (call) =>
      ask({ dispatcher, entry, question: { ...question, max_output_tokens }, call }, options.onText),
    )
  }

  async transcribe(recording: ModelRecording, options: CallOptions): Promise<ModelTranscript | ModelFailure> {
    const entry = this.#entries.get(recording.model)?.transcription
    if (!entry) return failure('unknown_model', `The model ${recording.model} has no service that transcribes.`)
    const problem = problemOfRecording(recording)
    if (problem) return failure('unreadable', problem)
    return this.#call(options, secretsOf(entry), recording.data.length, (call) =>
      transcribe(this.#dispatcher, entry, recording, call),
    )
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#dispatcher.destroy()
  }

  async #call<Answer>(
    options: CallOptions,
    secrets: Secrets,
    file_bytes: number,
    run: (call: ModelCall) => Promise<Answer | ModelFailure>,
  ): Promise<Answer | ModelFailure> {
    if (this.#isQuiet()) return failure('unavailable', 'This cluster is quiet: no model is asked until it is resumed.')
    const call = new ModelCall(options, this.#closing.signal)
    const held: (() => void)[] = []
    try {
      const refusal = await this.#wait(call, options, file_bytes, held)
      return refusal ?? (await run(call))
    } catch {
      return failureOf(call, secrets)
    } finally {
      for (const free of held) free()
      call.release()
    }
  }

  /** Waits for the places of a call, which come into `held`. */
  async #wait(
    call: ModelCall,
    { owner, deadline_ms }: CallOptions,
    file_bytes: number,
    held: (() => void)[],
  ): Promise<ModelFailure | undefined> {
    try {
      if (file_bytes >= HEAVY_BYTES) held.push(await this.#heavy_slots.take(owner, call.signal))
      if (file_bytes > 0) held.push(await this.#file_slots.take(owner, call.signal))
      held.push(await this.#slots.take(owner, call.signal))
    } catch {
      if (call.signal.aborted && !call.is_late) return failure('aborted', 'The call was ended before it began.')
      return failure('busy', BUSY)
    }
    return call.left_ms < deadline_ms * LEAST_SHARE ? failure('busy', BUSY) : undefined
  }
}

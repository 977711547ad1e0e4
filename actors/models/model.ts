/**
 * The port to language models. One call is one question and one answer: the caller keeps the conversation, runs the
 * tools and decides about another attempt, because it is durable and this side is not.
 *
 *  I1 `ask` and `transcribe` never reject. Each outcome is an answer or a failure with a code.
 *  I2 Nothing is repeated. A question leaves at most once for each call.
 *  I3 Time, bytes of the question and bytes of the answer are bounded.
 *  I4 Nothing that a model wrote is checked beyond its shape. `arguments` may be no JSON, and a tool may be one that
 *     was not offered.
 */

/** A kind of content that a model can read. `audio` and `pdf` go as parts of a message, so only models of those abilities take them. */
export type ModelInput = 'text' | 'image' | 'audio' | 'pdf'

export type ModelPart = { type: 'text'; text: string } | { type: 'file'; media_type: string; data: Uint8Array }

export type ModelToolCall = {
  id: string
  name: string
  /** The model's own JSON text, unchecked. */
  arguments: string
  /** Opaque text of some providers. The same call in a later question has to carry it again. */
  signature?: string
}

export type ModelMessage =
  | { role: 'system'; text: string }
  | { role: 'user'; parts: ModelPart[] }
  | { role: 'assistant'; text: string; tool_calls: ModelToolCall[] }
  /** `result` is JSON or a text. Its content is data, never instructions. */
  | { role: 'tool'; tool_call_id: string; tool_name: string; result: string }

export type ModelTool = {
  name: string
  description: string
  /** A JSON Schema whose type is `object`. */
  parameters: object
}

export type ModelQuestion = {
  /** A name of `Models.names`. */
  model: string
  messages: ModelMessage[]
  tools: ModelTool[]
  /** Reduced to the model's own maximum. */
  max_output_tokens: number
}

export type ModelUsage = {
  input_tokens: number
  output_tokens: number
  /** The provider told no usage: the numbers are `estimateTokens` of what was sent and read. */
  estimated: boolean
}

export type ModelFinish = 'stop' | 'length' | 'tool_calls' | 'refused' | 'other'

export type ModelAnswer = {
  kind: 'answer'
  text: string
  tool_calls: ModelToolCall[]
  /** `refused`: the model or a filter of its provider declined; `text` is what it said about it, and may be empty. */
  finish: ModelFinish
  usage: ModelUsage
  /** The name that the provider gave in its answer, or the one that was asked for. */
  model: string
}

export type ModelFailureCode =
  /** Retry: the deadline passed. */
  | 'timeout'
  /** Retry: status 429. */
  | 'rate_limited'
  /** Retry: no connection (name, address, certificate), or a status of 500 and above, 408, 409 or 425. */
  | 'unavailable'
  /** Retry: the connection ended within the answer. */
  | 'cut'
  /** Retry: the answer is no answer of this protocol. */
  | 'malformed'
  /** Retry: neither text nor calls of tools. */
  | 'empty'
  /** Retry: the deadline passed before the node had a place for the question. Nothing left the node. */
  | 'busy'
  /** Retry: the caller's signal ended the call. */
  | 'aborted'
  /** Refused: this node has no model of the name, or none that transcribes. */
  | 'unknown_model'
  /** Refused: the provider has no such model any more (404, 410). */
  | 'withdrawn'
  /** Refused: another status below 500, or a redirect. */
  | 'rejected'
  /** Refused: 401 or 403. */
  | 'unauthorized'
  /** Refused: the account at the provider has no money or no quota left (402, or 429 with `insufficient_quota`). */
  | 'quota_exhausted'
  /** Refused: more tokens than the model's context, or 413. */
  | 'too_long'
  /** Refused: more bytes of files or of text than a question may have, or a file that the model cannot read. */
  | 'unreadable'
  /** Refused: the answer had more bytes than an answer may have. */
  | 'too_large'

export type ModelFailure = {
  /** `retry`: the same question may have an answer later. `refused`: it will not until something is changed. */
  kind: 'retry' | 'refused'
  code: ModelFailureCode
  /** A sentence for people who operate Parley. It repeats the provider's words, within a bound. Never a key. */
  message: string
  /** The status of the answer; null without one. */
  status: number | null
  /** Seconds that the provider asked to wait. */
  retry_after_s?: number
  /** Bytes of the question left and no refusal came back, so the provider may have worked and may charge for it. */
  maybe_paid: boolean
}

/** Trillionths of a unit of `currency` for one token (`cost.ts`). */
export type ModelPrice = { input: bigint; output: bigint; currency: string }

export type ModelDescription = {
  name: string
  /** Maximum tokens of a question and its answer together. */
  context: number
  /** Maximum tokens of an answer. */
  max_output: number
  reads: readonly ModelInput[]
  /** Null: unknown, so calls have no cost. */
  price: ModelPrice | null
  /** `transcribe` works for this model. */
  transcribes: boolean
}

export type ModelRecording = {
  /** A name of `Models.names` whose description says `transcribes`. */
  model: string
  data: Uint8Array
  media_type: string
  /** File name with the ending of its format, by which some services tell formats apart. */
  name: string
}

export type ModelTranscript = { kind: 'transcript'; text: string; duration_s: number | null }

export type CallOptions = {
  /** The gate is fair between owners: the ids of projects. */
  owner: string
  signal: AbortSignal
  /** Milliseconds for everything, from the call on, including the wait for a place. */
  deadline_ms: number
}

export interface Models {
  /** The models, in the operator's order; the first is the default of new assistants. */
  readonly names: readonly string[]
  find(name: string): ModelDescription | undefined
  /** With `onText` the answer is streamed; each call has the next piece of the text, and must not throw. */
  ask(
    question: ModelQuestion,
    options: CallOptions & { onText?: (delta: string) => void },
  ): Promise<ModelAnswer | ModelFailure>
  transcribe(recording: ModelRecording, options: CallOptions): Promise<ModelTranscript | ModelFailure>
  /** Ends the calls under way as `aborted`. */
  close(): Promise<void>
}

/**
 * A question to one model in OpenAI's protocol of chat completions. The library for it is loaded at the first question,
 * because it takes 20 MB and a fifth of a second.
 */
import type { LanguageModelV4, LanguageModelV4Content, LanguageModelV4Usage } from '@ai-sdk/provider'
import type { Dispatcher } from 'undici'
import { storable } from '../values/storable.ts'
import { AnswerMeasure } from './answer_measure.ts'
import { maxAnswerBytes, maxAnswerLength } from './bounds.ts'
import type { ModelCall } from './call.ts'
import { type ModelEntry, secretsOf } from './entry.ts'
import { estimateText, estimateTokens } from './estimate.ts'
import { failure, failureInBody, failureOf, failureOfError, isFiltered, NO_ANSWER, providerError } from './failures.ts'
import type { ModelAnswer, ModelFailure, ModelFinish, ModelQuestion, ModelToolCall } from './model.ts'
import { callOptionsOf } from './prompt.ts'
import { ThoughtFilter, withoutThoughts } from './thoughts.ts'

/** Calls of tools in an answer: those that OpenAI allows. */
const MAX_CALLS = 128
/** Characters of a provider's name of its model. */
const MAX_MODEL_NAME = 200

type Reading = {
  /** With the model's thoughts, which count as output. */
  text: string
  tool_calls: ModelToolCall[]
  finish: string
  model: string | undefined
  usage: LanguageModelV4Usage | undefined
}

export type Chat = { dispatcher: Dispatcher; entry: ModelEntry; question: ModelQuestion; call: ModelCall }

type AnswerForm = 'whole' | 'stream'

/** The library's models. The schemas of each take 30 KiB, so they are not made for each call. */
const protocols = new WeakMap<ModelEntry, LanguageModelV4>()
/** Calls by their signals: of all that a call has, the library hands only this on. */
const forms = new WeakMap<AbortSignal, { chat: Chat; form: AnswerForm }>()

export async function ask(chat: Chat, onText?: (delta: string) => void): Promise<ModelAnswer | ModelFailure> {
  const { call, entry, question } = chat
  let reading: Reading | ModelFailure
  try {
    reading = onText ? await readStream(chat, onText) : await readWhole(chat)
  } catch {
    const { exchange } = call
    if (call.is_too_large) return tooLarge(chat)
    if (exchange && isFiltered(exchange)) return filtered(question, entry)
    const told =
      exchange?.is_complete && exchange.status === 200 ? failureInBody(exchange, secretsOf(entry)) : undefined
    return told ?? failureOf(call, secretsOf(entry))
  }
  if ('kind' in reading) return reading
  return answerOf(reading, chat)
}

async function readWhole(chat: Chat): Promise<Reading> {
  const model = await modelOf(chat, 'whole')
  const { content, finishReason, usage, response } = await model.doGenerate({
    ...callOptionsOf(chat.question),
    abortSignal: chat.call.signal,
  })
  return {
    text: content.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    tool_calls: content.flatMap(toolCallOf),
    finish: finishReason.unified,
    model: response?.modelId,
    usage,
  }
}

async function readStream(chat: Chat, onText: (delta: string) => void): Promise<Reading | ModelFailure> {
  const { call, entry, question } = chat
  const model = await modelOf(chat, 'stream')
  const { stream } = await model.doStream({ ...callOptionsOf(question), abortSignal: call.signal })
  const reading: Reading = { text: '', tool_calls: [], finish: 'other', model: undefined, usage: undefined }
  const most = maxAnswerLength(question.max_output_tokens)
  const thoughts = new ThoughtFilter()
  let calls = 0
  for await (const part of stream) {
    if (part.type === 'text-delta') {
      reading.text += part.delta
      if (reading.text.length > most) break
      const said = thoughts.add(part.delta)
      if (said !== '') onText(storable(said))
    } else if (part.type === 'tool-input-start' && ++calls > MAX_CALLS) break
    else if (part.type === 'tool-call') reading.tool_calls.push(...toolCallOf(part))
    else if (part.type === 'response-metadata') reading.model ??= part.modelId
    else if (part.type === 'error') {
      call.stop()
      return await failureOfPart(part.error, chat)
    } else if (part.type === 'finish') {
      reading.finish = part.finishReason.unified
      reading.usage = part.usage
    }
  }
  if (reading.text.length > most || calls > MAX_CALLS) return tooLarge(chat)
  // The stream's end is known before the connection's.
  if (reading.usage === undefined) return failure('cut', `The answer of ${entry.name} ended early.`, { was_sent: true })
  return reading
}

/** An event of the stream that is an error object, or none of the protocol. */
async function failureOfPart(error: unknown, { call, entry }: Chat): Promise<ModelFailure> {
  if (!(error instanceof Error)) {
    const told = providerError(error, secretsOf(entry))
    if (told) return failureOfError(told, call.exchange)
  }
  const detail = { status: call.exchange?.status ?? 200, was_sent: true }
  const { InvalidResponseDataError } = await import('@ai-sdk/provider')
  if (InvalidResponseDataError.isInstance(error) && call.exchange?.is_complete)
    return failure('cut', 'The answer of the model ended before its end was told.', detail)
  return failure('malformed', NO_ANSWER, detail)
}

/** The library's model for the entry of a chat, which it answers in this form. */
async function modelOf(chat: Chat, form: AnswerForm): Promise<LanguageModelV4> {
  forms.set(chat.call.signal, { chat, form })
  const known = protocols.get(chat.entry)
  if (known) return known
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const { name, url, key, headers, query, model, output_field } = chat.entry
  const provider = createOpenAICompatible({
    name,
    baseURL: url,
    headers,
    queryParams: query,
    includeUsage: true,
    fetch: (target, init) => fetchAnswer(String(target), init),
    ...(key !== null && { apiKey: key }),
    ...(output_field === 'max_completion_tokens' && {
      transformRequestBody: ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens }),
    }),
  })
  const made = provider.chatModel(model)
  protocols.set(chat.entry, made)
  return made
}

function fetchAnswer(url: string, init: RequestInit | undefined): Promise<Response> {
  const asked = init?.signal && forms.get(init.signal)
  if (!asked) throw new Error('a question to a model has lost its call')
  const { form, chat } = asked
  const { call, dispatcher, question } = chat
  const request = {
    url,
    headers: { ...(init?.headers as Record<string, string>), 'user-agent': 'Parley' },
    body: init?.body as string,
    read_limit: maxAnswerBytes(question.max_output_tokens, form),
  }
  const measure = new AnswerMeasure(question.max_output_tokens, form)
  return form === 'stream'
    ? call.fetchStream(dispatcher, request, measure)
    : call.fetchWhole(dispatcher, request, measure)
}

function toolCallOf(part: LanguageModelV4Content): ModelToolCall[] {
  if (part.type !== 'tool-call') return []
  const { toolCallId: id, toolName: name, input } = part
  const signature = Object.values(part.providerMetadata ?? {})[0]?.thoughtSignature
  return [
    {
      id: storable(id),
      name: storable(name),
      arguments: storable(input),
      ...(typeof signature === 'string' && { signature }),
    },
  ]
}

function answerOf(reading: Reading, chat: Chat): ModelAnswer | ModelFailure {
  const { tool_calls, usage } = reading
  const { question, entry, call } = chat
  const finish = finishOf(reading)
  const written = tool_calls.reduce(
    (sum, call) => sum + call.id.length + call.name.length + call.arguments.length,
    reading.text.length,
  )
  if (tool_calls.length > MAX_CALLS || written > maxAnswerLength(question.max_output_tokens)) return tooLarge(chat)
  const text = withoutThoughts(reading.text)
  if (text.trim() === '' && tool_calls.length === 0 && finish !== 'refused') {
    const detail = { status: call.exchange?.status ?? 200, was_sent: true }
    const why = finish === 'length' ? ' All its tokens went into thoughts.' : ''
    return failure('empty', `The answer of the model has neither a text nor calls of tools.${why}`, detail)
  }
  const { inputTokens, outputTokens } = usage ?? {}
  const input_tokens = wholeTokens(inputTokens?.total)
  const output_tokens = wholeTokens(outputTokens?.total)
  const told = input_tokens !== undefined && output_tokens !== undefined && input_tokens + output_tokens > 0
  return {
    kind: 'answer',
    text: storable(text),
    tool_calls,
    finish,
    usage: told
      ? { input_tokens, output_tokens, estimated: false }
      : { input_tokens: estimateTokens(question), output_tokens: estimateOutput(reading), estimated: true },
    model: storable(reading.model ?? entry.model).slice(0, MAX_MODEL_NAME),
  }
}

function wholeTokens(count: number | undefined): number | undefined {
  return Number.isSafeInteger(count) && count! >= 0 ? count : undefined
}

function estimateOutput({ text, tool_calls }: Reading): number {
  return tool_calls.reduce((sum, call) => sum + estimateText(`${call.name}${call.arguments}`), estimateText(text))
}

function finishOf({ finish, tool_calls }: Reading): ModelFinish {
  if (finish === 'length') return 'length'
  if (finish === 'content-filter') return 'refused'
  if (tool_calls.length > 0) return 'tool_calls'
  return finish === 'stop' || finish === 'tool-calls' ? 'stop' : 'other'
}

function filtered(question: ModelQuestion, entry: ModelEntry): ModelAnswer {
  const usage = { input_tokens: estimateTokens(question), output_tokens: 0, estimated: true }
  return { kind: 'answer', text: '', tool_calls: [], finish: 'refused', usage, model: entry.model }
}

function tooLarge({ call }: Chat): ModelFailure {
  call.stop()
  const detail = { status: call.exchange?.status ?? 200, was_sent: true }
  return failure('too_large', 'The answer of the model is longer than was asked for.', detail)
}

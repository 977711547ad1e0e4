/** The answers of POST /chat/completions: whole ones, and streams of events. */
import type { Answer } from '../answer.ts'
import { type ChatRequest, promptTokens } from './chat_request.ts'
import { ModelError, refusal } from './errors.ts'
import type { Reply } from './reply.ts'

/** Characters of a token. */
const TOKEN = 4
/** Characters of a text, and of arguments, in one event. */
const PIECE = 12

type Finished = {
  text: string | null
  refusal: string | null
  tool_calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[]
  finish_reason: 'stop' | 'length' | 'tool_calls' | 'content_filter'
  usage: { prompt_tokens: number; completion_tokens: number; total_tokens: number } | null
}

/** `sequence` numbers the answers of this simulator; `created` in seconds since the epoch. */
export function answerWith(reply: Reply, request: ChatRequest, sequence: number, created: number): Answer {
  const answer = answerTo(reply, request, sequence, created)
  const { delay_ms, piece_ms } = reply
  return { ...answer, ...(delay_ms > 0 && { latency_ms: delay_ms }), ...(piece_ms > 0 && { piece_ms }) }
}

function answerTo(reply: Reply, request: ChatRequest, sequence: number, created: number): Answer {
  const { fault } = reply
  if (fault?.kind === 'status') return refusal(fault.status, fault.retry_after).toAnswer()
  if (fault?.kind === 'too_long')
    return new ModelError(400, "This model's maximum context length is 128000 tokens.", {
      code: 'context_length_exceeded',
      param: 'messages',
    }).toAnswer()
  if (fault?.kind === 'hang') return { status: 0, fate: 'hang' }
  const head = {
    id: `chatcmpl-simulated${sequence}`,
    created,
    model: request.model,
    system_fingerprint: 'fp_simulated',
  }
  const finished = finish(reply, request, sequence)
  return request.stream ? streamed(finished, reply, request, head) : whole(finished, reply, head)
}

function finish({ text, tool_calls, fault, usage }: Reply, request: ChatRequest, sequence: number): Finished {
  const most = request.max_tokens * TOKEN
  const kind = fault?.kind
  const shown = kind === 'empty' || kind === 'refuse' || kind === 'filter' ? '' : text
  const is_cut = shown !== null && shown.length > most
  const content = is_cut ? shown.slice(0, most) : shown
  const calls = tool_calls.map((call, at) => ({
    id: `call_${sequence}_${at}`,
    type: 'function' as const,
    function: call,
  }))
  const declined = kind === 'refuse' ? 'I’m sorry, but I cannot help with that.' : null
  const characters = calls.reduce(
    (sum, { function: own }) => sum + own.name.length + own.arguments.length,
    (content ?? declined ?? '').length,
  )
  const counted = usage ?? {
    prompt_tokens: promptTokens(request),
    completion_tokens: Math.max(1, Math.ceil(characters / TOKEN)),
  }
  const total_tokens = counted.prompt_tokens + counted.completion_tokens
  return {
    text: declined === null ? content : null,
    refusal: declined,
    tool_calls: calls,
    finish_reason: finishReason(calls.length > 0, is_cut, kind === 'filter'),
    usage: kind === 'no_usage' || usage === null ? null : { ...counted, total_tokens },
  }
}

function finishReason(has_calls: boolean, is_cut: boolean, is_filtered: boolean): Finished['finish_reason'] {
  if (is_filtered) return 'content_filter'
  if (has_calls) return 'tool_calls'
  return is_cut ? 'length' : 'stop'
}

type Head = { id: string; created: number; model: string; system_fingerprint: string }

function whole({ text, refusal, tool_calls, finish_reason, usage }: Finished, { fault }: Reply, head: Head): Answer {
  const message = { role: 'assistant', content: text, refusal, ...(tool_calls.length > 0 && { tool_calls }) }
  const choices = [{ index: 0, message, logprobs: null, finish_reason }]
  const body = { object: 'chat.completion', ...head, choices, ...(usage && { usage }) }
  if (fault?.kind !== 'cut' && fault?.kind !== 'broken' && fault?.kind !== 'endless') return { status: 200, body }
  const json = JSON.stringify(body)
  const begin = json.slice(0, Math.floor(json.length / 2))
  const content_type = 'application/json'
  if (fault.kind === 'broken') return { status: 200, content_type, body: Buffer.from(begin) }
  if (fault.kind === 'cut') return { status: 200, content_type, stream: [begin], stream_end: 'reset' }
  return {
    status: 200,
    content_type,
    stream: forever(json.slice(0, json.indexOf('"content":"') + 11), 'word '.repeat(400)),
  }
}

function streamed(finished: Finished, { fault }: Reply, { include_usage }: ChatRequest, head: Head): Answer {
  const { text, refusal, tool_calls, finish_reason, usage } = finished
  const event = (delta: object, reason: string | null = null) => {
    const choices = [{ index: 0, delta, logprobs: null, finish_reason: reason }]
    return `data: ${JSON.stringify({ object: 'chat.completion.chunk', ...head, choices, ...(include_usage && { usage: null }) })}\n\n`
  }
  const events = [
    event({ role: 'assistant', content: text === null ? null : '', refusal: null }),
    ...pieces(text ?? '').map((content) => event({ content })),
    ...pieces(refusal ?? '').map((piece) => event({ refusal: piece })),
    ...tool_calls.flatMap(({ id, type, function: { name, arguments: all } }, index) => [
      event({ tool_calls: [{ index, id, type, function: { name, arguments: '' } }] }),
      ...pieces(all).map((piece) => event({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
  ]
  const answer = { status: 200, content_type: 'text/event-stream; charset=utf-8' }
  if (fault?.kind === 'endless')
    return { ...answer, stream: forever(events[0]!, event({ content: 'word '.repeat(20) })) }
  if (fault?.kind === 'cut')
    return { ...answer, stream: events.slice(0, Math.ceil(events.length / 2) + 1), stream_end: 'reset' }
  if (fault?.kind === 'broken') return { ...answer, stream: [events[0]!, 'data: {"id":"chatcmpl\n\n'] }
  const last = JSON.stringify({ object: 'chat.completion.chunk', ...head, choices: [], usage })
  const usage_event = include_usage && usage ? [`data: ${last}\n\n`] : []
  return { ...answer, stream: [...events, event({}, finish_reason), ...usage_event, 'data: [DONE]\n\n'] }
}

function pieces(text: string): string[] {
  const characters = Array.from(text)
  const count = Math.ceil(characters.length / PIECE)
  return Array.from({ length: count }, (_, at) => characters.slice(at * PIECE, (at + 1) * PIECE).join(''))
}

function* forever(first: string, next: string): Generator<string> {
  yield first
  for (;;) yield next
}

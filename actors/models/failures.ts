import { now } from '../../storage/mod.ts'
import { type Exchange, retryAfter } from '../outbound/mod.ts'
import { isObject } from '../values/is_object.ts'
import type { ModelCall } from './call.ts'
import type { ModelFailure, ModelFailureCode } from './model.ts'

/** Characters of a provider's words in a message. */
const MAX_WORDS = 300
/** Characters of them that are read: the longest secret at their end is found. */
const MAX_READ = 4_000
/** Seconds of `Retry-After` beyond which it is no hint any more. */
const MAX_PAUSE = 86_400

const RETRIED: ReadonlySet<ModelFailureCode> = new Set([
  ...(['timeout', 'rate_limited', 'unavailable', 'cut', 'malformed', 'empty', 'busy', 'aborted'] as const),
])

/** Outcomes after which the provider may have worked: the question was read, and not refused. */
const MAYBE_PAID: ReadonlySet<ModelFailureCode> = new Set([
  ...(['timeout', 'unavailable', 'cut', 'malformed', 'empty', 'aborted', 'too_large'] as const),
])

export const NO_ANSWER = 'The answer of the model is not in the form of OpenAI’s chat completions.'

/** Keys, and headers that may have some. */
export type Secrets = readonly string[]

type Detail = { status?: number | null; retry_after_s?: number | undefined; was_sent?: boolean }

export function failure(code: ModelFailureCode, message: string, detail: Detail = {}): ModelFailure {
  const { status = null, retry_after_s, was_sent = false } = detail
  return {
    kind: RETRIED.has(code) ? 'retry' : 'refused',
    code,
    message,
    status,
    ...(retry_after_s !== undefined && { retry_after_s }),
    maybe_paid: was_sent && MAYBE_PAID.has(code),
  }
}

/** The error object of OpenAI, which other providers copy more or less. */
export type ProviderError = { message: string; code: string }

/** The failure of a call by its exchange. `secrets` are never repeated. */
export function failureOf(call: ModelCall, secrets: Secrets): ModelFailure {
  const { exchange } = call
  if (!exchange) {
    if (call.has_head) {
      // The library gave up a stream that goes on.
      call.stop()
      return failure('malformed', NO_ANSWER, { status: 200, was_sent: true })
    }
    if (call.is_late) return failure('timeout', 'The time was over before the model was asked.')
    if (call.signal.aborted) return failure('aborted', 'The call was ended before the model was asked.')
    return failure('unavailable', 'The model could not be asked: the library for it could not make a request.')
  }
  const { status, was_sent, error, error_detail, is_complete } = exchange
  if (status !== null && (status < 200 || status > 299)) return refusalOf(exchange, errorIn(exchange.body, secrets))
  const detail = { status, was_sent }
  switch (error) {
    case null:
      if (!is_complete) return failure('too_large', 'The answer of the model has too many bytes.', detail)
      return failure('malformed', NO_ANSWER, detail)
    case 'timeout':
      return failure('timeout', 'The model did not answer in time.', detail)
    case 'aborted':
      if (call.is_late) return failure('timeout', 'The time was over before the model was asked.', detail)
      return failure('aborted', 'The call was ended.', detail)
    case 'invalid_response':
      return failure('malformed', 'The answer of the model is not HTTP.', detail)
    case 'connection_reset':
      if (was_sent) return failure('cut', 'The connection to the model ended within the answer.', detail)
      break
  }
  const reason = error_detail ?? error
  return failure('unavailable', `The model cannot be reached (${reason}).`, detail)
}

/** The failure of an error object in an answer with status 200, as gateways send it. Undefined without one. */
export function failureInBody(exchange: Exchange, secrets: Secrets): ModelFailure | undefined {
  const told = errorIn(exchange.body, secrets)
  return told && failureOfError(told, exchange)
}

/** The failure of an error object within a stream or an answer with status 200. Its code may be a status. */
export function failureOfError(told: ProviderError, exchange: Exchange | null): ModelFailure {
  const status = /^[45]\d\d$/.test(told.code) ? Number(told.code) : 500
  return refusalOf({ status, headers: exchange?.headers ?? {}, was_sent: true }, told)
}

function refusalOf(
  { status, headers, was_sent }: Pick<Exchange, 'headers' | 'was_sent'> & { status: number | null },
  told: ProviderError | undefined,
): ModelFailure {
  const code = codeOf(status ?? 0, told)
  const words = told?.message ? `: ${told.message}` : ''
  const detail = { status, was_sent, retry_after_s: pauseOf(headers) }
  return failure(
    code,
    `${SENTENCES[code] ?? 'The provider of the model refused the question'} (status ${status})${words}`,
    detail,
  )
}

const SENTENCES: Partial<Record<ModelFailureCode, string>> = {
  rate_limited: 'The provider of the model asks to wait',
  quota_exhausted: 'The account at the provider of the model has no money or quota left',
  unavailable: 'The provider of the model has a fault',
  unauthorized: 'The provider of the model does not accept the key',
  withdrawn: 'The provider does not have this model',
  too_long: 'The question is longer than the context of the model',
}

const TOO_LONG =
  /context.?length|context.?window|maximum context|too many tokens|prompt is too long|input is too long|token limit/i

function codeOf(status: number, told: ProviderError | undefined): ModelFailureCode {
  if (status === 429) return told?.code === 'insufficient_quota' ? 'quota_exhausted' : 'rate_limited'
  if (status >= 500 || status === 408 || status === 409 || status === 425) return 'unavailable'
  if (status === 401 || status === 403) return 'unauthorized'
  if (status === 402) return 'quota_exhausted'
  if (status === 404 || status === 410) return 'withdrawn'
  if (status === 413 || (told && TOO_LONG.test(`${told.code} ${told.message}`))) return 'too_long'
  return 'rejected'
}

/** OpenAI’s content filter at Azure refuses a question with 400 and this code. */
export function isFiltered(exchange: Exchange): boolean {
  return exchange.status === 400 && errorIn(exchange.body, [])?.code === 'content_filter'
}

function pauseOf(headers: Exchange['headers']): number | undefined {
  const ms = headers['retry-after-ms']
  const pause =
    typeof ms === 'string' && /^\d{1,9}$/.test(ms) ? Number(ms) / 1000 : retryAfter(headers['retry-after'], now())
  return pause === undefined ? undefined : Math.min(MAX_PAUSE, pause)
}

/** The error object of an answer: `{"error":{…}}`, `{"error":"…"}` or the first of a list of them. */
function errorIn(body: Buffer, secrets: Secrets): ProviderError | undefined {
  let value: unknown
  try {
    value = JSON.parse(body.toString())
  } catch {
    return undefined
  }
  const one = Array.isArray(value) ? value[0] : value
  return providerError(isObject(one) && 'error' in one ? one.error : undefined, secrets)
}

/** An error object of unknown form; undefined when there is none. */
export function providerError(value: unknown, secrets: Secrets): ProviderError | undefined {
  if (typeof value === 'string') return { message: wordsOf(value, secrets), code: '' }
  if (!isObject(value)) return undefined
  const { message, code, type } = value
  const known = typeof code === 'string' || typeof code === 'number' ? code : type
  return { message: wordsOf(String(message ?? ''), secrets), code: String(known ?? '') }
}

function wordsOf(text: string, secrets: Secrets): string {
  let words = text
    .slice(0, MAX_READ)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  for (const secret of secrets) words = words.replaceAll(secret, '…')
  // PostgreSQL stores no half of a character.
  return words.slice(0, MAX_WORDS).toWellFormed()
}

import type { Exchange } from '../../outbound/mod.ts'
import { retryAfter } from '../../outbound/mod.ts'
import { isObject, type Json, textOf } from '../json.ts'
import type { SendFailure } from '../provider.ts'

export type Verdict = Pick<SendFailure, 'kind' | 'scope'>

export const RETRY: Verdict = { kind: 'retry' }
export const REFUSE: Verdict = { kind: 'refuse' }
export const DISCONNECT: Verdict = { kind: 'disconnect' }
export const SLOW_CHANNEL: Verdict = { kind: 'slow_down', scope: 'channel' }
export const SLOW_RECIPIENT: Verdict = { kind: 'slow_down', scope: 'recipient' }

/** Meanings of the error codes of one of Meta's APIs; the HTTP status of an error is not reliable. */
export type Verdicts = ReadonlyMap<number, Verdict>

export function verdicts(rows: readonly [Verdict, readonly number[]][]): Verdicts {
  return new Map(rows.flatMap(([verdict, codes]) => codes.map((code) => [code, verdict] as const)))
}

const MAX_MESSAGE_LENGTH = 500

/** Classifies an exchange without a usable 2xx. `body` is its JSON, when it is JSON. `now` in milliseconds. */
export function graphFailure(answer: Exchange, body: unknown, known: Verdicts, now: number): SendFailure {
  const { status, headers } = answer
  if (status === null) return withoutAnswer(answer)
  const after = retryAfter(headers['retry-after'], now)
  const patience = after === undefined ? {} : { retry_after_s: after }
  const error = isObject(body) && isObject(body.error) ? body.error : undefined
  const code = Number(textOf(error?.code) ?? Number.NaN)
  if (error && Number.isInteger(code)) {
    const verdict = known.get(code) ?? ofUnlistedCode(code, status, error)
    return { ...verdict, code: String(code), message: messageOf(error), ...patience, maybe_accepted: false }
  }
  return { ...withoutError(status), ...patience }
}

/** Classifies an exchange without a status: a message that was not sent certainly did not arrive. */
export function withoutAnswer({ error, was_sent }: Exchange): SendFailure {
  const code = error ?? 'unknown'
  const message = was_sent
    ? `The provider was asked and did not answer: ${code}.`
    : `The provider could not be reached: ${code}.`
  if (was_sent) return { kind: 'unknown', code, message, maybe_accepted: true }
  return { kind: code === 'invalid_request' ? 'refuse' : 'retry', code, message, maybe_accepted: false }
}

/** A status without an error of the provider comes from an intermediary: the provider behind it may have taken the message. */
export function withoutError(status: number): SendFailure {
  const code = `http_${status}`
  const message = `The provider answered ${status} without saying why.`
  if (status === 429) return { ...SLOW_CHANNEL, code, message, maybe_accepted: false }
  // The server cannot handle requests at present (RFC 9110, 15.6.4).
  if (status === 503) return { ...RETRY, code, message, maybe_accepted: false }
  if (status >= 300 && status < 500 && status !== 408) return { ...REFUSE, code, message, maybe_accepted: false }
  return { kind: 'unknown', code, message, maybe_accepted: true }
}

function ofUnlistedCode(code: number, status: number, error: Json): Verdict {
  if (code >= 200 && code <= 299) return REFUSE
  if (status === 429) return SLOW_CHANNEL
  return error.is_transient === true || status >= 500 ? RETRY : REFUSE
}

/** Meta's message without its `(#131009)`, and with the details, which name the cause. */
export function messageOf(error: Json): string {
  const details = isObject(error.error_data) ? textOf(error.error_data.details) : null
  const said = textOf(error.message) ?? textOf(error.title) ?? 'The provider refused the message.'
  const message = said.replace(/^\(#\d+\)\s*/, '')
  return (details && details !== message ? `${message}: ${details}` : message).slice(0, MAX_MESSAGE_LENGTH)
}

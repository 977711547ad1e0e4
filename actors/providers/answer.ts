/** Common parts of calls to the providers' HTTP APIs. */
import type { Exchange } from '../outbound/mod.ts'
import type { SendFailure } from './provider.ts'

/** Maximum milliseconds of a send. Some providers fetch or convert a file before they answer. */
export const SEND_DEADLINE_MS = 20_000
/** Maximum milliseconds of calls that a person waits for. */
export const ASK_DEADLINE_MS = 5_000

/** `status`: null without an answer. */
export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300
}

/**
 * The earliest moment at which the provider can have executed the call, by the provider's own clock (Unix
 * milliseconds). Its `Date` header has whole seconds, rounded down. Without one our clock is used.
 */
export function doneAfter({ headers, duration_ms }: Pick<Exchange, 'headers' | 'duration_ms'>, now: number): number {
  const date = Date.parse(String(headers.date))
  return (Number.isNaN(date) ? now : date) - duration_ms
}

/** A successful answer without a readable result. */
export const UNREADABLE: SendFailure = {
  kind: 'unknown',
  code: 'invalid_response',
  message: 'The provider answered something that cannot be understood.',
  maybe_accepted: true,
}

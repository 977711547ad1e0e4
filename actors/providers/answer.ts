/** What calls of the providers' HTTP APIs have in common. */
import type { Exchange } from '../outbound/mod.ts'
import type { SendFailure } from './provider.ts'

/** Milliseconds a send may take in all. Some providers fetch or convert a file before they answer. */
export const SEND_DEADLINE_MS = 20_000
/** Milliseconds for what a person waits for. */
export const ASK_DEADLINE_MS = 5_000

/** `status`: null when no answer came. */
export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300
}

/**
 * The earliest moment at which the provider can have done what it answers, by the provider's own clock (Unix
 * milliseconds). Its `Date` header has whole seconds, rounded down. Without one our clock has to do.
 */
export function doneAfter({ headers, duration_ms }: Pick<Exchange, 'headers' | 'duration_ms'>, now: number): number {
  const date = Date.parse(String(headers.date))
  return (Number.isNaN(date) ? now : date) - duration_ms
}

/** An answer that says yes, and not to what. */
export const UNREADABLE: SendFailure = {
  kind: 'unknown',
  code: 'invalid_response',
  message: 'The provider answered something that cannot be understood.',
  maybe_accepted: true,
}

/** What calls of the providers' HTTP APIs have in common. */
import type { Failure } from './provider.ts'

/** Milliseconds a send may take in all. Some providers fetch or convert a file before they answer. */
export const SEND_DEADLINE_MS = 20_000
/** Milliseconds for what a person waits for. */
export const ASK_DEADLINE_MS = 5_000

/** `status`: null when no answer came. */
export function isSuccess(status: number | null): boolean {
  return status !== null && status >= 200 && status < 300
}

/** An answer that says yes, and not to what. */
export const UNREADABLE: Failure = {
  kind: 'unknown',
  code: 'invalid_response',
  message: 'The provider answered something that cannot be understood.',
  maybe_accepted: true,
}

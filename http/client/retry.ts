/** Decides about repeated attempts. */
import { ApiError, ConnectionError } from './errors.ts'

/** Time and chance, so that tests can turn them. */
export type Clock = {
  /** Milliseconds of a clock that never goes back. */
  now(): number
  /** Ends early, without an error, when the signal is aborted. */
  sleep(ms: number, signal: AbortSignal | undefined): Promise<void>
  /** At least 0, less than 1. */
  random(): number
}

export const clock: Clock = {
  now: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      signal?.addEventListener('abort', end)
    }),
}

const FIRST_MS = 500
const MAX_MS = 8000

/** Statuses of a server or a proxy that may answer otherwise in a moment. */
const PASSING = new Set([429, 502, 503, 504])

/**
 * Codes that pass by themselves: the answer to a repetition that overtook its first attempt, and to a message that
 * quotes one which is still queued.
 */
const PASSING_CODES: ReadonlySet<string> = new Set(['IDEMPOTENCY_IN_PROGRESS', 'MESSAGE_NOT_SENT_YET'])

/** True when a repetition may help. */
export function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  return error instanceof ApiError && (PASSING.has(error.status) || PASSING_CODES.has(error.code))
}

/**
 * Milliseconds before the next attempt. The server's own time counts, plus up to a tenth, so that clients which were
 * refused together do not come back together. Without one, the wait doubles with each attempt, by half at random.
 */
export function delayBefore(attempt: number, error: unknown, random: number): number {
  const asked_s = error instanceof ApiError ? error.retry_after_s : undefined
  if (asked_s !== undefined) return asked_s * 1000 * (1 + random / 10)
  const whole = Math.min(MAX_MS, FIRST_MS * 2 ** (attempt - 1))
  return whole * (0.5 + random / 2)
}

/** Seconds of a `Retry-After` header: a number, or a date against the `Date` of the same answer. */
export function retryAfterOf(headers: Headers): number | undefined {
  const text = headers.get('retry-after')
  if (text === null || text.trim() === '') return undefined
  const seconds = Number(text)
  if (Number.isFinite(seconds)) return Math.max(0, seconds)
  const wait_ms = Date.parse(text) - Date.parse(headers.get('date') ?? '')
  return Number.isFinite(wait_ms) ? Math.max(0, wait_ms / 1000) : undefined
}

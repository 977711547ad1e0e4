/**
 * The send rate of a receiver. It falls when the receiver reports overload. While the receiver is down sending pauses:
 * then one attempt at a time finds out whether it is back, and waiting deliveries use up no attempts.
 */
import type { AttemptResult } from '../webhook/mod.ts'

export type Pace = {
  /** Current maximum of requests in flight; at most the subscription's own `concurrency`. */
  limit: number
  /** Consecutive failures, of any deliveries. */
  failures: number
  /** Consecutive times it was found to be down. 0: it counts as up. */
  trips: number
  /** Sending is paused until then (milliseconds). */
  paused_until: number
}

export type PauseRange = { min_s: number; max_s: number }

/** Consecutive failures after which the receiver counts as down: more than one delivery's own attempts. */
const TRIP = 10
const MAX_S = 300
/** Deliveries started ahead, in flight or waiting for a slot, as a multiple of the concurrency. */
const AHEAD = 4

/** The pace of a healthy receiver. */
export function freshPace(): Pace {
  return { limit: Number.POSITIVE_INFINITY, failures: 0, trips: 0, paused_until: 0 }
}

/** Minimum and maximum pause for a receiver that is down: the first pauses of the schedule. */
export function pauseRange(schedule: readonly number[]): PauseRange {
  const min_s = schedule[1] ?? 5
  return { min_s, max_s: Math.max(min_s, schedule[2] ?? MAX_S) }
}

/**
 * Number of deliveries that may be started now. For a healthy receiver several times its concurrency are started: the
 * others wait for the next slot (`slots.ts`), so that the receiver does not wait for a commit.
 */
export function room(pace: Pace, concurrency: number, running: number, now: number): number {
  if (pace.paused_until > now) return 0
  const limit = maxAtOnce(pace, concurrency)
  const is_at_its_best = pace.failures === 0 && limit === concurrency
  return Math.max(0, (is_at_its_best ? AHEAD * limit : limit) - running)
}

/** Current maximum of requests in flight. */
export function maxAtOnce(pace: Pace, concurrency: number): number {
  return pace.trips > 0 ? 1 : Math.min(pace.limit, concurrency)
}

/** Updates the pace with the end of an attempt. `random` returns 0 to 1. */
export function observe(
  pace: Pace,
  { outcome, status_code, retry_after_s }: Pick<AttemptResult, 'outcome' | 'status_code' | 'retry_after_s'>,
  circumstances: { now: number; concurrency: number; pauses: PauseRange; random?: () => number },
): void {
  const { now, concurrency, pauses, random = Math.random } = circumstances
  if (outcome !== 'retryable') {
    pace.limit = pace.trips > 0 ? 1 : Math.min(pace.limit + 1, concurrency)
    pace.failures = 0
    pace.trips = 0
    return
  }
  if (status_code === 429 || status_code === 503) {
    pace.limit = Math.max(1, Math.floor(Math.min(pace.limit, concurrency) / 2))
    const patience_ms = Math.min(retry_after_s ?? 0, MAX_S) * 1000
    pace.paused_until = Math.max(pace.paused_until, now + patience_ms)
  }
  pace.failures++
  // Failures of attempts that were under way when it was found to be down are not new.
  const is_known = pace.trips > 0 && pace.paused_until > now
  if (is_known || (pace.trips === 0 && pace.failures < TRIP)) return
  const pause_s = Math.min(pauses.min_s * 2 ** pace.trips, pauses.max_s)
  pace.trips++
  pace.paused_until = Math.max(pace.paused_until, now + pause_s * (1 + 0.2 * random()) * 1000)
}

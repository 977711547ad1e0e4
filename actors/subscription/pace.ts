/**
 * How fast a receiver is sent to. It is asked for less when it says that it has too much, and left alone while it is
 * down: then one attempt at a time finds out whether it is back, and what waits does not use up its attempts.
 */
import type { AttemptResult } from '../webhook/mod.ts'

export type Pace = {
  /** Most requests in flight at present; at most the subscription's own `concurrency`. */
  limit: number
  /** Failures in a row, of whatever deliveries. */
  failures: number
  /** How often in a row it was found to be down. 0: it is believed to be up. */
  trips: number
  /** Nothing is sent before (milliseconds). */
  paused_until: number
}

export type PauseRange = { shortest_s: number; longest_s: number }

/** Failures in a row after which the receiver counts as down: more than one delivery's own attempts. */
const TRIP = 10
const LONGEST_S = 300
/** In flight and waiting for a slot, of what may be in flight. */
const AHEAD = 4

/** At the receiver's best. */
export function freshPace(): Pace {
  return { limit: Number.POSITIVE_INFINITY, failures: 0, trips: 0, paused_until: 0 }
}

/** How long a receiver that is down is left alone: as long as the first pauses of the schedule. */
export function pauseRange(schedule: readonly number[]): PauseRange {
  const shortest_s = schedule[1] ?? 5
  return { shortest_s, longest_s: Math.max(shortest_s, schedule[2] ?? LONGEST_S) }
}

/**
 * How many more may be started now. A receiver at its best gets several times what it may have at once: the others wait for
 * the next slot (`slots.ts`), so that it need not wait for a commit.
 */
export function room(pace: Pace, concurrency: number, running: number, now: number): number {
  if (pace.paused_until > now) return 0
  const limit = mostAtOnce(pace, concurrency)
  const is_at_its_best = pace.failures === 0 && limit === concurrency
  return Math.max(0, (is_at_its_best ? AHEAD * limit : limit) - running)
}

/** Requests in flight at present. */
export function mostAtOnce(pace: Pace, concurrency: number): number {
  return pace.trips > 0 ? 1 : Math.min(pace.limit, concurrency)
}

/** Learns from the end of an attempt. `random` answers 0 to 1. */
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
    const patience_ms = Math.min(retry_after_s ?? 0, LONGEST_S) * 1000
    pace.paused_until = Math.max(pace.paused_until, now + patience_ms)
  }
  pace.failures++
  // Those that were on their way when it was found to be down say nothing new.
  const is_known = pace.trips > 0 && pace.paused_until > now
  if (is_known || (pace.trips === 0 && pace.failures < TRIP)) return
  const pause_s = Math.min(pauses.shortest_s * 2 ** pace.trips, pauses.longest_s)
  pace.trips++
  pace.paused_until = Math.max(pace.paused_until, now + pause_s * (1 + 0.2 * random()) * 1000)
}

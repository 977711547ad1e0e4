/** Seconds before each attempt, the first included (decisions of the service; `PARLEY_WEBHOOK_SCHEDULE`). */
const DEFAULT_SCHEDULE: readonly number[] = [0, 5, 300, 1_800, 7_200]

const JITTER = 0.2
/** A receiver may ask for patience, but not for longer than its events are worth keeping. */
const MAX_RETRY_AFTER_S = 86_400

/**
 * The due time of attempt `attempt_number` (from 1), counted from `now`, or undefined when the schedule has no such
 * attempt. Every pause is 0–20 % longer than scheduled, so that deliveries that failed together do not come back
 * together; `retry_after_s` is a minimum. `random` returns 0 to 1.
 */
export function nextAttemptAt(
  attempt_number: number,
  now: Date,
  schedule: readonly number[] = DEFAULT_SCHEDULE,
  retry_after_s = 0,
  random: () => number = Math.random,
): Date | undefined {
  const pause_s = schedule[attempt_number - 1]
  if (pause_s === undefined) return undefined
  const floor_s = Math.min(retry_after_s, MAX_RETRY_AFTER_S)
  return new Date(now.getTime() + Math.ceil(Math.max(pause_s, floor_s) * (1 + JITTER * random()) * 1_000))
}

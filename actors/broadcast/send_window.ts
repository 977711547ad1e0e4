/**
 * Limits the part of a broadcast that is under way. Three bounds keep memory, outboxes and the channel's queue small,
 * let single sends find room between slices, and leave a cancellation little that still goes out:
 *
 * - one slice at a time is on its way to the project;
 * - the recipients taken up without the provider's answer are limited: few at first, and more with each answer, as the
 *   window of a TCP connection grows, up to `WINDOW`;
 * - a slice holds the recipients answered in a twentieth of a second. A number with a slow pace needs no larger ones,
 *   each of which makes all others wait for a moment.
 *
 * While other work is waiting on the node, slices are small, and all bulk sends of the node share a rate (`bulk_rate.ts`,
 * `bulk_queue.ts`), because they are not urgent.
 */
import { type Broadcast, SLICE } from '../../storage/mod.ts'

/** A few seconds of a number's usual pace; at 50 ms from slice to answer it allows 8000 a second. */
export const WINDOW = 400

/**
 * Recipients whose messages the project creates in one turn, of all its broadcasts together. They share the cost of a
 * turn and its commit: a recipient takes a third less CPU than with 50 and half as many calls under way.
 */
const SHARED = 100

/** Window before the first answer. */
const FIRST = 40

/** Recipients in a slice while other work is waiting. */
export const MODEST_SLICE = 25

/** Time over which the pace is measured: several slices. */
const MEASURED_MS = 200

/** Smallest share that is worth a turn, for any number of broadcasts. */
export const MIN = 10

/** Recipients taken up and not answered. */
export function underWay({ pending_count, total, taken_up }: Broadcast): number {
  return pending_count - (total - taken_up)
}

/** First index of the slice that holds the next recipient. */
export function nextSlice({ taken_up }: Broadcast): number {
  return taken_up - (taken_up % SLICE)
}

/** Maximum recipients under way. */
export function windowOf(row: Broadcast): number {
  const answered = row.taken_up - underWay(row)
  return Math.min(WINDOW, FIRST + 2 * answered)
}

/** Number of recipients that may be taken up now: a whole share, the rest of the slice, or none. */
export function room(row: Broadcast, share: number): number {
  if (row.status !== 'sending' || row.handed_on < row.taken_up) return 0
  const window = windowOf(row)
  const size = Math.min(share, window / 2, nextSlice(row) + SLICE - row.taken_up, row.total - row.taken_up)
  return underWay(row) + size <= window ? size : 0
}

/** The rate at which recipients are answered, measured repeatedly. In memory: without a measurement shares are larger. */
export class Pace {
  /** Infinite until it is measured. */
  per_second = Number.POSITIVE_INFINITY
  #answered = 0
  #since: number | undefined

  /** Counts answered recipients; `now` in milliseconds. */
  note(answered: number, now: number): void {
    this.#since ??= now
    this.#answered += answered
    const elapsed_ms = now - this.#since
    if (elapsed_ms < MEASURED_MS) return
    this.per_second = (this.#answered * 1000) / elapsed_ms
    this.#answered = 0
    this.#since = now
  }
}

/** The share of one of `together` broadcasts, at this pace. */
export function shareOf(together: number, per_second: number): number {
  return Math.max(MIN, Math.min(Math.ceil(per_second / 20), Math.floor(SHARED / Math.max(1, together))))
}

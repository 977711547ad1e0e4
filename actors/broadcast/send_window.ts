/**
 * How much of a broadcast is under way. Three bounds, so that memory, outboxes and the channel's queue stay small, single
 * sends find room between slices, and a cancellation leaves little that still goes out:
 *
 * - one slice at a time is on its way to the project;
 * - so many recipients were taken up and have no answer of the provider yet: few at first, and more with each answer, as
 *   the window of a TCP connection grows, up to `WINDOW`;
 * - a slice holds what is answered in a twentieth of a second. A number with a slow pace needs no large ones, each of which
 *   is a moment in which everybody else waits.
 *
 * While somebody on the node waits for something else, all bulk sends of the node together go at a modest pace: they are
 * never in a hurry.
 */
import { type Broadcast, SLICE } from '../../storage/mod.ts'

/** A few seconds of a number's usual pace; at 50 ms from slice to answer it lets 8000 a second pass. */
export const WINDOW = 400

/**
 * Recipients that the project makes messages for in one turn, of all its broadcasts together. What a turn and its commit
 * cost is shared by them: a recipient takes a third less CPU than with 50 and half as many calls under way.
 */
const SHARED = 100

/** Under way while nothing was answered. */
const FIRST = 40

/** While others are waited for: recipients in a slice, and of all broadcasts of a node in a second. */
export const MODEST_SLICE = 25
const MODEST_PER_SECOND = 200

/** Time over which the pace is measured: several slices. */
const MEASURED_MS = 200

/** A share that is worth a turn, however many broadcasts there are. */
export const LEAST = 10

/** Taken up, and not answered. */
export function underWay({ pending_count, total, taken_up }: Broadcast): number {
  return pending_count - (total - taken_up)
}

/** Where the slice begins that holds the next recipient. */
export function nextSlice({ taken_up }: Broadcast): number {
  return taken_up - (taken_up % SLICE)
}

/** How many may be under way. */
export function windowOf(row: Broadcast): number {
  const answered = row.taken_up - underWay(row)
  return Math.min(WINDOW, FIRST + 2 * answered)
}

/** How many more may be taken up now: a whole share, what is left of the slice, or none. */
export function room(row: Broadcast, share: number): number {
  if (row.status !== 'sending' || row.handed_on < row.taken_up) return 0
  const window = windowOf(row)
  const size = Math.min(share, window / 2, nextSlice(row) + SLICE - row.taken_up, row.total - row.taken_up)
  return underWay(row) + size <= window ? size : 0
}

/** How fast recipients are answered, measured anew from time to time. In memory: what it does not know makes shares larger. */
export class Pace {
  /** Infinite until it is known. */
  per_second = Number.POSITIVE_INFINITY
  #answered = 0
  #since: number | undefined

  /** So many were answered (milliseconds). */
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

/** The share of a broadcast that is one of so many, at this pace. */
export function shareOf(together: number, per_second: number): number {
  return Math.max(LEAST, Math.min(Math.ceil(per_second / 20), Math.floor(SHARED / Math.max(1, together))))
}

/** How long a modest broadcast waits after it took so many up (milliseconds), being one of so many. */
export function modestWait(size: number, together: number): number {
  return (1000 * size * Math.max(1, together)) / MODEST_PER_SECOND
}

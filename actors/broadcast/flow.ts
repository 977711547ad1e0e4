/**
 * How much of a broadcast is under way. Two bounds, so that memory, outboxes and the channel's queue stay small, single
 * sends of the project find room between slices, and a cancellation leaves little that still goes out:
 *
 * - one slice at a time is on its way to the project;
 * - at most `WINDOW` recipients were taken up and have no answer of the provider yet.
 */
import { type Broadcast, SLICE } from '../../storage/mod.ts'

/** A few seconds of a number's usual pace; at 50 ms from slice to answer it lets 8000 a second pass. */
export const WINDOW = 400

/**
 * Recipients that the project makes messages for in one turn, of all its broadcasts together. With 100 a broadcast is no
 * faster (5000 in 5.4 s, as with 50; 8.1 s with 25), and single sends of the project wait longer behind them.
 */
const SHARED = 100

/** A share that is worth a turn, however many broadcasts a project has. */
const LEAST = 10

/** Taken up, and not answered. */
export function underWay({ pending_count, total, taken_up }: Broadcast): number {
  return pending_count - (total - taken_up)
}

/** Where the slice begins that holds the next recipient. */
export function nextSlice({ taken_up }: Broadcast): number {
  return taken_up - (taken_up % SLICE)
}

/** How many more may be taken up now: a whole share, what is left of the slice, or none. */
export function room(row: Broadcast, share: number): number {
  if (row.status !== 'sending' || row.handed_on < row.taken_up) return 0
  const size = Math.min(share, nextSlice(row) + SLICE - row.taken_up, row.total - row.taken_up)
  return underWay(row) + size <= WINDOW ? size : 0
}

/** The share of a broadcast, when so many had a slice with the project at once. */
export function shareOf(together: number): number {
  return Math.max(LEAST, Math.floor(SHARED / Math.max(1, together)))
}

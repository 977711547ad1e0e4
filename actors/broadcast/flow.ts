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
 * Recipients that the project makes messages for in one turn, of all its broadcasts together. What a turn and its commit
 * cost is shared by them: a recipient takes a third less CPU than with 50 and half as many calls under way.
 */
const SHARED = 100

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

/** How many more may be taken up now: a whole share, what is left of the slice, or none. */
export function room(row: Broadcast, share: number): number {
  if (row.status !== 'sending' || row.handed_on < row.taken_up) return 0
  const size = Math.min(share, nextSlice(row) + SLICE - row.taken_up, row.total - row.taken_up)
  return underWay(row) + size <= WINDOW ? size : 0
}

/**
 * The share of a broadcast that is one of so many. It begins with a small one that doubles, so that of many that begin at
 * once the first does not take all before the others are counted.
 */
export function shareOf(together: number, taken_up: number): number {
  return Math.max(LEAST, Math.min(taken_up, Math.floor(SHARED / Math.max(1, together))))
}

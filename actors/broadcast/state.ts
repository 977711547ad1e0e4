/** The state of a broadcast on the node that owns it. */
import type { Turn } from '../../runtime/mod.ts'
import type { Broadcast, BroadcastSlice } from '../../storage/mod.ts'
import { Pace } from './send_window.ts'

export type BroadcastState = {
  /** Null when there is no such broadcast. */
  row: Broadcast | null
  pace: Pace
  /** Broadcasts whose slices the project had in the turn in which it last took one of this broadcast. */
  together: number
  /** Paused: the time of the next try (`performance.now()`). */
  retry_at: number
  /** The last state published to watchers, and its time (`performance.now()`). */
  display: { status: string; at: number } | undefined
}

export type Records = {
  slice: BroadcastSlice | null
  /** Ids of messages without an answer, for a cancellation. */
  pending: string[]
}
export type BroadcastTurn = Turn<BroadcastState, Records>

/** `row`: null when there is no such broadcast. */
export function fresh(row: Broadcast | null): BroadcastState {
  return { row, pace: new Pace(), together: 1, retry_at: 0, display: undefined }
}

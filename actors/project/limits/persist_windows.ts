import { RateWindow } from '../../../storage/mod.ts'
import type { Receiver } from '../turn/feature.ts'

const PERSIST_MS = 1000
const persist = { type: 'persist_windows' }

/** Schedules writing the rate windows to the database. One write covers many requests. */
export function persistSoon(turn: { soon(ms: number, message: { type: string }): void }): void {
  turn.soon(PERSIST_MS, persist)
}

/** To itself: stores the counts of the rate windows. */
export const persistWindows: Receiver<object> = {
  receive(turn) {
    if (turn.state.exists) turn.upsert(RateWindow, { project_id: turn.key, counts: turn.state.counts })
  },
}

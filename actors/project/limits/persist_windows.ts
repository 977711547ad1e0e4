import { RateWindow } from '../../../storage/mod.ts'
import type { Receiver } from '../turn/feature.ts'

const PERSIST_MS = 1000
const persist = { type: 'persist_windows' }

/** A request was counted: the windows are written behind, once for many requests. */
export function persistSoon(turn: { soon(ms: number, message: { type: string }): void }): void {
  turn.soon(PERSIST_MS, persist)
}

/** To itself: the counts of the rate windows are stored. */
export const persistWindows: Receiver<object> = {
  receive(turn) {
    if (turn.state.exists) turn.upsert(RateWindow, { project_id: turn.key, counts: turn.state.counts })
  },
}

/** The timer that brings the actor to the files that are to be fetched. It outlives the node. */
import type { ProjectTurn } from '../turn/turn.ts'

export const FETCH_TIMER = 'media_fetches'
/** Time after which another owner looks at what this one has begun, and at what it missed. */
export const LOOK_MS = 5_000

/** Has the actor look for fetches, now and if this node dies. */
export function runSoon(turn: ProjectTurn): void {
  turn.timer(FETCH_TIMER, new Date(turn.now.getTime() + LOOK_MS), { type: 'run_media_fetches' })
  turn.soon(0, { type: 'run_media_fetches' })
}

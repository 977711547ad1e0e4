import type { ProjectTurn } from '../turn/turn.ts'

const SYNC_MS = 6 * 3_600_000
const SPREAD = 0.2

/** Sets the durable timer for fetching all lists, one per project. */
export function syncIn(turn: ProjectTurn, ms = SYNC_MS): void {
  turn.timer('templates', new Date(turn.now.getTime() + ms * (1 + SPREAD * Math.random())), { type: 'sync_templates' })
}

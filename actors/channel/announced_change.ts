/**
 * Changes of a channel's row that were announced. Only the project publishes a status, after this actor has told it, and
 * the node that changes the row may die before it tells this actor.
 *
 *  N1 The operator API announces a change before it stores it. The announcement is a durable timer with the status that
 *     was published last, so it tells in any later state of this actor what subscribers know.
 *  N2 The turn that reads the changed row ends the announcement, and publishes the status if it is another one. So a
 *     repeated message about the change publishes nothing.
 *  N3 When no such message comes, the timer does the same, and tells the project to read the row as well.
 */
import type { ChannelStatus } from '../../storage/mod.ts'
import { type Announced, TIMER } from './announced.ts'
import type { ChannelTurn } from './protocol.ts'

/** Longer than a change with its check at the provider takes. */
const LATE_MS = 120_000

/** A change comes. An announcement that is under way knows what was published. */
export function announce(turn: ChannelTurn, project_id: string): void {
  const { announced, config } = turn.state
  set(turn, announced ?? { project_id, was: config?.status ?? 'unverified' })
}

/** The status is being published. */
export function published(turn: ChannelTurn, was: ChannelStatus): void {
  const { announced } = turn.state
  if (announced && announced.was !== was) set(turn, { ...announced, was })
}

/** Ends the announcement. Returns it, if there was one. */
export function endAnnouncement(turn: ChannelTurn): Announced | undefined {
  const { announced } = turn.state
  if (!announced) return undefined
  turn.state.announced = undefined
  turn.cancel(TIMER)
  return announced
}

function set(turn: ChannelTurn, announced: Announced): void {
  turn.state.announced = announced
  turn.timer(TIMER, new Date(turn.now.getTime() + LATE_MS), { type: 'refresh', late: announced })
}

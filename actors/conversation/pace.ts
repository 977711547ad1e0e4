/** The times of a conversation. Milliseconds, where nothing else is said. */
import type { ConversationState, CurrentTurn, Unanswered } from './state.ts'
import { joined } from './state.ts'

export type Waits = {
  /** The silence of the person after which a burst counts as over. */
  quiet_ms: number
  /** Maximum time from the first message of a burst to the question to the model. */
  gather_ms: number
  /** A call of the model. */
  model_ms: number
  /** All tools of one step. */
  tools_ms: number
  /** A whole turn, before it is left to people. */
  turn_ms: number
  /** The time between the deadline of a call and the moment at which its outcome counts as lost. */
  lost_ms: number
  /** The time between a conclusion and telling the project again. Doubles each time. */
  decide_ms: number
  /** The least time that another call is worth. */
  least_ms: number
  /** The pause before the second attempt, which doubles before each one after it. */
  retry_ms: number
  /** Maximum attempts of one step after the first. */
  retries: number
  /** A person who has waited for longer writes without a pause, and is answered beside what comes in. */
  steady_ms: number
}

export const waits: Waits = {
  quiet_ms: 1200,
  gather_ms: 6000,
  model_ms: 20_000,
  tools_ms: 20_000,
  turn_ms: 50_000,
  lost_ms: 2000,
  decide_ms: 60_000,
  least_ms: 3000,
  retry_ms: 500,
  retries: 3,
  steady_ms: 12_000,
}

/** A burst has at most this many messages; a person who goes on is answered in between. */
const MAX_BURST = 8

/** Unix milliseconds at which the model is asked. A clock that was set back puts it off no further than one silence. */
export function quietAt({ first_at, last_at }: Unanswered, now: number, { quiet_ms, gather_ms }: Waits): number {
  return Math.max(now, Math.min(last_at + quiet_ms, first_at + gather_ms, now + quiet_ms))
}

/** True for a person who writes on and on. */
export function isSteady({ first_at, count }: Unanswered, now: number, { steady_ms }: Waits): boolean {
  return count > MAX_BURST && now - first_at > steady_ms
}

/** True when the turn is about a conversation that has gone on since. */
export function isOutdated({ known, unanswered }: ConversationState, turn: CurrentTurn, now: number, waits: Waits) {
  const { seen } = turn
  if (!seen || !known) return false
  // The model may have read what is still to be told here.
  if (known.segment > seen.segment) return true
  return known.version > seen.version && !isSteady(joined(turn.unanswered, unanswered)!, now, waits)
}

/** The pause before another attempt, apart from those of others that failed at the same moment. */
export function retryPause(failures: number, retry_after_s: number | undefined, { retry_ms }: Waits): number {
  const pause_ms = retry_ms * 2 ** (failures - 1)
  return Math.max((retry_after_s ?? 0) * 1000, pause_ms) + Math.round(Math.random() * pause_ms)
}

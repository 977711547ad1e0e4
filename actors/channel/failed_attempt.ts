import { Dispatch } from '../../storage/mod.ts'
import { reasonOf, type SendFailure } from '../providers/mod.ts'
import type { CallbackWait } from './callback_wait.ts'
import { OwnTrouble } from './content_failure.ts'
import { endUnconfirmed, refuse, withdraw } from './ending.ts'
import { hadFormerCredentials, setStatus } from './health.ts'
import type { ChannelTurn } from './protocol.ts'
import type { Item } from './send_queue.ts'
import type { ChannelState } from './state.ts'

/** Maximum attempts of a message. */
export const MAX_ATTEMPTS = 8
const BACKOFF_MS = 1000
/** Maximum seconds of a provider's `Retry-After` that are kept: a wrong one would stop a channel for years. */
const MAX_RETRY_AFTER_S = 3600
const MAX_BACKOFF_MS = 60_000

/** A failed attempt leads to a doubt, another attempt later, or the end of the message. */
export function failed(
  turn: ChannelTurn,
  item: Item,
  failure: SendFailure,
  started_at: number,
  at: number,
  callback_wait: CallbackWait,
): void {
  const { state } = turn
  const { dispatch } = item
  const { kind } = failure
  const moment = performance.now()
  const last_error = { code: failure.code, message: failure.message }
  const is_own = failure.scope === 'message'
  if (is_own) item.own_trouble ??= new OwnTrouble(started_at || moment)
  // The provider was not called, so this failure says nothing about it.
  else if (kind === 'retry' || kind === 'unknown') {
    const pause_ms = state.breaker.failed(dispatch.recipient, started_at, moment)
    if (pause_ms !== undefined) pause(state, turn.now.getTime() + pause_ms)
  } else state.breaker.answered()
  if (failure.maybe_accepted) {
    if (callback_wait.settlesNothing(state)) {
      endUnconfirmed(turn, item, at)
      return
    }
    item.phase = 'doubtful'
    item.failure = failure
    dispatch.last_error = last_error
    turn.update(Dispatch, { message_id: dispatch.message_id }, { last_error })
    return
  }
  const is_outdated = kind === 'disconnect' && hadFormerCredentials(state, started_at)
  const may_repeat = kind === 'retry' || kind === 'slow_down' || kind === 'unknown' || is_outdated
  const is_over = dispatch.attempts >= MAX_ATTEMPTS || (is_own && item.own_trouble!.failed(moment))
  if (may_repeat && !is_over) {
    const next_attempt_at = new Date(turn.now.getTime() + waitAfter(failure, dispatch.attempts))
    // A limit of the account concerns all waiting recipients; a limit of the pair only this one.
    if (failure.scope === 'channel') {
      pause(state, next_attempt_at.getTime())
      state.pacer.slowDown(moment)
    }
    if (item.is_withdrawn) {
      withdraw(turn, item)
      return
    }
    item.phase = 'queued'
    const patch = { state: 'queued' as const, next_attempt_at, last_error }
    Object.assign(dispatch, patch)
    turn.update(Dispatch, { message_id: dispatch.message_id }, patch)
    return
  }
  refuse(turn, item, failure, at)
  if (kind === 'disconnect' && !is_outdated) setStatus(turn, 'disconnected', reasonOf(failure))
}

/** Milliseconds until the next attempt. */
function waitAfter({ retry_after_s = 0 }: SendFailure, attempts: number): number {
  const backoff_ms = Math.min(BACKOFF_MS * 2 ** (attempts - 1), MAX_BACKOFF_MS)
  const asked_ms = Math.min(retry_after_s, MAX_RETRY_AFTER_S) * 1000
  return Math.ceil(Math.max(backoff_ms * (1 + 0.2 * Math.random()), asked_ms))
}

function pause(state: ChannelState, until: number): void {
  state.paused_until = Math.max(state.paused_until, until)
}

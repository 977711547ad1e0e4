/**
 * Lets messages out: as many as may be under way at once, not while sending is paused, and no faster than the pace of
 * the account and of each recipient.
 */
import { now } from '../../storage/mod.ts'
import { wakeAt } from '../timers/due_timer.ts'
import type { CallbackWait } from './callback_wait.ts'
import { endUnconfirmed, LOST_FAILURE, refuse, withdraw } from './ending.ts'
import { MAX_ATTEMPTS } from './failed_attempt.ts'
import type { ChannelTurn } from './protocol.ts'
import type { ProviderCalls } from './provider_calls.ts'
import type { Item } from './send_queue.ts'
import { CONCURRENCY } from './state.ts'

/** Milliseconds after which the pace is checked again at the latest, so that a wait that exists only in memory is short. */
const FLOW_MS = 100
/** Milliseconds after which a channel of a quiet cluster looks again. */
const QUIET_MS = 1000
/** Interval in which bulk messages that wait for the pace leave together, sharing turns and commits. Milliseconds. */
const BULK_TICK_MS = 250

export class SendWindow {
  readonly #calls: ProviderCalls
  readonly #callback_wait: CallbackWait

  constructor(calls: ProviderCalls, callback_wait: CallbackWait) {
    this.#calls = calls
    this.#callback_wait = callback_wait
  }

  /** Puts a recipient into the queue that fits its first message. */
  place(turn: ChannelTurn, recipient: string): void {
    const { state } = turn
    const { queue } = state
    for (let head = queue.head(recipient); head && head.phase !== 'attempting'; head = queue.head(recipient)) {
      const at = this.#callback_wait.attemptAt(state, head, turn.now.getTime())
      if (at !== null) {
        queue.place(recipient, at)
        wakeAt(turn, new Date(at))
        return
      }
      if (head.phase === 'doubtful' && !this.#callback_wait.mayRepeat(state)) {
        endUnconfirmed(turn, head, turn.now.getTime())
        continue
      }
      if (head.is_withdrawn) {
        withdraw(turn, head)
        continue
      }
      // All attempts are used up, and none was confirmed.
      const is_hopeless = head.phase === 'doubtful' && head.dispatch.attempts >= MAX_ATTEMPTS
      if (!is_hopeless) {
        queue.place(recipient, null)
        return
      }
      refuse(turn, head, head.failure ?? LOST_FAILURE, turn.now.getTime())
    }
  }

  /** Starts the messages that may go, and schedules the next look. `fresh` is a message that is not in the table yet. */
  flow(turn: ChannelTurn, fresh?: Item): void {
    const { state } = turn
    const { queue, pacer, breaker } = state
    if (turn.is_quiet && queue.has_ready) {
      turn.soon(QUIET_MS, { type: 'flow' })
      return
    }
    const moment = performance.now()
    const room = breaker.is_half_open ? 1 : CONCURRENCY
    while (queue.has_ready && state.running.size < room) {
      if (state.paused_until > turn.now.getTime()) {
        wakeAt(turn, new Date(state.paused_until))
        return
      }
      const wait = pacer.wait(moment)
      if (wait > 0) {
        if (queue.has_urgent) turn.soon(Math.min(Math.ceil(wait), FLOW_MS), { type: 'flow' })
        else turn.soon(BULK_TICK_MS, { type: 'bulk_tick' })
        return
      }
      const item = queue.next()!
      const { recipient } = item.dispatch
      const own_wait = pacer.waitFor(recipient, moment)
      if (own_wait === 0) this.#calls.begin(turn, item, item === fresh)
      else {
        const at = Math.ceil(now() + own_wait) + 1
        queue.place(recipient, at)
        wakeAt(turn, new Date(at))
      }
    }
  }
}

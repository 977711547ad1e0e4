/**
 * The wait for the status callback of a message in doubt: it proves that the provider took the message. Time in which
 * callbacks could not be stored does not count; a slow commit indicates such a time. The wait is a duration, which no
 * setting of a clock shortens or prolongs.
 *
 * Providers repeat a callback that was not stored, with growing pauses: the next try comes about as long after the end
 * of an outage as the outage has lasted, so the wait is as long as that.
 */
import type { Dispatch } from '../../storage/mod.ts'
import type { Providers } from '../providers/mod.ts'
import { DEAF } from './callback_monitor.ts'
import type { ChannelTurn } from './protocol.ts'
import type { Item } from './send_queue.ts'
import type { ChannelState } from './state.ts'

/** A commit that takes longer, and longer than a quarter of `confirm_ms`, means that no callback could be stored meanwhile. */
const DEAF_MS = 1000
/** Maximum milliseconds of the wait after an outage. A message that was not taken leaves later by as much. */
const MAX_WAIT_MS = 3_600_000

export class CallbackWait {
  readonly #confirm_ms: number
  readonly #deaf_ms: number
  readonly #providers: Providers

  /** `confirm_ms`: milliseconds in which a callback arrives, if any does. */
  constructor(confirm_ms: number, providers: Providers) {
    this.#confirm_ms = confirm_ms
    this.#providers = providers
    this.#deaf_ms = Math.max(DEAF_MS, confirm_ms / 4)
  }

  /** The time until which the callback about an attempt may arrive. */
  endOf(attempted_at: Date): Date {
    return new Date(attempted_at.getTime() + this.#confirm_ms)
  }

  /**
   * Earliest time of an attempt (milliseconds), null for now. A message in doubt waits until its callback had time to
   * arrive, and until a call that a former owner has begun is over.
   */
  attemptAt(state: ChannelState, item: Item, now: number): number | null {
    if (item.phase === 'doubtful') {
      const since = Math.max(state.hears_since, item.begun_at ?? 0)
      const left_ms = Math.ceil(since + this.#waitFor(state, item, since) - performance.now())
      return left_ms <= 0 ? null : now + left_ms
    }
    const at = item.dispatch.next_attempt_at?.getTime() ?? null
    return at === null || at <= now ? null : at
  }

  /** True when no callback and no repeat tells whether the provider took a message. */
  settlesNothing({ config }: ChannelState): boolean {
    return !config || this.#providers.of(config)?.settles_doubt === 'nothing'
  }

  /** True when a message in doubt whose wait is over was certainly not taken, or may be sent twice. */
  mayRepeat(state: ChannelState): boolean {
    if (!state.config) return false
    const settles = this.#providers.of(state.config)?.settles_doubt ?? 'nothing'
    if (settles !== 'callback') return settles === 'repeat'
    const { callback_monitor, config } = state
    return config.status_reason !== DEAF && callback_monitor.hears(performance.now())
  }

  /** `since`: the end of the time in which no callback could be stored (`performance.now()`). */
  #waitFor(state: ChannelState, { dispatch, begun_at, failure }: Item, since: number): number {
    const provider = state.config ? this.#providers.of(state.config) : undefined
    const outage_ms = begun_at === undefined ? this.#unheardOf(dispatch, state) : since - begun_at
    // Without callbacks only the call of a former owner is awaited.
    const late_ms = provider?.settles_doubt === 'callback' ? Math.min(outage_ms, MAX_WAIT_MS) : 0
    // This owner's call has ended.
    const call_ms = failure ? 0 : (provider?.maxSend?.(dispatch.request) ?? 0)
    return Math.max(this.#confirm_ms, late_ms, call_ms)
  }

  /** Milliseconds from the attempt of a former owner until this one could store callbacks. */
  #unheardOf({ next_attempt_at }: Dispatch, { loaded_at }: ChannelState): number {
    const attempted_at = (next_attempt_at?.getTime() ?? loaded_at) - this.#confirm_ms
    return Math.max(0, loaded_at - attempted_at)
  }

  /** Times the commit of the turn: a slow one begins the waits of all messages in doubt anew. */
  timeCommit(turn: ChannelTurn): void {
    const { state, records } = turn
    if (records.timed) return
    records.timed = true
    const from = performance.now()
    turn.after(() => {
      if (this.isDeaf(from)) state.hears_since = performance.now()
    })
  }

  /** True when what began at `from` (`performance.now()`) took so long that callbacks may not have been stored. */
  isDeaf(from: number): boolean {
    return performance.now() - from > this.#deaf_ms
  }
}

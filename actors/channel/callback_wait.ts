/**
 * The wait for the status callback of a message in doubt: it proves that the provider took the message. Time in which
 * callbacks could not be stored does not count; a slow commit indicates such a time. The wait is a duration, which no
 * setting of a clock shortens or prolongs.
 */
import type { Providers } from '../providers/mod.ts'
import type { ChannelTurn } from './protocol.ts'
import type { Item } from './send_queue.ts'
import type { ChannelState } from './state.ts'

/** A commit that takes longer, and longer than a quarter of `confirm_ms`, means that no callback could be stored meanwhile. */
const DEAF_MS = 1000

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
      const left_ms = Math.ceil(since + this.#waitFor(state, item) - performance.now())
      return left_ms <= 0 ? null : now + left_ms
    }
    const at = item.dispatch.next_attempt_at?.getTime() ?? null
    return at === null || at <= now ? null : at
  }

  #waitFor({ config }: ChannelState, { dispatch, failure }: Item): number {
    // This owner's call has ended.
    if (failure || !config) return this.#confirm_ms
    const longest_ms = this.#providers.of(config)?.longestSend?.(dispatch.request) ?? 0
    return Math.max(this.#confirm_ms, longest_ms)
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

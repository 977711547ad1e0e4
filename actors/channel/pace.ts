/**
 * Send rates of a channel: messages a second in total, and an interval for each recipient, with a burst borrowed from
 * the future. Both are the generic cell rate algorithm: a moment at which the next message would be on time, and a
 * tolerance for early ones. In memory: after a crash the provider's own limit stands in until it is learnt again.
 * Moments are those of `performance.now()`.
 */
import type { Pace } from '../providers/mod.ts'

/** Burst of the whole account: messages of this many milliseconds may go at once. */
const BURST_MS = 250
/** After "too fast" from the provider: factor applied to the speed, and share of the allowed speed regained each second. */
const SLOWER = 0.5
const WON_BACK = 0.02
const MIN_PER_SECOND = 1
/** Above this number of recipients, those whose burst has refilled are dropped. */
const REMEMBERED = 10_000

export class Pacer {
  #pace: Pace
  #per_second: number
  /** The time at which the next message of the account would be on time (milliseconds). */
  #due = 0
  readonly #recipients = new Map<string, number>()
  #slowed_at = 0

  constructor(pace: Pace) {
    this.#pace = pace
    this.#per_second = pace.per_second
  }

  /** Milliseconds until the account may send again; 0 when it may now. */
  wait(now: number): number {
    return Math.max(0, this.#due - BURST_MS - now)
  }

  /** Milliseconds until this recipient may get a message again; 0 when now. */
  waitFor(recipient: string, now: number): number {
    const rule = this.#pace.recipient
    const due = rule && this.#recipients.get(recipient)
    return due ? Math.max(0, due - (rule.burst - 1) * rule.every_ms - now) : 0
  }

  /** Counts a message that leaves. */
  take(recipient: string, now: number): void {
    this.#recover(now)
    this.#due = Math.max(this.#due, now) + 1000 / this.#per_second
    const rule = this.#pace.recipient
    if (!rule) return
    if (this.#recipients.size >= REMEMBERED) this.#forget(now)
    this.#recipients.set(recipient, Math.max(this.#recipients.get(recipient) ?? 0, now) + rule.every_ms)
  }

  /** The provider reported that the account is too fast. */
  slowDown(now: number): void {
    if (!Number.isFinite(this.#per_second)) return
    this.#per_second = Math.max(MIN_PER_SECOND, this.#per_second * SLOWER)
    this.#slowed_at = now
  }

  get per_second(): number {
    return this.#per_second
  }

  #recover(now: number): void {
    const { per_second } = this.#pace
    if (this.#per_second >= per_second) return
    const seconds = Math.max(0, now - this.#slowed_at) / 1000
    this.#per_second = Math.min(per_second, this.#per_second + per_second * WON_BACK * seconds)
    this.#slowed_at = now
  }

  #forget(now: number): void {
    for (const [recipient, due] of this.#recipients) if (due <= now) this.#recipients.delete(recipient)
    // All of them are in the middle of their bursts: rely on the provider's own limit.
    if (this.#recipients.size >= REMEMBERED) this.#recipients.clear()
  }
}

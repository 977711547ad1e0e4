/**
 * The rate at which all broadcasts of a node together may take recipients up while clients write or people's messages
 * arrive. The delay of those writers' commits decides: while it stays near its value without bulk work, the rate grows
 * step by step; when it rises, the rate falls by a factor. It never falls below `FLOOR`, and has no upper limit.
 *
 * The undisturbed delay is the median of intervals with hardly any bulk work. When the last of them is too long ago,
 * the broadcasts pause for a moment to measure it again, so a machine that became slower for other reasons, or faster,
 * is judged by its present state.
 */
import type { Foreground } from '../foreground.ts'

/** Recipients a second, however long writers wait. */
export const FLOOR = 200
/** Recipients a second while the undisturbed delay is measured. */
const QUIET = 50
/** Recipients a second that an interval without trouble adds. */
const STEP = 50
/** Growth of such an interval before the first decrease, as in the slow start of a TCP connection. */
const FIRST_GROWTH = 1.25
const DECREASE = 0.7

/** A delay of this factor and these milliseconds above the undisturbed one ends the growth, or lowers the rate. */
const NEAR = { factor: 1.3, ms: 1 }
const FAR = { factor: 1.5, ms: 2 }

const INTERVAL_MS = 250
/** An interval with fewer delays is prolonged, up to `LONGEST_MS`. */
const ENOUGH = 10
const LONGEST_MS = 1000

/** Intervals that the undisturbed delay is taken from, and their maximum age. */
const REMEMBERED = 20
const REMEMBERED_MS = 60_000
/** Age of the last of them at which the broadcasts pause. */
const PAUSE_AFTER_MS = 10_000
const PAUSE_MS = 2 * INTERVAL_MS

type Interval = { delay_ms: number; at: number }

export class BulkRate {
  #per_second = FLOOR
  /** Beginning of the interval. Moments are those of `performance.now()`. */
  #since: number | undefined
  #taken = 0
  /** Consecutive intervals with hardly any bulk work. Work taken up before them may still disturb the first. */
  #quiet_intervals = 0
  #paused_until = Number.NEGATIVE_INFINITY
  #has_fallen = false
  readonly #quiet: Interval[] = []
  /** Mean delay in the last interval (milliseconds), for metrics. */
  delay_ms: number | undefined

  /** Median delay without bulk work (milliseconds); undefined until it is measured. */
  get undisturbed_ms(): number | undefined {
    const sorted = this.#quiet.map(({ delay_ms }) => delay_ms).sort((a, b) => a - b)
    return sorted[Math.floor(sorted.length / 2)]
  }

  /** Recipients a second, outside of pauses. */
  get per_second(): number {
    return this.#per_second
  }

  /** Counts recipients that were taken up. */
  taken(count: number): void {
    this.#taken += count
  }

  /** Recipients a second now. */
  at(now: number, foreground: Foreground): number {
    this.#since ??= now
    const elapsed_ms = now - this.#since
    const is_over = elapsed_ms >= (foreground.delays >= ENOUGH ? INTERVAL_MS : LONGEST_MS)
    if (is_over) this.#end(now, elapsed_ms, foreground.takeDelay())
    return now < this.#paused_until ? QUIET : this.#per_second
  }

  #end(now: number, elapsed_ms: number, delay_ms: number | undefined): void {
    const used = (this.#taken * 1000) / elapsed_ms
    const was_paused = this.#since! < this.#paused_until
    this.#taken = 0
    this.#since = now
    this.#quiet_intervals = used <= QUIET ? this.#quiet_intervals + 1 : 0
    if (delay_ms === undefined) return
    this.delay_ms = delay_ms
    const is_quiet = this.#quiet_intervals >= 2 || (this.#quiet_intervals === 1 && elapsed_ms > 2 * LONGEST_MS)
    if (is_quiet) this.#quiet.push({ delay_ms, at: now })
    while (this.#quiet.length > REMEMBERED || now - (this.#quiet[0]?.at ?? now) > REMEMBERED_MS) this.#quiet.shift()
    if (!was_paused) this.#adapt(delay_ms, used)
    if (now - (this.#quiet.at(-1)?.at ?? Number.NEGATIVE_INFINITY) > PAUSE_AFTER_MS) this.#paused_until = now + PAUSE_MS
  }

  #adapt(delay_ms: number, used: number): void {
    const { undisturbed_ms } = this
    if (undisturbed_ms === undefined) return
    if (delay_ms > undisturbed_ms * FAR.factor + FAR.ms) {
      this.#per_second = Math.max(FLOOR, this.#per_second * DECREASE)
      this.#has_fallen = true
    } else if (delay_ms <= undisturbed_ms * NEAR.factor + NEAR.ms && used > this.#per_second * 0.8) {
      this.#per_second = Math.max(this.#per_second + STEP, this.#has_fallen ? 0 : this.#per_second * FIRST_GROWTH)
    }
  }
}

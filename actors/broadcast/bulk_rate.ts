/**
 * The rate at which all broadcasts of a node together may take recipients up while clients write or people's messages
 * arrive. The delay of those writers' commits decides: while it stays near its value without bulk work, the rate grows
 * step by step; when it rises, the rate falls by a factor. It never falls below `FLOOR`, and has no upper limit.
 *
 * Every ten seconds, and at the beginning, the broadcasts nearly pause, and the delay is measured without them. The
 * median of the last such measurements is the undisturbed delay, so a machine that became slower for other reasons, or
 * faster, is judged by its present state.
 */
import type { Foreground } from '../foreground.ts'

/** Recipients a second, however long writers wait. */
export const FLOOR = 200
/** Recipients a second in a pause. */
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
/** An interval with fewer delays is prolonged, up to `MAX_MS`. */
const ENOUGH = 10
const MAX_MS = 1000

/** Maximum age of a measurement. */
const REMEMBERED_MS = 60_000
/** Age of the last measurement at which the broadcasts pause. */
const PAUSE_AFTER_MS = 10_000
/** Beginning of a pause, in which work taken up before still disturbs writers. */
const SETTLE_MS = 250

type Measurement = { delay_ms: number; at: number }

export class BulkRate {
  #per_second = FLOOR
  #phase: 'open' | 'settling' | 'measuring' = 'open'
  /** Beginning of the interval. Moments are those of `performance.now()`. */
  #since = Number.NEGATIVE_INFINITY
  #taken = 0
  #has_fallen = false
  readonly #quiet: Measurement[] = []
  /** Mean delay in the last interval (milliseconds), for metrics. */
  delay_ms: number | undefined

  /** Median delay in the pauses (milliseconds), the lower of two; undefined until it is measured. */
  get undisturbed_ms(): number | undefined {
    const sorted = this.#quiet.map(({ delay_ms }) => delay_ms).sort((a, b) => a - b)
    return sorted[Math.floor((sorted.length - 1) / 2)]
  }

  /** Recipients a second, outside of pauses. */
  get per_second(): number {
    return this.#per_second
  }

  /** Counts recipients that were taken up. */
  taken(count: number): void {
    this.#taken += count
  }

  /** Recipients a second now. Call with every question of a broadcast: intervals end in this call. */
  at(now: number, foreground: Foreground): number {
    const elapsed_ms = now - this.#since
    if (elapsed_ms > PAUSE_AFTER_MS) this.#begin('settling', now, foreground)
    else if (this.#phase === 'settling') {
      if (elapsed_ms >= SETTLE_MS) this.#begin('measuring', now, foreground)
    } else if (elapsed_ms >= (foreground.delays >= ENOUGH ? INTERVAL_MS : MAX_MS)) this.#end(now, foreground)
    return this.#phase === 'open' ? this.#per_second : QUIET
  }

  /** Begins an interval. Returns the mean delay in the one before. */
  #begin(phase: 'open' | 'settling' | 'measuring', now: number, foreground: Foreground): number | undefined {
    this.#phase = phase
    this.#since = now
    this.#taken = 0
    return foreground.takeDelay()
  }

  #end(now: number, foreground: Foreground): void {
    const used = (this.#taken * 1000) / (now - this.#since)
    const is_quiet = this.#phase === 'measuring'
    const measured_at = this.#quiet.at(-1)?.at ?? Number.NEGATIVE_INFINITY
    const is_due = !is_quiet && now - measured_at > PAUSE_AFTER_MS
    const delay_ms = this.#begin(is_due ? 'settling' : 'open', now, foreground)
    if (delay_ms === undefined) return
    this.delay_ms = delay_ms
    if (is_quiet) this.#quiet.push({ delay_ms, at: now })
    while (now - (this.#quiet[0]?.at ?? now) > REMEMBERED_MS) this.#quiet.shift()
    if (!is_quiet) this.#adapt(delay_ms, used)
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

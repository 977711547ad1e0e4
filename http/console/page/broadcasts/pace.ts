/** The speed of a broadcast, computed from its counts. No DOM. */

const WINDOW_MS = 12_000
/** A speed measured over less time is unreliable. */
const MIN_MS = 1_000
/** Updates come several times a second: silence of this length means that it has slowed down. */
const QUIET_MS = 1_500

/** Messages that were done at a time of the server, in milliseconds. */
type Sample = { at: number; done: number }

export class Pace {
  #samples: Sample[] = []
  #heard_at = 0

  /** `at` is the server's time of the count, `now` the clock here; both in milliseconds. */
  add(at: number, done: number, now: number) {
    const last = this.#samples.at(-1)
    if (last && (at <= last.at || done < last.done)) return
    this.#heard_at = now
    this.#samples.push({ at, done })
    // The sample before the window stays, so that the window is full.
    while (this.#samples.length > 2 && (this.#samples[1] as Sample).at < at - WINDOW_MS) this.#samples.shift()
  }

  /** Messages a second over the last moments; null while too little is known. */
  perSecond(now: number) {
    const first = this.#samples[0]
    const last = this.#samples.at(-1)
    if (!first || !last || first === last) return null
    const quiet = Math.max(0, now - this.#heard_at - QUIET_MS)
    const span = last.at - first.at + quiet
    return span < MIN_MS ? null : (1000 * (last.done - first.done)) / span
  }
}

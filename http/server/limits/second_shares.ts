/** Places of each second, in total and for each key (a project, a trace), so that none takes those of the others. */

const SECOND_MS = 1000

export class SecondShares {
  readonly #total: number
  readonly #each: number
  readonly #now: () => number
  readonly #of = new Map<string, number>()
  #second = 0
  #taken = 0

  /** `now`: milliseconds of any clock. */
  constructor(limits: { total: number; each: number }, now: () => number = () => performance.now()) {
    this.#total = limits.total
    this.#each = limits.each
    this.#now = now
  }

  /** Takes a place of this second; false when there is none. */
  take(key: string): boolean {
    const second = Math.floor(this.#now() / SECOND_MS)
    if (second !== this.#second) {
      this.#second = second
      this.#taken = 0
      this.#of.clear()
    }
    const taken = this.#of.get(key) ?? 0
    // The map has as many keys as there are places at most.
    if (this.#taken >= this.#total || taken >= this.#each) return false
    this.#taken++
    this.#of.set(key, taken + 1)
    return true
  }
}

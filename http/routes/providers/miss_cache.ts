/** Names that were looked up in vain a moment ago. Repeating one costs no look-up. */
import { performance } from 'node:perf_hooks'

const KEPT_MS = 2000
const MAX = 4096

export class MissCache {
  readonly #now: () => number
  /** The end of each entry, oldest first. */
  readonly #until = new Map<string, number>()

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  has(name: string): boolean {
    const until = this.#until.get(name)
    if (until === undefined) return false
    if (until > this.#now()) return true
    this.#until.delete(name)
    return false
  }

  add(name: string): void {
    this.#until.delete(name)
    if (this.#until.size >= MAX) this.#until.delete(this.#until.keys().next().value!)
    this.#until.set(name, this.#now() + KEPT_MS)
  }
}

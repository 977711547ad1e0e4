/** Sessions that ended a moment ago, for sockets whose admission had begun before. */

/** Longer than an admission may take. */
const KEPT_MS = 60_000
const MAX = 10_000

export class EndedSessions {
  readonly #until = new Map<string, number>()

  add(hash: string): void {
    const now = performance.now()
    // In the order in which they ended.
    for (const [ended, until] of this.#until) {
      if (until > now && this.#until.size < MAX) break
      this.#until.delete(ended)
    }
    this.#until.delete(hash)
    this.#until.set(hash, now + KEPT_MS)
  }

  has(hash: string): boolean {
    return (this.#until.get(hash) ?? 0) > performance.now()
  }
}

/**
 * Tells whether clients of this node are writing, or messages of people arriving, right now, and how long their commits
 * take; bulk work makes room for them. A hint, in memory of one node. Moments are those of `performance.now()`.
 */

/** Milliseconds after a write in which another one is likely. */
const RECENT_MS = 2000

export class Foreground {
  #last = Number.NEGATIVE_INFINITY
  #sum_ms = 0
  /** Delays since `takeDelay`. */
  delays = 0

  /** Records that a client or a person waits. */
  note(now: number): void {
    this.#last = now
  }

  /** Records that somebody waits for this turn, and after its commit how long that took. */
  noteTurn(turn: { after(effect: () => void): void }): void {
    const decided_at = performance.now()
    this.note(decided_at)
    turn.after(() => this.committed(performance.now() - decided_at))
  }

  /** Records how long a decided write took until it was committed. */
  committed(delay_ms: number): void {
    this.#sum_ms += delay_ms
    this.delays++
  }

  /** The mean delay since the last call (milliseconds); undefined without any. */
  takeDelay(): number | undefined {
    const mean_ms = this.delays === 0 ? undefined : this.#sum_ms / this.delays
    this.#sum_ms = 0
    this.delays = 0
    return mean_ms
  }

  isBusy(now: number): boolean {
    return now - this.#last < RECENT_MS
  }
}

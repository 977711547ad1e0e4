/** Waits between attempts, which end early when the conversation is closed. */
import type { AskFailed } from './connection.ts'

const TROUBLE_MS = 3_000

export class Pauses {
  #ends: Set<() => void> = new Set()

  /** As long as the server asked for, spread at random. */
  after({ retry_after_s }: AskFailed): Promise<void> {
    const ms = retry_after_s === undefined ? TROUBLE_MS : retry_after_s * 1000 * (1 + Math.random() / 4)
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#ends.delete(end)
        resolve()
      }
      const timer = setTimeout(end, ms)
      this.#ends.add(end)
    })
  }

  end() {
    for (const end of this.#ends) end()
  }
}

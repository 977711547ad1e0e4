/** Counts that follow events: read soon after one, and not more often than every few seconds. No DOM. */

/** Events come in groups. */
const SOON_MS = 200
const EVERY_MS = 5_000

export class Counting {
  #read
  #timer: number | undefined
  #read_at = -EVERY_MS

  constructor(read: () => Promise<unknown>) {
    this.#read = read
  }

  soon() {
    this.#timer ??= setTimeout(() => this.now(), Math.max(SOON_MS, this.#read_at + EVERY_MS - performance.now()))
  }

  now() {
    this.close()
    this.#read_at = performance.now()
    this.#read().catch(() => this.soon())
  }

  close() {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }
}

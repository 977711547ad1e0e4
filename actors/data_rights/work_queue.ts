/** Runs so much work at once, and the rest in order. */
export class WorkQueue {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(at_once: number) {
    this.#free = at_once
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}

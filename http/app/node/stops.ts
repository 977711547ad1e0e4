import type { Log } from '../../../runtime/mod.ts'

/** The parts that a start has begun. They end in the reverse order. */
export class Stops {
  readonly #log: Log
  readonly #begun: (() => unknown)[] = []

  constructor(log: Log) {
    this.#log = log
  }

  /** Adds the end of something that has begun. */
  push(stop: () => unknown): void {
    this.#begun.push(stop)
  }

  /** Ends everything, also when an end fails. */
  async run(): Promise<void> {
    for (const stop of this.#begun.splice(0).reverse()) {
      try {
        await stop()
      } catch (error) {
        this.#log.error({ error }, 'stopping failed')
      }
    }
  }
}

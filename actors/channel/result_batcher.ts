/**
 * Batches the provider's answers to bulk messages. Each answer costs a turn here, in the project and in the broadcast,
 * and a commit each; a hundred at a time cost hardly more than one.
 */

/** Maximum delay of an answer (milliseconds), short compared with a call of a provider. */
const MAX_MS = 10

export class ResultBatcher {
  readonly #most: number
  #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  /** `most`: a batch of this size is released at once. */
  constructor(most: number) {
    this.#most = most
  }

  /** Resolves with its batch; at once when all `running` calls have their answers. */
  join(running: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#waiting.length >= Math.min(this.#most, running)) this.#turn()
      else this.#timer ??= setTimeout(() => this.#turn(), MAX_MS)
    })
  }

  #turn(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

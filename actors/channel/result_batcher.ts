/**
 * Answers of the provider to messages that nobody waits for come in together. Each costs a turn here, in the project and
 * in the broadcast, and a commit each; a hundred at a time cost hardly more than one.
 */

/** The longest wait of an answer (milliseconds): next to nothing beside a call of a provider. */
const LONGEST_MS = 10

export class ResultBatcher {
  readonly #most: number
  #waiting: (() => void)[] = []
  #timer: NodeJS.Timeout | undefined

  /** `most`: so many answers wait for no others. */
  constructor(most: number) {
    this.#most = most
  }

  /** Resolves with the others'; at once when all of the `running` calls have their answers. */
  join(running: number): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      if (this.#waiting.length >= Math.min(this.#most, running)) this.#turn()
      else this.#timer ??= setTimeout(() => this.#turn(), LONGEST_MS)
    })
  }

  #turn(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    for (const resolve of this.#waiting.splice(0)) resolve()
  }
}

/**
 * A fixed number of places for work, shared fairly: a free place goes to the next owner in turn that waits for one, so
 * an owner with a thousand requests delays another by one piece of work at most.
 */
export class FairSlots {
  readonly #slots: number
  #taken = 0
  /** Waiting requests by owner. An owner that got a place moves to the end. */
  readonly #waiting = new Map<string, (() => void)[]>()

  constructor(slots: number) {
    this.#slots = slots
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    let waiting = 0
    for (const requests of this.#waiting.values()) waiting += requests.length
    return waiting
  }

  /** Resolves with the function that frees the place, to be called once. Rejects with the signal's reason. */
  async take(owner: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    return new Promise((resolve, reject) => {
      const grant = () => {
        signal?.removeEventListener('abort', withdraw)
        this.#taken++
        resolve(() => this.#free())
      }
      const withdraw = () => {
        this.#remove(owner, grant)
        reject(signal!.reason)
      }
      if (this.#taken < this.#slots) return grant()
      signal?.addEventListener('abort', withdraw, { once: true })
      const requests = this.#waiting.get(owner)
      if (requests) requests.push(grant)
      else this.#waiting.set(owner, [grant])
    })
  }

  #free(): void {
    this.#taken--
    const [next] = this.#waiting
    if (!next) return
    const [owner, requests] = next
    const grant = requests.shift()!
    this.#waiting.delete(owner)
    if (requests.length > 0) this.#waiting.set(owner, requests)
    grant()
  }

  #remove(owner: string, grant: () => void): void {
    const requests = this.#waiting.get(owner)
    if (!requests) return
    requests.splice(requests.indexOf(grant), 1)
    if (requests.length === 0) this.#waiting.delete(owner)
  }
}

import { FairLine } from './fair_line.ts'

export type FairSlotsOptions = {
  /** Maximum places of one owner, so that its work, however slow, leaves the others some. Default: all. */
  max_of_one?: number
  /** Maximum requests that wait for a place, and of one owner. Default: any number. */
  max_waiting?: number
  max_waiting_of_one?: number
}

/** The line is full, or the request made room for one of an owner that had fewer. */
class SlotsFull extends Error {
  override name = 'SlotsFull'
}

type Request = { grant(): void; displace(): void }

/**
 * A fixed number of places for work, shared fairly: a free place goes to the next owner in turn that waits for one, so
 * an owner with a thousand requests delays another by one piece of work at most. In a full line the owner of most
 * requests makes room.
 */
export class FairSlots {
  readonly #slots: number
  readonly #options: Required<FairSlotsOptions>
  #taken = 0
  /** Taken places by owner; zero is not kept. */
  readonly #held = new Map<string, number>()
  readonly #line = new FairLine<Request>()

  constructor(slots: number, options: FairSlotsOptions = {}) {
    this.#slots = slots
    const any = Number.POSITIVE_INFINITY
    this.#options = { max_of_one: any, max_waiting: any, max_waiting_of_one: any, ...options }
  }

  get taken(): number {
    return this.#taken
  }

  get waiting(): number {
    return this.#line.size
  }

  /**
   * Resolves with the function that frees the place, to be called once. Rejects with the signal's reason, and with
   * `SlotsFull`.
   */
  async take(owner: string, signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted()
    return new Promise((resolve, reject) => {
      const withdraw = () => {
        this.#line.remove(owner, request)
        reject(signal!.reason)
      }
      const end = () => signal?.removeEventListener('abort', withdraw)
      const request: Request = {
        grant: () => {
          end()
          this.#taken++
          this.#hold(owner, 1)
          resolve(() => this.#free(owner))
        },
        displace: () => {
          end()
          reject(new SlotsFull())
        },
      }
      if (this.#taken < this.#slots && this.#mayBegin(owner)) return request.grant()
      if (!this.#hasRoom(owner)) return reject(new SlotsFull())
      signal?.addEventListener('abort', withdraw, { once: true })
      this.#line.add(owner, request)
    })
  }

  #mayBegin = (owner: string): boolean => (this.#held.get(owner) ?? 0) < this.#options.max_of_one

  #hasRoom(owner: string): boolean {
    const own = this.#line.sizeOf(owner)
    if (own >= this.#options.max_waiting_of_one) return false
    if (this.#line.size < this.#options.max_waiting) return true
    const largest = this.#line.largest()
    // The owner itself may hold the most; equals do not displace each other.
    if (largest === undefined || this.#line.sizeOf(largest) <= own + 1) return false
    const displaced = this.#line.newest(largest)!
    this.#line.remove(largest, displaced)
    displaced.displace()
    return true
  }

  #hold(owner: string, change: number): void {
    const held = (this.#held.get(owner) ?? 0) + change
    if (held > 0) this.#held.set(owner, held)
    else this.#held.delete(owner)
  }

  #free(owner: string): void {
    this.#taken--
    this.#hold(owner, -1)
    this.#line.next(this.#mayBegin)?.grant()
  }
}

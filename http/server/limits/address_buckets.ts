/**
 * Token buckets of many addresses in bounded memory, a few buckets each.
 *
 *  B1 A look-up costs the same for any number of addresses.
 *  B2 There are at most `most` addresses. An address whose buckets are all full carries no information, so it makes
 *  room first; else the one of those looked at that has used the least. An address that wants to be forgotten has to
 *  fill the table with addresses that have used more.
 */

export type Bucket = {
  /** Maximum amount taken at once. */
  burst: number
  /** Amount refilled each minute. */
  per_minute: number
}

/** Number of addresses examined to find one that makes room. */
const LOOKED_AT = 8

export class AddressBuckets {
  readonly #most: number
  /** Milliseconds to refill one unit, and to refill all, by the number of the bucket. */
  readonly #one_ms: number[]
  readonly #all_ms: number[]
  readonly #slots = new Map<string, number>()
  readonly #addresses: string[] = []
  /** The time, in milliseconds, at which each bucket of each slot is full again. */
  readonly #full_at: Float64Array
  #hand = 0

  constructor(most: number, buckets: Bucket[]) {
    this.#most = most
    this.#one_ms = buckets.map(({ per_minute }) => 60_000 / per_minute)
    this.#all_ms = buckets.map(({ burst, per_minute }) => (burst * 60_000) / per_minute)
    this.#full_at = new Float64Array(most * buckets.length)
  }

  get size(): number {
    return this.#slots.size
  }

  /** Milliseconds until the amount can be taken; 0 when it can be now. An amount above the burst needs a full bucket. */
  wait(address: string, bucket: number, amount: number, now: number): number {
    const slot = this.#slots.get(address)
    if (slot === undefined) return 0
    const all_ms = this.#all_ms[bucket]!
    const taken_ms = Math.max(0, this.#full_at[slot * this.#one_ms.length + bucket]! - now)
    return Math.max(0, taken_ms + Math.min(amount * this.#one_ms[bucket]!, all_ms) - all_ms)
  }

  take(address: string, bucket: number, amount: number, now: number): void {
    const place = this.#slotOf(address, now) * this.#one_ms.length + bucket
    this.#full_at[place] = Math.max(this.#full_at[place]!, now) + amount * this.#one_ms[bucket]!
  }

  #slotOf(address: string, now: number): number {
    const known = this.#slots.get(address)
    if (known !== undefined) return known
    const slot = this.#slots.size < this.#most ? this.#slots.size : this.#makeRoom(now)
    this.#slots.set(address, slot)
    this.#addresses[slot] = address
    return slot
  }

  #makeRoom(now: number): number {
    let chosen = this.#hand
    let least = Number.POSITIVE_INFINITY
    for (let looked = 0; looked < LOOKED_AT && least > 0; looked++) {
      const used = this.#used(this.#hand, now)
      if (used < least) {
        least = used
        chosen = this.#hand
      }
      this.#hand = (this.#hand + 1) % this.#most
    }
    this.#slots.delete(this.#addresses[chosen]!)
    const buckets = this.#one_ms.length
    this.#full_at.fill(0, chosen * buckets, (chosen + 1) * buckets)
    return chosen
  }

  /** Usage of the emptiest bucket: 0 when all are full, 1 when nothing is left. */
  #used(slot: number, now: number): number {
    const buckets = this.#one_ms.length
    let used = 0
    for (let bucket = 0; bucket < buckets; bucket++) {
      used = Math.max(used, (this.#full_at[slot * buckets + bucket]! - now) / this.#all_ms[bucket]!)
    }
    return used
  }
}

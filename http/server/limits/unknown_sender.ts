import type { AddressLimits, AddressRate, AddressRefusal } from './address_limits.ts'

/** Thrown when an address has exceeded its limit. The answer is 429. */
export class TooManyFromAddress extends Error {
  readonly refusal: AddressRefusal

  constructor(refusal: AddressRefusal) {
    super(`too many requests come from the address: again in ${refusal.retry_after_s} s`)
    this.name = 'TooManyFromAddress'
    this.refusal = refusal
  }
}

/** The sender of a request known only by its address, for handlers that learn late that the request was useless. */
export class UnknownSender {
  readonly #limits: AddressLimits
  readonly #address: string

  constructor(limits: AddressLimits, address: string) {
    this.#limits = limits
    this.#address = address
  }

  /** Call before work that `count` may follow. Throws when the address has been counted too often. */
  check(kind: AddressRate): void {
    const refusal = this.#limits.look(this.#address, kind)
    if (refusal) throw new TooManyFromAddress(refusal)
  }

  /** Counts work that was useless. */
  count(kind: AddressRate): void {
    this.#limits.take(this.#address, kind)
  }

  /** Counts `cost` units before the work. Throws when the address has none left. */
  take(kind: AddressRate, cost: number): void {
    const refusal = this.#limits.take(this.#address, kind, cost)
    if (refusal) throw new TooManyFromAddress(refusal)
  }
}

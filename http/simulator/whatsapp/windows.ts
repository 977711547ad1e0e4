import type { RateOptions } from '../options.ts'

type Bucket = { tokens: number; at: number }

/** Burst and pace of the limit per recipient: 45 messages may be borrowed, one comes back every six seconds. */
const PAIR_BURST = 45
const PAIR_PER_MS = 1 / 6000

/** The two throughput limits of a number; both off unless configured. */
export class RateLimits {
  readonly #buckets = new Map<string, Bucket>()
  readonly #options: RateOptions
  readonly #now: () => number

  constructor(options: RateOptions, now: () => number) {
    this.#options = options
    this.#now = now
  }

  /** Code of the limit that refuses a message of this number to this recipient. Undefined: the message is counted. */
  exceeded(phone_number_id: string, recipient: string): number | undefined {
    const { per_second, pair } = this.#options
    if (pair && !this.#take(`${phone_number_id}:${recipient}`, PAIR_BURST, PAIR_PER_MS)) return 131056
    if (per_second > 0 && !this.#take(phone_number_id, per_second, per_second / 1000)) return 130429
    return undefined
  }

  /** Inbound messages use the same throughput, but are never refused. */
  countInbound(phone_number_id: string): void {
    const { per_second } = this.#options
    if (per_second > 0) this.#take(phone_number_id, per_second, per_second / 1000)
  }

  #take(key: string, size: number, per_ms: number): boolean {
    const now = this.#now()
    const bucket = this.#buckets.get(key) ?? { tokens: size, at: now }
    bucket.tokens = Math.min(size, bucket.tokens + (now - bucket.at) * per_ms)
    bucket.at = now
    this.#buckets.set(key, bucket)
    if (bucket.tokens < 1) return false
    bucket.tokens -= 1
    return true
  }
}

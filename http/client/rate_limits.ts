/** The rate limits of the project, as the last answers state them. */

/** A budget of requests. `ingest` is that of recorded events, `poll` that of polls; `shared` that of most others. */
export type Pool = 'shared' | 'ingest' | 'poll'

export type RateLimit = {
  limit: number
  remaining: number
  /** Seconds from the answer until the window ends. */
  reset_s: number
}

export type RateWindow = 'minute' | 'hour' | 'day' | 'ingest' | 'poll'

export type RateLimits = Partial<Record<RateWindow, RateLimit>>

const WINDOWS: Record<Pool, readonly RateWindow[]> = {
  shared: ['minute', 'hour', 'day'],
  ingest: ['ingest'],
  poll: ['poll'],
}
const ALL: readonly RateWindow[] = Object.values(WINDOWS).flat()

/** The limits that an answer states. */
export function rateLimitsOf(headers: Headers): RateLimits {
  const limits: RateLimits = {}
  for (const window of ALL) {
    const [limit, remaining, reset_s] = ['Limit', 'Remaining', 'Reset'].map((name) => {
      const text = headers.get(`x-ratelimit-${name}-${window}`)
      return text === null ? Number.NaN : Number(text)
    }) as [number, number, number]
    if (Number.isFinite(limit + remaining + reset_s)) limits[window] = { limit, remaining, reset_s }
  }
  return limits
}

/** Remembers until when a budget is used up. */
export class RateBudget {
  #limits: RateLimits = {}
  readonly #ends: Partial<Record<RateWindow, number>> = {}

  get limits(): RateLimits {
    return this.#limits
  }

  /** `now` is in milliseconds. */
  note(headers: Headers, now: number): void {
    const limits = rateLimitsOf(headers)
    this.#limits = { ...this.#limits, ...limits }
    for (const [window, { remaining, reset_s }] of Object.entries(limits) as [RateWindow, RateLimit][]) {
      if (remaining > 0) delete this.#ends[window]
      else this.#ends[window] = now + reset_s * 1000
    }
  }

  /** Milliseconds until a request of the pool can be admitted; 0 when one can be now, as far as is known. */
  wait(pool: Pool | undefined, now: number): number {
    if (pool === undefined) return 0
    return Math.max(0, ...WINDOWS[pool].map((window) => (this.#ends[window] ?? now) - now))
  }
}

/**
 * The sum that a project has spent on marketing in this month (UTC), and the one that it has reserved: the price of each accepted marketing
 * message, until the message is charged or fails. All in millionths of the currency of the rates.
 */

/** Days after which a provider gives a message up without saying so. */
const RESERVED_DAYS = 30
const DAY_MS = 86_400_000

/** Such as 2026-11. */
export function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7)
}

/** The moment at which the next month begins. */
export function nextMonth(now: Date): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1, 1))
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, 10)
}

/** The first day (YYYY-MM-DD) whose messages may still be charged. */
export function firstDayReserved(now: Date): string {
  return dayOf(new Date(now.getTime() - RESERVED_DAYS * DAY_MS))
}

export class MarketingBudget {
  #month: string
  #spent: number
  /** Keyed by the day on which the messages were accepted. */
  readonly #reserved: Map<string, number>

  constructor(month: string, spent: number, reserved: Map<string, number>) {
    this.#month = month
    this.#spent = spent
    this.#reserved = reserved
  }

  /** Spent in the month of `now`, and reserved. */
  taken(now: Date): number {
    this.#turnTo(now)
    const first = firstDayReserved(now)
    let sum = this.#spent
    for (const [day, reserved] of this.#reserved) {
      if (day < first) this.#reserved.delete(day)
      else sum += reserved
    }
    return sum
  }

  charge(now: Date, millionths: number): void {
    this.#turnTo(now)
    this.#spent += millionths
  }

  reserve(accepted_at: Date, millionths: number): void {
    const day = dayOf(accepted_at)
    this.#reserved.set(day, (this.#reserved.get(day) ?? 0) + millionths)
  }

  release(accepted_at: Date, millionths: number): void {
    const day = dayOf(accepted_at)
    const reserved = this.#reserved.get(day)
    if (reserved !== undefined) this.#reserved.set(day, Math.max(0, reserved - millionths))
  }

  /** A month that has begun has no costs yet. The clock may be set back, but not into the month before. */
  #turnTo(now: Date): void {
    const month = monthOf(now)
    if (month <= this.#month) return
    this.#month = month
    this.#spent = 0
  }
}

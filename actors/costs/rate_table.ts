/** The operator's rates, and the prices that follow from them. */
import type { Rate } from '../../storage/mod.ts'
import { toMillionths } from './amount.ts'
import { marketsOf } from './markets.ts'

/** `millionths`: of the currency; null where no rate is for the market and category. */
export type RatePrice = { millionths: number | null; currency: string | null }

/** Categories that count as marketing. */
const MARKETING = new Set(['marketing', 'marketing_lite'])

/** True for categories that the monthly cap is about. */
export function isMarketing(category: string): boolean {
  return MARKETING.has(category)
}

/** The category whose rate stands for one without a rate of its own. */
const INSTEAD: Readonly<Record<string, string>> = {
  marketing_lite: 'marketing',
  authentication_international: 'authentication',
}

export class RateTable {
  /** Rates of a market and category, the latest first. */
  readonly #rates = new Map<string, Rate[]>()
  readonly currency: string | null

  constructor(rates: readonly Rate[]) {
    this.currency = rates[0]?.currency ?? null
    for (const rate of rates.toSorted((one, other) => (one.valid_from < other.valid_from ? 1 : -1))) {
      const key = keyOf(rate.market, rate.category)
      this.#rates.set(key, [...(this.#rates.get(key) ?? []), rate])
    }
  }

  /** The price of a message to a recipient (`marketsOf`) at a moment. Rates begin at 00:00 UTC. */
  priceOf(recipient: string, category: string, at: Date): RatePrice {
    const day = at.toISOString().slice(0, 10)
    const markets = marketsOf(recipient)
    for (const one of [category, INSTEAD[category]]) {
      if (one === undefined) continue
      for (const market of markets) {
        const rate = this.#rates.get(keyOf(market, one))?.find(({ valid_from }) => valid_from <= day)
        if (rate) return { millionths: toMillionths(rate.amount), currency: rate.currency }
      }
    }
    return { millionths: null, currency: this.currency }
  }
}

function keyOf(market: string, category: string): string {
  return `${market} ${category}`
}

/**
 * Costs of calls in trillionths of a unit of their currency. A price is a decimal with at most six places for a million
 * tokens, which is a whole number of trillionths for one token, so costs and their sums are exact.
 */
import type { PriceEntry } from './entry.ts'
import type { ModelPrice, ModelUsage } from './model.ts'

const TRILLIONTH_PLACES = 12

/** A decimal for a million tokens: at most six places, and nine digits before them. */
const PRICE = /^\d{1,9}(?:\.\d{1,6})?$/

export function isPrice(per_million: string): boolean {
  return PRICE.test(per_million)
}

/** The decimals have to be prices. */
export function priceOf({ input, output, currency }: PriceEntry): ModelPrice {
  return { input: ofToken(input), output: ofToken(output), currency }
}

function ofToken(per_million: string): bigint {
  const [whole = '', fraction = ''] = per_million.split('.')
  return BigInt(whole + fraction.padEnd(6, '0'))
}

/** Trillionths of a unit of the price's currency. Tokens have to be whole numbers. */
export function costOf({ input_tokens, output_tokens }: Omit<ModelUsage, 'estimated'>, price: ModelPrice): bigint {
  return BigInt(input_tokens) * price.input + BigInt(output_tokens) * price.output
}

/** Trillionths as a decimal that PostgreSQL reads as an exact `numeric`. */
export function decimalOf(trillionths: bigint): string {
  const digits = String(trillionths).padStart(TRILLIONTH_PLACES + 1, '0')
  const whole = digits.slice(0, -TRILLIONTH_PLACES)
  let end = digits.length
  while (end > whole.length && digits[end - 1] === '0') end--
  return end > whole.length ? `${whole}.${digits.slice(whole.length, end)}` : whole
}

/** Trillionths of a decimal with at most twelve places. */
export function trillionthsOf(decimal: string): bigint {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(TRILLIONTH_PLACES, '0'))
}

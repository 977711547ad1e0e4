/** Money in millionths, so that sums are exact. Amounts of the API and of the tables are decimals with up to six places. */

const MILLION = 1_000_000

/** The greatest amount of the API, in units of its currency: its millionths are exact in a double. */
const MAX_AMOUNT = 1_000_000_000

/** A decimal, also as PostgreSQL writes a `numeric`, in millionths. */
export function toMillionths(amount: number | string): number {
  return Math.round(Number(amount) * MILLION)
}

/** The decimal of an exact number of millionths: the double that is written with up to six places. */
export function fromMillionths(millionths: number): number {
  return millionths / MILLION
}

/** True for a decimal from 0 with at most six places. */
export function isAmount(value: number): boolean {
  return value >= 0 && value <= MAX_AMOUNT && fromMillionths(toMillionths(value)) === value
}

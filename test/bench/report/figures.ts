/** The value below which `share` of the numbers lie. */
export function quantile(numbers: number[], share: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const low = sorted[Math.floor(place)] ?? Number.NaN
  const high = sorted[Math.ceil(place)] ?? Number.NaN
  return low + (high - low) * (place - Math.floor(place))
}

/** The middle of the numbers and their ends. */
export type Spread = { median: number; min: number; max: number }

/** Median, least and greatest of the rounds. */
export function spreadOf(numbers: number[]): Spread {
  return { median: quantile(numbers, 0.5), min: Math.min(...numbers), max: Math.max(...numbers) }
}

/** A number for people: three significant digits, thousands separated. */
export function say(number: number): string {
  if (!Number.isFinite(number)) return '–'
  if (number !== 0 && Math.abs(number) < 100) return String(Number(number.toPrecision(3)))
  return Math.round(number).toLocaleString('en-GB')
}

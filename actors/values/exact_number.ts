/** Numbers of JSON texts that JavaScript would silently change: a double holds about 16 digits. */

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

const ZERO = /^-?[0.]+(?:e|$)/i
/** So few digits are exact, except in the smallest numbers, which have fewer. */
const ALWAYS_EXACT = 15
const MIN_NORMAL = 2.2250738585072014e-308

/** Digits that every double is told apart by; many programs write that many, such as 0.10000000000000001 for 0.1. */
const DIGITS_OF_A_DOUBLE = 17

/**
 * True when a double keeps what the text of a JSON number says: whole numbers digit for digit, others also when they are
 * a double written with up to 17 digits. False for 9007199254740993 and 1e999, and for a text that is no number.
 */
export function isExactNumber(text: string): boolean {
  const value = Number(text)
  if (!Number.isFinite(value)) return false
  if (value === 0) return ZERO.test(text)
  if (text.length <= ALWAYS_EXACT && Math.abs(value) >= MIN_NORMAL) return true
  // As JavaScript writes it, which is the usual case and takes a tenth of the time.
  if (String(value) === text) return true
  const written = decimal(text)
  if (written === undefined) return false
  if (isSame(written, decimal(String(value)))) return true
  const { digits, exponent } = written
  if (exponent >= 0 || digits.length > DIGITS_OF_A_DOUBLE) return false
  return isSame(written, decimal(value.toPrecision(digits.length)))
}

/** The value is `digits` times ten to the power of `exponent`; `digits` neither begins nor ends with zeros. */
type Decimal = { digits: string; exponent: number }

function decimal(text: string): Decimal | undefined {
  const [, whole, fraction = '', power = '0'] = NUMBER.exec(text) ?? []
  if (whole === undefined) return undefined
  const all = whole + fraction
  let begin = 0
  while (all[begin] === '0') begin++
  let end = all.length
  while (end > begin && all[end - 1] === '0') end--
  const digits = all.slice(begin, end)
  return { digits, exponent: digits === '' ? 0 : Number(power) - fraction.length + all.length - end }
}

function isSame(one: Decimal, other: Decimal | undefined): boolean {
  return one.digits === other?.digits && one.exponent === other.exponent
}

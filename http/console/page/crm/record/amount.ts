/** Amounts of money, shown and read as people write them where the reader is. No DOM. */

type Amount = { amount: number; currency: string | undefined }

/** The language of the reader's browser decides about points and commas. */
const READER = globalThis.navigator?.language

/** `MXN 1,250.50`, or `1.250,50 MXN`. Without a currency only the number. */
export function amountText(amount: number | null, currency: string | null, language: string = READER) {
  if (amount === null) return ''
  const style = currency ? ({ style: 'currency', currency, currencyDisplay: 'code' } as const) : {}
  return new Intl.NumberFormat(language, style).format(amount)
}

/** The text of a field with an amount, which `amountIn` reads. */
export function amountField(amount: number, currency: string | null, language: string = READER) {
  const number = new Intl.NumberFormat(language, { useGrouping: false, maximumFractionDigits: 20 }).format(amount)
  return currency ? `${number} ${currency}` : number
}

/**
 * The amount in a text, such as `1,250.50 MXN` or `MXN 1250.5`; undefined when there is none. A point or comma that can
 * separate no thousands separates the decimals, whatever the language.
 */
export function amountIn(text: string, language: string = READER): Amount | undefined {
  // The sign is before the currency in some languages.
  const found = /^(-?)([A-Za-z]{3})?([-\d.,'’\s]+)([A-Za-z]{3})?$/.exec(text.trim().replaceAll('−', '-'))
  if (!found || (found[2] && found[4])) return undefined
  const currency = (found[2] ?? found[4])?.toUpperCase()
  const plain = `${found[1]}${found[3]}`.replaceAll(/['’\s]/g, '')
  const decimal = decimalOf(plain, language)
  const [whole = '', part = '', ...more] = decimal === '' ? [plain] : plain.split(decimal)
  const is_grouped = /^-?\d{1,3}([.,]\d{3})+$/.test(whole)
  if (more.length > 0 || /\D/.test(part) || !(is_grouped || /^-?\d+$/.test(whole))) return undefined
  const amount = Number(`${whole.replaceAll(/[.,]/g, '')}.${part || '0'}`)
  return { amount, currency }
}

/**
 * The sign before the decimals; empty when there are none.
 *
 * @param text digits, points and commas
 */
function decimalOf(text: string, language: string | undefined) {
  const last = text.match(/[.,]/g)?.at(-1)
  if (last === undefined) return ''
  const usual = new Intl.NumberFormat(language).formatToParts(0.5).find(({ type }) => type === 'decimal')?.value
  const has_both = text.includes('.') && text.includes(',')
  if (has_both || last === usual) return text.indexOf(last) === text.lastIndexOf(last) ? last : ''
  return new RegExp(`^-?\\d{1,3}(\\${last}\\d{3})+$`).test(text) ? '' : last
}

/** Amounts of money, shown and read as people write them where the reader is. No DOM. */

import { numbers } from '../../ui/format/format.ts'

type Amount = { amount: number; currency: string | undefined }

/** `MXN 1,250.50`, or `1.250,50 MXN`. Without a currency only the number. */
export function amountText(amount: number | null, currency: string | null, language?: string) {
  if (amount === null) return ''
  const style = currency ? ({ style: 'currency', currency, currencyDisplay: 'code' } as const) : {}
  return numbers(style, language).format(amount)
}

/** The text of a field with an amount, which `amountIn` reads. */
export function amountField(amount: number, currency: string | null, language?: string) {
  const number = numbers({ useGrouping: false, maximumFractionDigits: 20 }, language).format(amount)
  return currency ? `${number} ${currency}` : number
}

/**
 * The amount in a text, such as `1,250.50 MXN` or `MXN 1250.5`; undefined when there is none. A point or comma that can
 * separate no thousands separates the decimals, whatever the language.
 */
export function amountIn(text: string, language?: string): Amount | undefined {
  const usual = usualDecimal(language)
  const latin = text
    // Languages written from right to left put marks of direction around signs and currencies.
    .replaceAll(/[\u061c\u200e\u200f]/g, '')
    .replaceAll(/[٠-٩۰-۹]/g, (digit) => String(digit.charCodeAt(0) & 15))
    .replaceAll('٬', '')
    .replaceAll('٫', usual)
    .replaceAll('−', '-')
  // The sign is before the currency in some languages.
  const found = /^(-?)([A-Za-z]{3})?([-\d.,'’\s]+)([A-Za-z]{3})?$/.exec(latin.trim())
  if (!found || (found[2] && found[4])) return undefined
  const currency = (found[2] ?? found[4])?.toUpperCase()
  const plain = `${found[1]}${found[3]}`.replaceAll(/['’\s]/g, '')
  const decimal = decimalOf(plain, usual)
  const [whole = '', part = '', ...more] = decimal === '' ? [plain] : plain.split(decimal)
  const is_grouped = /^-?\d{1,3}([.,]\d{2,3})*[.,]\d{3}$/.test(whole)
  if (more.length > 0 || /\D/.test(part) || !(is_grouped || /^-?\d+$/.test(whole))) return undefined
  const amount = Number(`${whole.replaceAll(/[.,]/g, '')}.${part || '0'}`)
  return { amount, currency }
}

function usualDecimal(language: string | undefined) {
  return numbers({}, language)
    .formatToParts(0.5)
    .find(({ type }) => type === 'decimal')!.value
}

/**
 * The sign before the decimals; empty when there are none.
 *
 * @param text digits, points and commas
 */
function decimalOf(text: string, usual: string) {
  const last = text.match(/[.,]/g)?.at(-1)
  if (last === undefined) return ''
  const has_both = text.includes('.') && text.includes(',')
  if (has_both || last === usual) return text.indexOf(last) === text.lastIndexOf(last) ? last : ''
  return new RegExp(`^-?\\d{1,3}(\\${last}\\d{2,3})*\\${last}\\d{3}$`).test(text) ? '' : last
}

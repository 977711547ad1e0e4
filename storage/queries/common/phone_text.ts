/** Signs that people and address books put between the digits of a telephone number, with marks of direction. */
const SIGNS = /[\s().\-–/\p{Cf}]/gu
const PHONE = /^(?:tel:)?[+\d\s().\-–/\p{Cf}]+$/iu
/** Fewer digits with signs between them are rather a date or a price. */
const MIN_DIGITS = 5

/**
 * The number in a text that a person searches for, as numbers are stored: `+52 (55) 1234-5678` is `+525512345678`, and so
 * is one that begins with 00. The 0 in brackets that is dialled inside a country alone is left out. Undefined when
 * the text is something else.
 */
export function phoneIn(text: string): string | undefined {
  if (!PHONE.test(text)) return undefined
  const plain = text.replace(/^tel:/i, '').replace('(0)', '').replace(SIGNS, '').replace(/^00/, '+')
  return /^\+?\d+$/.test(plain) && plain.length >= MIN_DIGITS ? plain : undefined
}

/**
 * Numbering plans in which one mobile phone has two numbers. Mexico: a 1 after the country code, not dialled since 2019.
 * Argentina: a 9 for calls from abroad. Brazil: the ninth digit, added from 2012 on. Providers know a person by one form
 * while people write the other. Landlines have one form: in Brazil they begin with 2 to 5.
 */
const PLANS: readonly { short: RegExp; long: RegExp; toLong: string; toShort: string }[] = [
  { short: /^52([2-9]\d{9})$/, long: /^521([2-9]\d{9})$/, toLong: '521$1', toShort: '52$1' },
  { short: /^54([1-8]\d{9})$/, long: /^549([1-8]\d{9})$/, toLong: '549$1', toShort: '54$1' },
  { short: /^55([1-9]\d)([6-9]\d{7})$/, long: /^55([1-9]\d)9([6-9]\d{7})$/, toLong: '55$19$2', toShort: '55$1$2' },
]

/** The number as given, followed by the other form of it where its country has two. Digits, with or without `+`. */
export function phoneForms(phone: string): string[] {
  const digits = phone.startsWith('+') ? phone.slice(1) : phone
  const plus = phone.slice(0, phone.length - digits.length)
  for (const { short, long, toLong, toShort } of PLANS) {
    if (short.test(digits)) return [phone, plus + digits.replace(short, toLong)]
    if (long.test(digits)) return [phone, plus + digits.replace(long, toShort)]
  }
  return [phone]
}

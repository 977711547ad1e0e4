/** JSON that people write on the command line, or in a file for it. */

/** Numbers of so many characters without an exponent are exact. */
const SHORT_NUMBER = 15

/** A number that would be sent as another one: a double holds about 16 digits. */
export class RoundedNumber extends Error {
  constructor(source: string) {
    super(`the number ${source.slice(0, 40)} would be rounded; write it as a text, in quotes`)
    this.name = 'RoundedNumber'
  }
}

/**
 * @throws {SyntaxError} when the text is no JSON
 * @throws {RoundedNumber}
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(text.replace(/^\ufeff/, ''), exact as Parameters<typeof JSON.parse>[1])
}

function exact(_name: string, value: unknown, { source = '' }: { source?: string }): unknown {
  if (typeof value !== 'number' || isKept(source)) return value
  throw new RoundedNumber(source)
}

/** True when the text of a number is sent on as the same number. */
export function isKept(text: string): boolean {
  if (text.length <= SHORT_NUMBER && !/e/i.test(text)) return true
  const value = Number(text)
  return (
    String(value) === text || (/e/i.test(text) && text.length <= SHORT_NUMBER && value !== 0 && Number.isFinite(value))
  )
}

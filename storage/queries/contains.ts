import { literal } from '../write_set.ts'
import { phoneIn } from './phone_text.ts'

/**
 * A condition: the column contains the text, whatever their case and accents are. All characters of the text are literal.
 * The body of `search_fold` is inlined: a call for each row would cost several times as much.
 */
export function contains(column: string, text: string): string {
  return `lower(unaccent('unaccent', ${column})) like search_pattern(${literal(text)})`
}

/** The same for an expression that has an index of its folded form: a call for each row that the index finds. */
export function foldedContains(expression: string, text: string): string {
  return `search_fold(${expression}) like search_pattern(${literal(text)})`
}

/**
 * The same for the name, the phone and the id of a contact; answered by an index where `alias` is the table itself. A
 * telephone number is found however it is written.
 */
export function contactContains(alias: string, text: string): string {
  const columns = ['name', 'phone', 'user_id'].map((column) => `${alias}.${column}`)
  const has = (part: string) => `contact_text(${columns.join()}) like search_pattern(${literal(part)})`
  const phone = phoneIn(text)
  return phone === undefined || phone === text ? has(text) : `(${has(text)} or ${has(phone)})`
}

import { type Sql, sql } from '../../sql/sql.ts'
import { phoneIn } from './phone_text.ts'

/**
 * A condition: the column contains the text, whatever their case and accents are. All characters of the text are literal.
 * The body of `search_fold` is inlined: a call for each row would cost several times as much.
 */
export function contains(column: Sql, text: string): Sql {
  return sql`lower(unaccent('unaccent', ${column})) like search_pattern(${text})`
}

/** The same for an expression that has an index of its folded form: a call for each row that the index finds. */
export function foldedContains(expression: Sql, text: string): Sql {
  return sql`search_fold(${expression}) like search_pattern(${text})`
}

/**
 * The same for the name, the phone and the id of a contact; answered by an index where `alias` is the table itself. A
 * telephone number is found however it is written.
 */
export function contactContains(alias: Sql, text: string): Sql {
  const columns = [sql`name`, sql`phone`, sql`user_id`].map((column) => sql`${alias}.${column}`)
  const has = (part: string) => sql`contact_text(${sql.join(columns, ',')}) like search_pattern(${part})`
  const phone = phoneIn(text)
  return phone === undefined || phone === text ? has(text) : sql`(${has(text)} or ${has(phone)})`
}

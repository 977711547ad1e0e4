/**
 * SQL whose values are quoted by construction. The tag `sql` quotes each value in its place, and inserts a fragment,
 * which another call has made, as it is. Everything that runs a statement takes a fragment, so no text of a stranger
 * reaches PostgreSQL unquoted.
 *
 * The fragments are MikroORM's, which also takes them in conditions of its own. Its tag of the same name is not used: it
 * takes each question mark for a place of a value (also the operators of JSON), an array for a list, an object for JSON,
 * and `undefined` and `NaN` for names; and it writes the text again for each fragment that contains another.
 */
import { RawQueryFragment } from '@mikro-orm/core'

/** Texts become an array of the type `text[]`. */
export type SqlValue = string | number | bigint | boolean | null | Date | Uint8Array | readonly string[] | Sql

/** A piece of SQL, or a whole statement: `sql` is its text. It is made by the tag `sql` alone. */
export class Sql extends RawQueryFragment {
  declare private readonly is_quoted: true
  /** The parts of the text around `values`, and these; undefined where the text has no values. */
  readonly texts: readonly string[] | undefined
  readonly values: readonly SqlValue[]

  constructor(text: string, texts?: readonly string[], values: readonly SqlValue[] = []) {
    super(text)
    this.texts = texts
    this.values = values
  }
}

/** Text between parts. */
type Separator =
  | ','
  | ', '
  | ' and '
  | ' or '
  | ' || '
  | ' + '
  | ' '
  | ' union '
  | ' union all '
  | '), ('
  | ') or ('
  | ';\n'

/**
 * A fragment from a template, with its values as literals: `sql\`select 1 from note where _id = ${_id}\``.
 *
 * @throws {TypeError} for a value that PostgreSQL has no literal for: a text with the character NUL, a number that is not
 * finite, an invalid date
 */
export function sql(texts: TemplateStringsArray, ...values: readonly SqlValue[]): Sql {
  let text = texts[0]!
  for (let at = 0; at < values.length; at++) text += quoted(values[at]!) + texts[at + 1]!
  return values.length === 0 ? new Sql(text) : new Sql(text, texts, values)
}

/** Values separated by commas, for `in (…)`. */
sql.list = (values: readonly (string | number)[]): Sql => new Sql(values.map(quoted).join())

sql.join = (parts: readonly Sql[], separator: Separator): Sql => {
  const between = parts.map((_, at) => (at === 0 ? '' : separator))
  return new Sql(parts.map(({ sql }) => sql).join(separator), [...between, ''], parts)
}

/** An array of numbers, whose type comes from its place. */
sql.numbers = (values: readonly number[]): Sql => new Sql(`'{${values.map(finite).join()}}'`)

/** The name of a table or a column. */
sql.id = (name: string): Sql => new Sql(`"${name.replaceAll('"', '""')}"`)

/** A value as JSON. */
sql.json = (value: unknown): Sql => new Sql(quoted(JSON.stringify(value)))

/** A direction of an order. */
sql.direction = (direction: 'asc' | 'desc'): Sql => (direction === 'asc' ? sql`asc` : sql`desc`)

/** A text that is SQL already. `_reason`: why no stranger has written it. */
sql.raw = (text: string, _reason: string): Sql => new Sql(text)

/** A standard literal of a string (`standard_conforming_strings` is on in all sessions). */
export function literal(text: string): string {
  return text.includes("'") ? `'${text.replaceAll("'", "''")}'` : `'${text}'`
}

/** The value as a literal. @throws {TypeError} as `sql` */
export function quoted(value: SqlValue): string {
  switch (typeof value) {
    case 'string':
      if (value.includes('\0')) throw new TypeError('a text of PostgreSQL cannot hold the character NUL')
      return literal(value)
    case 'number':
      return signed(finite(value))
    case 'bigint':
      return signed(value)
    case 'boolean':
      return String(value)
  }
  if (value === null) return 'null'
  if (value instanceof Sql) return value.sql
  if (value instanceof Date) return literal(value.toISOString())
  if (value instanceof Uint8Array) return `'\\x${Buffer.from(value).toString('hex')}'::bytea`
  if (Array.isArray(value)) return `array[${value.map(quoted).join()}]::text[]`
  throw new TypeError(`${typeof value} is no value of SQL`)
}

function finite(value: number): number {
  if (!Number.isFinite(value)) throw new TypeError(`${value} is no number of SQL`)
  return value
}

/** Two minus signs would begin a comment. */
function signed(value: number | bigint): string {
  return value < 0 ? `(${value})` : String(value)
}

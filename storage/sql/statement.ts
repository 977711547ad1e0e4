/**
 * A statement whose text depends on its shape alone, so that a connection can plan a recurring shape once. For small
 * commits PostgreSQL spends as much time on planning as on execution.
 */
import { quoted, Sql, type SqlValue, sql } from './sql.ts'

export type Statement = {
  /** With `$1`, `$2`, … for the params. */
  text: string
  params: readonly Param[]
  /** The same with its values in their places, where it is known. */
  inlined?: string
}

/** `value` is a literal of SQL, including its quotes. The type `unknown` is the one that the place of the param has. */
export type Param = { type: string; value: string }

/** The statement with its values inlined. */
export function plain({ text, params, inlined }: Statement): string {
  if (inlined !== undefined) return inlined
  if (params.length === 0) return text
  return text.replace(/\$(\d+)/g, (_, place: string) => {
    const { type, value } = params[Number(place) - 1]!
    return type === 'unknown' ? value : `${value}::${type}`
  })
}

/** Collects the params of a statement while its text is written. */
export class Params {
  readonly all: Param[] = []

  /** Returns the placeholder for the text. */
  add(type: string, value: string): string {
    this.all.push({ type, value })
    return `$${this.all.length}`
  }

  /** Returns the place of a value as JSON, for a fragment. */
  json(value: unknown): Sql {
    return new Sql(this.add('json', sql.json(value).sql))
  }
}

/** A statement from a template: `planned\`select f(${{ type: 'int', value: '1' }})\``. */
export function planned(texts: TemplateStringsArray, ...params: Param[]): Statement {
  return { text: texts.map((text, place) => (place === 0 ? text : `$${place}${text}`)).join(''), params }
}

/**
 * The statement of a fragment: its texts and lists of texts are params, so that it has the same shape for other people. Literals
 * that stand in the code stay in the text, where the planner finds the partial indexes that they name.
 */
export function statementOf(fragment: Sql): Statement {
  const params = new Params()
  // Values of other kinds stay in the text, and a text of a stranger among them may look like the place of a param.
  return { text: withPlaces(fragment, params), params: params.all, inlined: fragment.sql }
}

function withPlaces({ sql: text, texts, values }: Sql, params: Params): string {
  return texts ? texts.map((part, at) => (at === 0 ? part : placeOf(values[at - 1]!, params) + part)).join('') : text
}

function placeOf(value: SqlValue, params: Params): string {
  if (value instanceof Sql) return withPlaces(value, params)
  if (typeof value === 'string') return params.add('unknown', quoted(value))
  return Array.isArray(value) ? params.add('text[]', quoted(value)) : quoted(value)
}

/**
 * A statement whose text depends on its shape alone, so that a connection can plan a recurring shape once. For small
 * commits PostgreSQL spends as much time on planning as on execution.
 */
import { Sql, sql } from './sql.ts'

export type Statement = {
  /** With `$1`, `$2`, … for the params. */
  text: string
  params: readonly Param[]
}

/** `value` is a literal of SQL, including its quotes. */
export type Param = { type: string; value: string }

/** The statement with its values inlined. */
export function plain({ text, params }: Statement): string {
  if (params.length === 0) return text
  return text.replace(/\$(\d+)/g, (_, place: string) => {
    const { type, value } = params[Number(place) - 1]!
    return `${value}::${type}`
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

/**
 * The part of a record that its audit entry shows: the fields that a change touched, without secrets, in a bounded
 * size.
 */
import { HIDDEN, hideSecretsInFields, hideSecretsInText } from '../values/hide_secrets.ts'

type Fields = Record<string, unknown>

/** Maximum characters of the JSON of `before` and of `after`. */
const MAX_JSON = 16_384
const MAX_TEXT = 1000
/** Characters of a long text that are searched for secrets, more than are shown, as hidden secrets make it shorter. */
const SEARCHED = 4 * MAX_TEXT
const MAX_ITEMS = 50
const MAX_DEPTH = 6

/** Columns with secrets, or with hashes of secrets, whose names `hideSecretsInFields` does not recognise. */
const SECRET_COLUMNS = new Set(['hash', 'password_hash', 'headers'])
/** Columns that change with every change. */
const STAMPS = new Set(['created_at', 'updated_at'])

/** @returns undefined when no field differs */
export function auditDifference(
  before: object | null,
  after: object | null,
): { before: Fields | null; after: Fields | null } | undefined {
  if (!before || !after) return { before: before && fieldsOf(before), after: after && fieldsOf(after) }
  const former = { ...before } as Fields
  const present = { ...after } as Fields
  // The raw values are compared: a new secret differs from the former one, although both are hidden.
  const changed = Object.keys({ ...former, ...present }).filter(
    (name) => !STAMPS.has(name) && JSON.stringify(former[name] ?? null) !== JSON.stringify(present[name] ?? null),
  )
  if (changed.length === 0) return undefined
  const only = (fields: Fields) =>
    Object.fromEntries(changed.filter((name) => name in fields).map((name) => [name, fields[name]]))
  return { before: fieldsOf(only(former)), after: fieldsOf(only(present)) }
}

/** A copy of a record without secrets and of a bounded size. */
function fieldsOf(record: object): Fields {
  const fields: Fields = {}
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined || STAMPS.has(name)) continue
    fields[name] = cut(withoutColumn(name, value), 0)
  }
  return bounded(hideSecretsInFields(fields))
}

/** Names of headers are shown, their values are not. */
function withoutColumn(name: string, value: unknown): unknown {
  if (!SECRET_COLUMNS.has(name) || value === null || value === '') return value
  if (typeof value !== 'object') return HIDDEN
  return Object.fromEntries(Object.keys(value).map((key) => [key, HIDDEN]))
}

/** A copy of JSON that PostgreSQL accepts, with long texts and lists cut. */
function cut(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return cutText(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Date) return value.toISOString()
  if (depth >= MAX_DEPTH) return '[nested too deeply]'
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => cut(item, depth + 1))
    return value.length > MAX_ITEMS ? [...items, `[${value.length - MAX_ITEMS} more]`] : items
  }
  const entries = Object.entries(value)
  const kept = entries.slice(0, MAX_ITEMS).map(([name, field]) => [cutText(name), cut(field, depth + 1)])
  if (entries.length > MAX_ITEMS) kept.push(['[more]', entries.length - MAX_ITEMS])
  return Object.fromEntries(kept)
}

/** `jsonb` takes no NUL and no half of a surrogate pair. */
function cutText(text: string): string {
  const clean = searched(text)
  const kept = text.length > MAX_TEXT ? `${clean.slice(0, MAX_TEXT)}… [${text.length} characters]` : clean
  return kept.replaceAll('\0', '').toWellFormed()
}

/** The text, or the beginning of a long one, without secrets. */
function searched(text: string): string {
  const start = text.slice(0, SEARCHED)
  const clean = hideSecretsInText(start)
  // Long secrets were hidden, so the end comes near to what is shown; a secret that is cut there may look like none.
  const is_near = text.length > SEARCHED && clean.length < 2 * MAX_TEXT
  return is_near ? hideSecretsInText(start.slice(0, start.search(/\s\S*$/) + 1)) : clean
}

/** Replaces the largest fields by their size until the rest fits. */
function bounded(fields: Fields): Fields {
  const sizes = Object.entries(fields).map(([name, value]) => ({ name, size: JSON.stringify(value).length }))
  let all = sizes.reduce((sum, { name, size }) => sum + name.length + size, 0)
  for (const { name, size } of sizes.sort((a, b) => b.size - a.size)) {
    if (all <= MAX_JSON) break
    fields[name] = `[${size} characters]`
    all -= size
  }
  return fields
}

/** The names by which clients read values, in forms that two releases can be compared by. */
import { inlineSchema, type JsonSchema } from '../../actors/mod.ts'
import type { Document } from '../../http/openapi/document.ts'
import { describableRoutes } from './described.ts'

/** Names by what has them, such as the code of an error: `channels[].name`. */
export type FieldNames = Record<string, string[]>

/** The names of the console's requests and answers in the last release. `run_release_descriptions.ts` writes the file. */
export const releasedConsoleFile = new URL('../http/released_console.json', import.meta.url)

/** Returns the names of the former release that the present one lacks, each behind what had it. */
export function missingNames(former: FieldNames, present: FieldNames): string[] {
  return Object.entries(former).flatMap(([of, names]) =>
    present[of] === undefined
      ? [of]
      : names.filter((name) => !present[of]!.includes(name)).map((name) => `${of}: ${name}`),
  )
}

/** Returns the facts in the `details` of each error, which descriptions show by an example that has all of them. */
export function detailNames(document: Document): FieldNames {
  const found: FieldNames = {}
  const look = (part: unknown) => {
    if (typeof part !== 'object' || part === null) return
    const { examples, ...rest } = part as { examples?: Record<string, { value?: { error?: Details } }> }
    for (const [entry, { value } = {}] of Object.entries(examples ?? {})) {
      if (value?.error?.details !== undefined) found[entry] ??= namesIn(value.error.details)
    }
    for (const inner of Object.values(rest)) look(inner)
  }
  look(document)
  return found
}

type Details = { details?: unknown }

function namesIn(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((one) => namesIn(one, `${path}[]`)))]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => {
    const name = joined(path, key)
    return [name, ...namesIn(inner, name)]
  })
}

const joined = (path: string, key: string) => (path === '' ? key : `${path}.${key}`)

/**
 * Returns the names that pages of agents send and read. An open page of one release goes on with nodes of the next, so these
 * names are kept for a release, although no description has them.
 */
export function consoleNames(): FieldNames {
  const routes = describableRoutes().filter(({ auth }) => auth === 'agent')
  return Object.fromEntries(
    routes.flatMap(({ method, path, query, body, response }) => [
      [`${method} ${path} takes`, [query, body].flatMap((one) => (one ? namesOf(inlineSchema(one, 'request')) : []))],
      [`${method} ${path} answers`, response ? namesOf(inlineSchema(response, 'response')) : []],
    ]),
  )
}

const IN_PARTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const

/** The names of a schema without references, each once. */
function namesOf(schema: JsonSchema, path = ''): string[] {
  const { properties = {}, items, additionalProperties } = schema
  const below = (one: unknown, at: string) => (isSchema(one) ? namesOf(one, at) : [])
  const named = Object.entries(properties as Record<string, unknown>).flatMap(([key, inner]) => {
    const name = joined(path, key)
    return [name, ...below(inner, name)]
  })
  const parts = IN_PARTS.flatMap((part) => (schema[part] as unknown[] | undefined) ?? [])
  return [
    ...new Set([
      ...named,
      ...below(items, `${path}[]`),
      ...below(additionalProperties, joined(path, '*')),
      ...parts.flatMap((one) => below(one, path)),
    ]),
  ]
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

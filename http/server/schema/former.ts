import * as v from 'valibot'

/** Former name of a query parameter: `use` is its name now, `at` the moment of its deprecation. */
export type Former = { use: string; at: Date }

/** The parts of a schema that are looked at. */
type Parts = { wrapped?: v.GenericSchema; entries?: Record<string, { former?: Former }> }

/**
 * A former name of the query parameter `use`, whose schema is `schema`. A value under this name is checked and handed on
 * as that of `use`, so that handlers know one name only. `day` is that of the deprecation, such as 2026-11-29.
 */
export function former(use: string, schema: v.GenericSchema, day: string) {
  const { type, wrapped } = schema as v.GenericSchema & Parts
  const inner = type === 'optional' ? wrapped! : schema
  return Object.assign(v.optional(inner), {
    former: { use, at: new Date(day) } satisfies Former,
  })
}

/** The former names in the schema of a query. */
export function formerNamesOf(query: v.GenericSchema | undefined): ReadonlyMap<string, Former> {
  const entries = Object.entries((query as (v.GenericSchema & Parts) | undefined)?.entries ?? {})
  return new Map(entries.flatMap(([name, { former }]) => (former === undefined ? [] : [[name, former]])))
}

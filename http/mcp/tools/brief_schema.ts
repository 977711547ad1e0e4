/**
 * Shortens schemas for lists of tools. A list is read by a model with every conversation, so each token counts, and the
 * request is checked by its route anyway. `api_search` returns the whole schema.
 *
 * A brief schema accepts whatever the whole one accepts.
 */
import type { JsonSchema } from '../../../actors/mod.ts'
import { type ObjectSchema, resolve } from './input_schema.ts'

type Components = Record<string, JsonSchema>

/** Keywords that tell a model how to call. */
const KEPT = ['type', 'enum', 'const', 'minimum', 'maximum', 'default', 'description']
/** Descriptions that say no more than the name and the values of the argument. */
const EMPTY = new RegExp(
  `^(?:${[
    'Only records with this `\\w+`',
    'The id of the [a-z ]+',
    'Maximum records of the page',
    'Records to leave out before the first one',
    'Only records from this moment on',
    'Only records before this moment',
    'The `next_cursor` of the page before',
    'The moment by which the list is ordered',
    '`desc`: the latest first; `asc`: the earliest first',
  ].join('|')})\\.$`,
)
/** A longer description is left to the whole schema. */
const MAX_DESCRIPTION_LENGTH = 160
/** A list of more values than this is left to the whole schema. */
const MAX_VALUES = 12

/** The brief form of the arguments. */
export function briefInput(schema: ObjectSchema, components: Components): ObjectSchema {
  const { required } = schema
  const properties = mapValues(schema.properties, (one) => briefValue(one, components, 2))
  return { type: 'object', properties, ...(required && { required }) }
}

function briefValue(schema: JsonSchema, components: Components, depth: number): JsonSchema {
  const whole = { ...resolve(schema, components) }
  if (schema.description !== undefined) whole.description = schema.description
  const options = whole.oneOf as JsonSchema[] | undefined
  if (options !== undefined) return briefVariant(whole, options, components)
  const brief = pick(whole, KEPT)
  const text = String(brief.description ?? '')
  if (EMPTY.test(text) || text.length > MAX_DESCRIPTION_LENGTH) delete brief.description
  if (Array.isArray(brief.enum) && brief.enum.length > MAX_VALUES) delete brief.enum
  if (whole.properties !== undefined && depth > 0) {
    brief.properties = mapValues(whole.properties as Components, (one) => briefValue(one, components, depth - 1))
    if (whole.required !== undefined) brief.required = whole.required
  }
  if (whole.items !== undefined) brief.items = briefValue(whole.items as JsonSchema, components, depth - 1)
  return brief
}

/** One of several objects that a field tells apart becomes one object, and a line with the fields of each. */
function briefVariant(whole: JsonSchema, options: JsonSchema[], components: Components): JsonSchema {
  const key = (whole.discriminator as { propertyName: string } | undefined)?.propertyName
  if (key === undefined) return pick(whole, ['description'])
  const lines: string[] = []
  const values: unknown[] = []
  for (const option of options) {
    const { properties, required = [] } = resolve(option, components) as Partial<ObjectSchema>
    const value = properties![key]!.const
    const names = Object.keys(properties!).filter((name) => name !== key)
    values.push(value)
    lines.push(`${value} ${names.map((name) => (required.includes(name) ? name : `${name}?`)).join(',')}`)
  }
  const description = [whole.description, `Fields by ${key}: ${lines.join('; ')}`].filter(Boolean).join('. ')
  return { type: 'object', properties: { [key]: { type: 'string', enum: values } }, required: [key], description }
}

/**
 * The brief form of an answer: the names of its fields, and the types of those that are no text. Texts are the most, so
 * that a new field of a record costs little.
 */
export function briefOutput(schema: JsonSchema, components: Components): ObjectSchema {
  return outline(schema, components, 2) as ObjectSchema
}

function outline(schema: JsonSchema, components: Components, depth: number): JsonSchema {
  const whole = resolve(schema, components)
  const brief = [whole.type].flat().includes('string') ? {} : pick(whole, ['type'])
  if (depth === 0) return brief
  const properties = whole.properties as Components | undefined
  if (properties !== undefined) brief.properties = mapValues(properties, (one) => outline(one, components, depth - 1))
  if (whole.items !== undefined) brief.items = outline(whole.items as JsonSchema, components, depth - 1)
  return brief
}

function pick(schema: JsonSchema, keywords: string[]): JsonSchema {
  return Object.fromEntries(keywords.filter((name) => schema[name] !== undefined).map((name) => [name, schema[name]]))
}

function mapValues<In, Out>(record: Record<string, In>, to: (value: In) => Out): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, to(value)]))
}

/**
 * The vocabulary of the event schemas: JSON Schema 2020-12. Objects stay open, so that a field added later breaks no
 * receiver; `additionalProperties: true` marks objects in which a provider sends more fields than are named.
 */
import type * as v from 'valibot'
import { inlineSchema, type JsonSchema } from '../schema/mod.ts'

export type EventType = {
  type: string
  description: string
  /** JSON Schema (2020-12) of the envelope's `data`. */
  schema: JsonSchema
  example: Record<string, unknown>
}

type Properties = Record<string, JsonSchema>

export const text = { type: 'string' }
export const flag = { type: 'boolean' }
export const number = { type: 'number' }
export const count = { type: 'integer', minimum: 0 }
export const time = { type: 'string', format: 'date-time' }
export const url = { type: 'string', format: 'uri' }
export const anyObject = { type: 'object', additionalProperties: true }
export const currency = { type: 'string', pattern: '^[A-Z]{3}$' }
export const recordId = { type: 'string', pattern: '^[0-9a-f]{24}$' }
export const messageId = { type: 'string', pattern: '^msg_[0-9a-f]{24}$' }

export const list = (items: JsonSchema): JsonSchema => ({ type: 'array', items })
export const oneOf = (...values: string[]): JsonSchema => ({ type: 'string', enum: values })
export const described = (schema: JsonSchema, description: string): JsonSchema => ({ ...schema, description })

/** The same, or null. */
export function nullable(schema: JsonSchema): JsonSchema {
  const values = schema.enum as unknown[] | undefined
  return { ...schema, type: [schema.type as string, 'null'], ...(values && { enum: [...values, null] }) }
}

/** An object of ours: every property is present, except the `optional` ones. */
export function record(properties: Properties, optional: Properties = {}): JsonSchema {
  return { type: 'object', properties: { ...properties, ...optional }, required: Object.keys(properties) }
}

/** An object of a provider: fields beyond the named ones may pass through. */
export function provided(properties: Properties, optional: Properties = {}): JsonSchema {
  return { ...record(properties, optional), additionalProperties: true }
}

/** A record as answers show it, but for the fields that events describe more exactly. */
export function recordShape(schema: v.GenericSchema, exact: Properties): JsonSchema {
  const { properties, required } = withoutWords(inlineSchema(schema, 'response')) as JsonSchema & {
    properties: Properties
  }
  return { type: 'object', properties: { ...properties, ...exact }, required }
}

/** Descriptions speak of answers, such as their headers. */
function withoutWords(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutWords)
  if (typeof schema !== 'object' || schema === null) return schema
  const { description, title, additionalProperties, ...rest } = schema as JsonSchema
  const others = Object.entries(rest).map(([name, value]) => [name, withoutWords(value)])
  return { ...Object.fromEntries(others), ...(additionalProperties !== undefined && { additionalProperties: true }) }
}

const test = { _test: { const: true, description: 'Only on test events.' } }

/** The schema of an event's `data`. */
export function dataOf(properties: Properties, optional: Properties = {}): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...record(properties, { ...optional, ...test }),
  }
}

/** The same where the data is a record, as answers show it but for the fields that events describe more exactly. */
export function recordData(schema: v.GenericSchema, exact: Properties = {}): JsonSchema {
  return dataOf(recordShape(schema, exact).properties as Properties)
}

/**
 * The arguments of an operation as one object: path parameters, query parameters and the fields of the body beside each
 * other. A body that is not a plain object, or that has a field of the name of a parameter, is the argument `body`.
 *
 * A body with an `idempotency_key` of its own keeps it as a field: that key promises the same, for longer than the header.
 */

import type { JsonSchema } from '../../../actors/mod.ts'
import { choicesOf } from '../../openapi/choices.ts'
import type { DescribedOperation } from '../../openapi/describe.ts'

export type ObjectSchema = {
  type: 'object'
  properties: Record<string, JsonSchema>
  required?: string[]
  [keyword: string]: unknown
}

/** The place of each argument in the request. */
export type Arguments = {
  path: string[]
  query: string[]
  /** `fields`: the other arguments are the fields of the body. `whole`: the argument `body` is. */
  body: 'none' | 'fields' | 'whole' | 'form'
  /** The argument `idempotency_key` is a field of the body, not the header. */
  has_key_field: boolean
  /** Arguments of the body that are no texts: the text of a JSON value means that value. */
  no_texts: string[]
  schema: ObjectSchema
}

/** The file of an upload; bytes come in Base64. */
const FILE: ObjectSchema = {
  type: 'object',
  description: 'The file: its text, or its bytes in Base64',
  properties: {
    filename: { type: 'string' },
    content_type: { type: 'string' },
    text: { type: 'string' },
    base64: { type: 'string' },
  },
  required: ['filename'],
}

const CONFIRMATION: JsonSchema = {
  type: 'string',
  description: 'Only after a refusal with CONFIRMATION_REQUIRED, and only when the user agreed: its `confirmation`',
}

const KEY: JsonSchema = {
  type: 'string',
  description: 'Choose one per intended effect: a repeated call with it takes effect once',
}

const KEY_NAME = 'idempotency_key'
const CONFIRMATION_NAME = 'confirmation'

/** The arguments that are no fields of the request. */
export function isOwnArgument({ has_key_field }: Arguments, name: string): boolean {
  return name === CONFIRMATION_NAME || (name === KEY_NAME && !has_key_field)
}

/** The whole schema of the arguments. Its references point into the components of the description. */
export function argumentsOf(
  { parameters, body, takes_key }: DescribedOperation,
  components: Record<string, JsonSchema>,
  needs_consent: boolean,
): Arguments {
  const properties: Record<string, JsonSchema> = {}
  const required: string[] = []
  const schema: ObjectSchema = { type: 'object', properties }
  const place: Arguments = { path: [], query: [], body: 'none', has_key_field: false, no_texts: [], schema }
  for (const { name, in: where, schema, description, deprecated, required: is_required } of parameters) {
    if (where === 'header') continue
    place[where].push(name)
    // Accepted, but not offered.
    if (deprecated) continue
    properties[name] = { ...schema, description: (schema.description as string | undefined) ?? description }
    if (is_required) required.push(name)
  }
  if (body !== undefined) {
    const resolved = resolve(body.schema, components)
    const fields = resolved.properties as Record<string, JsonSchema> | undefined
    const is_plain = fields !== undefined && choicesOf(resolved) === undefined
    const collides = is_plain && Object.keys(fields).some((name) => name in properties || name === CONFIRMATION_NAME)
    place.body = body.media_type === 'application/json' ? (is_plain && !collides ? 'fields' : 'whole') : 'form'
    const own = place.body === 'whole' ? { body: body.schema } : (fields ?? {})
    if (place.body !== 'form') place.no_texts = Object.keys(own).filter((name) => !takesText(own[name]!, components))
    if (place.body === 'whole') {
      properties.body = body.schema
      if (body.is_required) required.push('body')
    } else {
      Object.assign(properties, fields)
      required.push(...((resolved.required as string[] | undefined) ?? []))
      place.has_key_field = KEY_NAME in fields!
      if (place.body === 'form') properties.file = FILE
    }
  }
  if (place.has_key_field) properties[KEY_NAME] = { ...properties[KEY_NAME], description: KEY.description }
  else if (takes_key && !needs_consent) properties[KEY_NAME] = KEY
  if (needs_consent) properties[CONFIRMATION_NAME] = CONFIRMATION
  if (required.length > 0) place.schema.required = required
  return place
}

/** True when a text may be valid. Schemas do not contain themselves on this way. */
function takesText(schema: JsonSchema, components: Record<string, JsonSchema>): boolean {
  const resolved = resolve(schema, components)
  const choices = (resolved.anyOf ?? resolved.oneOf ?? resolved.allOf) as JsonSchema[] | undefined
  if (choices !== undefined) return choices.some((choice) => takesText(choice, components))
  const { type } = resolved
  if (type === undefined) return resolved.properties === undefined
  return Array.isArray(type) ? type.includes('string') : type === 'string'
}

const PREFIX = '#/components/schemas/'

/** The schema that a reference means, or the schema itself. */
export function resolve(schema: JsonSchema, components: Record<string, JsonSchema>): JsonSchema {
  const reference = schema.$ref as string | undefined
  return reference === undefined ? schema : components[reference.slice(PREFIX.length)]!
}

/** The schema with all components that it needs in `$defs`, so that it stands alone. */
export function standalone(schema: JsonSchema, components: Record<string, JsonSchema>): JsonSchema {
  const definitions: Record<string, unknown> = {}
  const moved = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(moved)
    if (typeof value !== 'object' || value === null) return value
    const own = Object.entries(value).filter(([key, one]) => key !== 'discriminator' || typeof one !== 'object')
    return Object.fromEntries(own.map(([key, one]) => [key, key === '$ref' ? local(one as string) : moved(one)]))
  }
  const local = (reference: string): string => {
    const name = reference.slice(PREFIX.length)
    if (!(name in definitions)) {
      definitions[name] = true
      definitions[name] = moved(components[name])
    }
    return `#/$defs/${name}`
  }
  const main = moved(schema) as JsonSchema
  return Object.keys(definitions).length === 0 ? main : { ...main, $defs: definitions }
}

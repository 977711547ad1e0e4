/**
 * The vocabulary of the event schemas: JSON Schema 2020-12. Objects stay open, so that a field added later breaks no
 * receiver; `additionalProperties: true` marks objects in which a provider sends more fields than are named.
 */
export type EventType = {
  type: string
  description: string
  /** JSON Schema (2020-12) of the envelope's `data`. */
  schema: JsonSchema
  example: Record<string, unknown>
}

export type JsonSchema = { type?: string | string[]; [keyword: string]: unknown }

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

const test = { _test: { const: true, description: 'Only on test events.' } }

/** The schema of an event's `data`. */
export function dataOf(properties: Properties, optional: Properties = {}): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...record(properties, { ...optional, ...test }),
  }
}

/** Ids of the records in the examples of events and of the API. The same record has the same id in all examples. */
export const ids = {
  channel: '66f2a0c1d4e5f60718293a4b',
  contact: '66f2a0c1d4e5f60718293a4c',
  message: 'msg_66f2a0c1d4e5f60718293a4d',
  broadcast: 'brd_66f2a0c1d4e5f60718293a4e',
  flow: '66f2a0c1d4e5f60718293a4f',
  ticket: '66f2a0c1d4e5f60718293a50',
  customer: '66f2a0c1d4e5f60718293a51',
  user: '66f2a0c1d4e5f60718293a52',
  tag: '66f2a0c1d4e5f60718293a53',
  stage: '66f2a0c1d4e5f60718293a54',
  next_stage: '66f2a0c1d4e5f60718293a55',
  note: '66f2a0c1d4e5f60718293a56',
  event: '66f2a0c1d4e5f60718293a57',
  appointment: '66f2a0c1d4e5f60718293a58',
  membership: '66f2a0c1d4e5f60718293a59',
  ledger_entry: '66f2a0c1d4e5f60718293a5a',
  template: '66f2a0c1d4e5f60718293a5b',
  company: '66f2a0c1d4e5f60718293a48',
  project: '66f2a0c1d4e5f60718293a49',
  tool: '66f2a0c1d4e5f60718293a5c',
  assistant: '66f2a0c1d4e5f60718293a5d',
  block: '66f2a0c1d4e5f60718293a5e',
  version: '66f2a0c1d4e5f60718293a5f',
  delivery: 'dlv_66f2a0c1d4e5f60718293a60',
  webhook: 'wh_66f2a0c1d4e5f60718293a61',
  folder: '66f2a0c1d4e5f60718293a62',
  node: '66f2a0c1d4e5f60718293a63',
  program: '66f2a0c1d4e5f60718293a64',
  pipeline: '66f2a0c1d4e5f60718293a65',
  event_type: '66f2a0c1d4e5f60718293a66',
  custom_field: '66f2a0c1d4e5f60718293a67',
  operator_key: '66f2a0c1d4e5f60718293a68',
  token: '66f2a0c1d4e5f60718293a69',
  export: '66f2a0c1d4e5f60718293a6a',
  erasure: '66f2a0c1d4e5f60718293a6b',
  media: '66f2a0c1d4e5f60718293a6c',
  webhook_event: 'evt_66f2a0c1d4e5f60718293a57',
  entry: '66f2a0c1d4e5f60718293a6d',
  inbound_message: 'msg_66f2a0c1d4e5f60718293a6e',
  canned_response: '66f2a0c1d4e5f60718293a6f',
}

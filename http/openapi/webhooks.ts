/** The webhooks of the description: each event type as a request that a subscriber gets. */

import { type EventType, eventTypes, incomingMessage, type JsonSchema } from '../../actors/mod.ts'

const REQUEST_ID = 'X-Request-Id'

const HEADERS: [name: string, description: string, example: string][] = [
  ['X-Svc-Signature', 'The time and the HMAC-SHA256 of the time and the raw body, in hex.', 't=1790000000,v1=5257a8…'],
  ['webhook-id', 'The id of the event; the same in all attempts.', 'evt_66f2a0c1d4e5f60718293a57'],
  ['webhook-timestamp', 'The moment of the attempt, in Unix seconds.', '1790000000'],
  [
    'webhook-signature',
    'The signature as Standard Webhooks has it; several are separated by blanks.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ],
  ['X-Svc-Event', 'The type of the event.', 'crm.ticket.updated'],
  ['X-Svc-Delivery', 'The id of the delivery.', 'dlv_66f2a0c1d4e5f60718293a60'],
  ['X-Svc-Attempt', 'The number of the attempt, from 1.', '1'],
  [REQUEST_ID, 'The request from which the event came; missing where none did.', 'req_9nTxZk2mVb4c_1f'],
]

const DELIVERED = {
  '2XX': { description: 'The receiver has the event. Any other answer is retried, or ends the delivery.' },
  '4XX': { description: 'The receiver refuses the event. Only 408 and 429 are retried.' },
}

const THIN_DATA: JsonSchema = {
  type: 'object',
  description: 'The data of events for subscriptions with `payload: thin`: paths of this API.',
  properties: {
    event: { type: 'string', pattern: '^/v1/events/evt_[0-9a-f]{24}$', description: 'The whole event.' },
    record: {
      type: ['string', 'null'],
      description: 'The record of the event as it is now; null when it has no path.',
    },
    _test: { const: true, description: 'Only on test events.' },
  },
  required: ['event', 'record'],
}

const CLOUD_EVENT: JsonSchema = {
  type: 'object',
  description: 'The body for subscriptions with `format: cloudevents`: CloudEvents 1.0 in structured mode.',
  properties: {
    specversion: { const: '1.0' },
    id: { type: 'string', pattern: '^evt_[0-9a-f]{24}$', description: 'The id of the event.' },
    source: { type: 'string', format: 'uri', description: 'The address of the project.' },
    type: { type: 'string', description: 'The type of the event.' },
    time: { type: 'string', format: 'date-time' },
    datacontenttype: { const: 'application/json' },
    projectid: { type: 'string', pattern: '^[0-9a-f]{24}$' },
    data: {
      description: 'As in the body of application/json.',
      anyOf: [{ $ref: '#/components/schemas/ThinEventData' }, { type: 'object', additionalProperties: true }],
    },
  },
  required: ['specversion', 'id', 'source', 'type', 'time', 'datacontenttype', 'projectid', 'data'],
}

/** The items of the document, and a schema for each event's payload. */
export function webhooksOf(taken: Record<string, JsonSchema>): {
  items: Record<string, unknown>
  schemas: Record<string, JsonSchema>
} {
  const schemas: Record<string, JsonSchema> = {
    ThinEventData: THIN_DATA,
    CloudEvent: CLOUD_EVENT,
    IncomingMessage: incomingMessage,
  }
  const items: Record<string, unknown> = {}
  for (const name of Object.keys(schemas)) if (name in taken) throw new Error(`two schemas have the name ${name}`)
  for (const event of eventTypes) {
    const name = `${pascal(event.type)}Event`
    if (name in taken) throw new Error(`two schemas have the name ${name}`)
    schemas[name] = envelopeSchema(event)
    items[event.type] = { post: receiving(event, name) }
  }
  return { items, schemas }
}

/** The body of a delivery. */
function envelopeSchema({ type, description, schema: { $schema: _, ...data } }: EventType): JsonSchema {
  return {
    type: 'object',
    description,
    properties: {
      id: { type: 'string', pattern: '^evt_[0-9a-f]{24}$', description: 'The id of the event.' },
      type: { const: type },
      created_at: { type: 'string', format: 'date-time' },
      project_id: { type: 'string', pattern: '^[0-9a-f]{24}$' },
      data: withReference(data) as JsonSchema,
    },
    required: ['id', 'type', 'created_at', 'project_id', 'data'],
  }
}

/** Seven events have incoming messages, whose schema is large. */
function withReference(schema: unknown): unknown {
  if (schema === incomingMessage) return { $ref: '#/components/schemas/IncomingMessage' }
  if (Array.isArray(schema)) return schema.map(withReference)
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, withReference(value)]))
}

function receiving({ type, description, example }: EventType, name: string) {
  return {
    operationId: `receive_${type.replaceAll('.', '_')}`,
    tags: ['Events'],
    summary: description,
    description: `Sent to the subscriptions whose \`events\` contain \`${type}\` or a pattern for it. With \`payload: thin\`, \`data\` is a ThinEventData instead.`,
    security: [],
    parameters: HEADERS.map(([header, text, value]) => ({
      name: header,
      in: 'header',
      required: header !== REQUEST_ID,
      description: text,
      schema: { type: 'string' },
      example: value,
    })),
    requestBody: {
      required: true,
      content: {
        'application/json': {
          schema: { $ref: `#/components/schemas/${name}` },
          example: {
            id: 'evt_66f2a0c1d4e5f60718293a57',
            type,
            created_at: '2026-09-21T14:13:20.000Z',
            project_id: '66f2a0c1d4e5f60718293a49',
            data: example,
          },
        },
        'application/cloudevents+json': { schema: { $ref: '#/components/schemas/CloudEvent' } },
      },
    },
    responses: DELIVERED,
  }
}

/** `crm.ticket.stage_changed` becomes `CrmTicketStageChanged`. */
function pascal(type: string): string {
  return type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Outbound webhook subscriptions and their deliveries. */
import * as v from 'valibot'
import { envelopeOf, eventTypes, jwkOf } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import {
  findDelivery,
  findEvent,
  findWebhook,
  listAttempts,
  listDeliveries,
  listWebhookKeys,
  listWebhooks,
  newDate,
} from '../../storage/mod.ts'
import { ReadLimiter } from '../server/read_limiter.ts'
import { ResponseWithHeaders } from '../server/response_with_headers.ts'
import type { RequestContext, Route } from '../server/route.ts'
import { across, fieldsOf } from '../server/schema/across.ts'
import { cursor, idPattern, limit, pageOf, plainIdPattern, timestamp } from '../server/schema/fields.ts'
import { inOrder, instant, instantQuery } from '../server/schema/instant.ts'
import { maxCharacters } from '../server/schema/length.ts'
import { named } from '../server/schema/named.ts'
import type { AllowUrl } from './outbound_fields.ts'
import { mustRead, type WebhookPolls } from './polls/polls.ts'
import { eventType, webhookBodies, webhookDefaults } from './webhook_fields.ts'

const recovery = named(
  'WebhookRecovery',
  v.object({
    since: timestamp,
    until: timestamp,
    status: v.picklist(['running', 'completed', 'cancelled']),
    total: v.nullable(v.number()),
    requeued: v.number(),
    started_at: timestamp,
    completed_at: v.nullable(timestamp),
  }),
)

const webhook = named(
  'Webhook',
  v.object({
    id: v.pipe(v.string(), v.regex(idPattern('wh'))),
    name: v.string(),
    mode: v.picklist(['push', 'poll']),
    url: v.nullable(v.string()),
    events: v.array(v.string()),
    payload: v.picklist(['full', 'thin']),
    format: v.picklist(['standard', 'cloudevents']),
    headers: v.record(v.string(), v.string()),
    is_active: v.boolean(),
    ordering: v.picklist(['none', 'subscription', 'contact']),
    concurrency: v.number(),
    ed25519: v.boolean(),
    disable_on_410: v.boolean(),
    secret_prefix: v.string(),
    previous_secret_until: v.nullable(timestamp),
    failure_count: v.number(),
    disabled_reason: v.nullable(v.string()),
    last_delivery_at: v.nullable(timestamp),
    recovery: v.nullable(recovery),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

const withSecret = named(
  'WebhookWithSecret',
  v.object({ ...webhook.entries, secret: v.pipe(v.string(), v.startsWith('whsec_')) }),
)

const deliveryStatus = v.picklist(['pending', 'success', 'failed', 'dead'])

const delivery = named(
  'WebhookDelivery',
  v.object({
    id: v.pipe(v.string(), v.regex(idPattern('dlv'))),
    event_id: v.pipe(v.string(), v.regex(idPattern('evt'))),
    event_type: v.string(),
    status: deliveryStatus,
    status_code: v.nullable(v.number()),
    attempts: v.number(),
    duration_ms: v.nullable(v.number()),
    last_error: v.nullable(v.string()),
    next_attempt_at: v.nullable(timestamp),
    delivered_at: v.nullable(timestamp),
    is_test: v.boolean(),
    created_at: timestamp,
  }),
)

const event = named(
  'WebhookEvent',
  v.object({
    id: delivery.entries.event_id,
    type: v.string(),
    created_at: timestamp,
    project_id: v.string(),
    data: v.record(v.string(), v.unknown()),
  }),
)

const signingKey = named(
  'WebhookSigningKey',
  v.object({
    id: v.string(),
    public_key: v.pipe(v.string(), v.startsWith('whpk_')),
    created_at: timestamp,
    valid_until: v.nullable(timestamp),
  }),
)

const jwk = v.object({
  kty: v.literal('OKP'),
  crv: v.literal('Ed25519'),
  x: v.string(),
  kid: v.string(),
  use: v.literal('sig'),
  alg: v.literal('EdDSA'),
})

const attempt = named(
  'WebhookAttempt',
  v.object({
    attempt: v.number(),
    started_at: timestamp,
    status_code: v.nullable(v.number()),
    duration_ms: v.number(),
    error: v.nullable(v.string()),
    headers_sent: v.record(v.string(), v.string()),
    excerpt: v.nullable(v.string()),
  }),
)

const reads = { auth: 'token', scope: 'webhooks:read' } as const
const manages = { auth: 'token', scope: 'webhooks:manage' } as const
/** A former secret that was leaked should not count for longer than a week. */
const graceSeconds = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(604_800))
const pollQuery = v.pipe(
  v.strictObject({
    cursor: v.optional(v.pipe(v.string(), maxCharacters(64))),
    since: v.optional(instantQuery),
    limit,
    wait: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^\d{1,2}$/, 'must be a whole number of seconds from 0 to 25'),
        v.transform(Number),
        v.maxValue(25),
      ),
      '0',
    ),
  }),
  across((value, say) => {
    const { cursor, since } = fieldsOf(value)
    if (cursor !== undefined && since !== undefined) say('may not be given with cursor', ['since'])
  }),
)
const recoveryRange = v.pipe(
  v.strictObject({
    since: v.pipe(
      instant,
      v.check((since) => since <= newDate().toISOString(), 'must not be in the future'),
    ),
    until: v.optional(instant),
  }),
  inOrder(),
)

/** For routes under one subscription. */
const one = {
  params: { id: idPattern('wh') },
  missing: 'WEBHOOK_NOT_FOUND',
  errors: ['WEBHOOK_NOT_FOUND'],
} satisfies Partial<Route>

/** For routes under one of its deliveries. */
const oneDelivery = {
  params: { ...one.params, delivery_id: idPattern('dlv') },
  missing: 'DELIVERY_NOT_FOUND',
  errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND'],
} satisfies Partial<Route>

export function webhookRoutes(allow_url: AllowUrl, polls: Pick<WebhookPolls, 'poll'>): Route[] {
  const { create, update } = webhookBodies(allow_url)
  // Strangers read one at a time.
  const strangers = new ReadLimiter(1)
  return [
    {
      ...manages,
      method: 'POST',
      path: '/v1/webhooks',
      operation: 'create_webhook',
      example: {
        body: {
          name: 'Orders',
          url: 'https://shop.example.com/hooks',
          events: ['crm.ticket.updated', 'whatsapp.message.received'],
        },
      },
      audited: true,
      summary: 'Subscribe an address to events; only this answer shows the secret, until it is rotated',
      body: create,
      status: 201,
      response: withSecret,
      command: ({ body }) => ({ type: 'create_webhook', ...webhookDefaults, ...body }),
    },
    {
      ...reads,
      method: 'GET',
      path: '/v1/webhooks',
      operation: 'list_webhooks',
      summary: 'List the subscriptions of the project',
      status: 200,
      response: v.object({ data: v.array(webhook) }),
      read: async (_, { database, project_id }) => ({ data: await listWebhooks(database, project_id) }),
    },
    {
      ...reads,
      method: 'GET',
      path: '/v1/webhooks/event-types',
      operation: 'list_event_types',
      summary: 'List the event types for subscriptions, each with the JSON Schema of its data and an example',
      status: 200,
      response: v.object({
        data: v.array(
          v.object({
            type: v.string(),
            description: v.string(),
            schema: v.record(v.string(), v.unknown()),
            example: v.record(v.string(), v.unknown()),
          }),
        ),
      }),
      read: () => ({ data: eventTypes }),
    },
    {
      ...reads,
      method: 'GET',
      path: '/v1/webhooks/signing-keys',
      operation: 'list_webhook_signing_keys',
      summary: 'List the public Ed25519 keys with which deliveries are signed where ed25519 is set',
      status: 200,
      response: v.object({ data: v.array(signingKey) }),
      read: async (_, { database, project_id }) => ({ data: await listWebhookKeys(database, project_id) }),
    },
    {
      ...manages,
      method: 'POST',
      path: '/v1/webhooks/signing-keys/rotate',
      operation: 'rotate_webhook_signing_key',
      audited: true,
      summary: 'Replace the Ed25519 key; the former one is no longer used, or signs too for grace_s seconds',
      body: v.strictObject({ grace_s: v.optional(graceSeconds) }),
      optional_body: true,
      status: 200,
      response: signingKey,
      command: ({ body }) => ({ type: 'rotate_webhook_signing_key', ...body }),
    },
    {
      method: 'GET',
      path: '/v1/projects/:id/jwks.json',
      operation: 'get_webhook_jwks',
      summary: 'Get the public keys of a project as a JSON Web Key Set; no token is needed',
      auth: 'none',
      counted_as: 'page',
      pool: 'exempt',
      params: { id: plainIdPattern },
      errors: ['NOT_FOUND'],
      status: 200,
      response: v.object({ keys: v.array(jwk) }),
      async read({ params }, { database }) {
        const keys = await strangers.run(() => listWebhookKeys(database, params.id!))
        if (keys.length === 0) throw new Refusal('NOT_FOUND')
        return new ResponseWithHeaders({ keys: keys.map(jwkOf) }, 'Cache-Control: public, max-age=300\r\n')
      },
    },
    {
      ...reads,
      method: 'GET',
      path: '/v1/events/:id',
      operation: 'get_webhook_event',
      summary: 'Get one event as webhooks deliver it; the scope that reads its record is needed, too',
      description:
        'Beside `webhooks:read` the token needs the scope of the record, such as `messages:read` for messages; `details.missing` of the refusal names it.',
      params: { id: idPattern('evt') },
      status: 200,
      response: event,
      async read({ params }, context) {
        const { database, project_id, session } = context
        const event = await findEvent(database, project_id, params.id!)
        if (!event) throw new Refusal('NOT_FOUND')
        // Agents may read every record of their projects.
        if (!session) await mustRead(database, context, [event.type])
        return JSON.parse(envelopeOf(event))
      },
    },
    {
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/webhooks/:id',
      operation: 'get_webhook',
      summary: 'Get one subscription',
      status: 200,
      response: webhook,
      read: ({ params }, context) => subscription(context, params.id!),
    },
    {
      ...manages,
      ...one,
      method: 'PATCH',
      path: '/v1/webhooks/:id',
      operation: 'update_webhook',
      example: { body: { events: ['crm.ticket.updated'] } },
      audited: true,
      summary: 'Change the given fields; is_active: true also clears the failures of a disabled subscription',
      errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_POLLED'],
      body: update,
      status: 200,
      response: webhook,
      command: ({ params, body }) => ({ type: 'update_webhook', id: params.id!, patch: body }),
    },
    {
      ...manages,
      ...one,
      method: 'DELETE',
      path: '/v1/webhooks/:id',
      operation: 'delete_webhook',
      audited: true,
      summary: 'Delete a subscription; nothing more is sent to it',
      status: 204,
      command: ({ params }) => ({ type: 'delete_webhook', id: params.id! }),
    },
    {
      ...manages,
      ...one,
      method: 'POST',
      path: '/v1/webhooks/:id/rotate-secret',
      operation: 'rotate_webhook_secret',
      example: { body: { grace_s: 3600 } },
      audited: true,
      summary: 'Replace the secret; the old one is no longer used, or signs too for grace_s seconds',
      body: v.strictObject({ grace_s: v.optional(graceSeconds) }),
      optional_body: true,
      status: 200,
      response: withSecret,
      command: ({ params, body }) => ({ type: 'rotate_webhook_secret', id: params.id!, ...body }),
    },
    {
      ...manages,
      ...one,
      method: 'POST',
      path: '/v1/webhooks/:id/test',
      operation: 'test_webhook',
      example: { body: { event_type: 'crm.ticket.updated' } },
      summary:
        'Send a test event of a type, signed like a real one, even if the subscription does not listen to the type',
      body: v.strictObject({ event_type: eventType }),
      status: 202,
      response: v.object({ accepted: v.literal(true), event_id: delivery.entries.event_id }),
      command: ({ params, body }) => ({ type: 'test_webhook', id: params.id!, event_type: body.event_type }),
    },
    {
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/webhooks/:id/poll',
      operation: 'poll_webhook',
      summary:
        'Fetch the events of a polled subscription, in order; a cursor acknowledges those before it, wait is in seconds',
      description:
        'Without a cursor it begins with the first event that was not acknowledged. Beside `webhooks:read` the token needs the scopes that read the records of the subscribed types, unless the payload is thin. Items have the form that the subscription asks for.',
      // As deliveries to an address are: receivers cannot choose how many events there are.
      pool: 'exempt',
      waits: true,
      query: pollQuery,
      errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_PUSHED'],
      status: 200,
      response: v.object({
        data: v.array(v.union([event, v.record(v.string(), v.unknown())])),
        next_cursor: v.string(),
        has_more: v.boolean(),
      }),
      act: async ({ params, query }, context) => ({
        changes: [],
        answer: { json: await polls.poll(context, params.id!, query) },
      }),
    },
    {
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/webhooks/:id/deliveries',
      operation: 'list_webhook_deliveries',
      summary: 'List deliveries to a subscription, newest first',
      query: v.pipe(
        v.strictObject({
          status: v.optional(deliveryStatus),
          event_type: v.optional(eventType),
          since: v.optional(instantQuery),
          until: v.optional(instantQuery),
          limit,
          cursor: cursor('dlv'),
        }),
        inOrder(),
      ),
      status: 200,
      response: pageOf(delivery),
      async read({ params, query: { limit, cursor, ...filter } }, context) {
        const { database, project_id } = context
        const [page] = await Promise.all([
          listDeliveries(database, project_id, params.id!, filter, { limit, cursor }),
          subscription(context, params.id!),
        ])
        return page
      },
    },
    {
      ...reads,
      ...oneDelivery,
      method: 'GET',
      path: '/v1/webhooks/:id/deliveries/:delivery_id',
      operation: 'get_webhook_delivery',
      summary: 'Get one delivery with each attempt: the request without secrets, and the response',
      status: 200,
      response: v.object({ ...delivery.entries, attempt_records: v.array(attempt) }),
      async read({ params }, context) {
        await subscription(context, params.id!)
        const { database, project_id } = context
        const found = await findDelivery(database, project_id, params.id!, params.delivery_id!)
        if (!found) throw new Refusal('DELIVERY_NOT_FOUND')
        return { ...found, attempt_records: await listAttempts(database, found.id) }
      },
    },
    {
      ...manages,
      ...oneDelivery,
      method: 'POST',
      path: '/v1/webhooks/:id/deliveries/:delivery_id/redeliver',
      operation: 'redeliver_webhook_delivery',
      audited: true,
      summary: 'Send one delivery again, whatever its result was; its attempts start anew',
      errors: [...oneDelivery.errors, 'WEBHOOK_INACTIVE', 'WEBHOOK_POLLED', 'EVENT_EXPIRED'],
      status: 202,
      response: v.object({ accepted: v.literal(true), delivery_id: delivery.entries.id }),
      command: ({ params }) => ({ type: 'redeliver_webhook', id: params.id!, delivery_id: params.delivery_id! }),
    },
    {
      ...manages,
      ...one,
      method: 'POST',
      path: '/v1/webhooks/:id/recover',
      operation: 'recover_webhook',
      example: { body: { since: '2026-09-21T14:13:20.000Z' } },
      audited: true,
      summary: 'Send all deliveries again that failed for good since a time; the subscription shows the progress',
      body: recoveryRange,
      errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_INACTIVE', 'WEBHOOK_POLLED'],
      status: 202,
      response: v.object({ accepted: v.literal(true), since: timestamp, until: timestamp }),
      command: ({ params, body }) => ({
        type: 'recover_webhook',
        id: params.id!,
        since: body.since,
        until: body.until,
      }),
    },
  ]
}

/** @throws {Refusal} WEBHOOK_NOT_FOUND, also for a subscription of another project */
async function subscription({ database, project_id }: RequestContext, id: string) {
  const found = await findWebhook(database, project_id, id)
  if (!found) throw new Refusal('WEBHOOK_NOT_FOUND')
  return found
}

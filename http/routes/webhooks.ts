/** Outbound webhook subscriptions and what was delivered to them. */
import * as v from 'valibot'
import { eventTypes } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import { findWebhook, listDeliveries, listWebhooks } from '../../storage/mod.ts'
import type { RequestContext, Route } from '../route.ts'
import { cursor, idPattern, limit, pageOf, timestamp } from './fields.ts'
import { type AllowHttp, eventType, webhookBodies } from './webhook_fields.ts'

const webhook = v.object({
  id: v.pipe(v.string(), v.regex(idPattern('wh'))),
  name: v.string(),
  url: v.string(),
  events: v.array(v.string()),
  headers: v.record(v.string(), v.string()),
  is_active: v.boolean(),
  secret_prefix: v.string(),
  failure_count: v.number(),
  disabled_reason: v.nullable(v.string()),
  last_delivery_at: v.nullable(timestamp),
  created_at: timestamp,
  updated_at: timestamp,
})

const withSecret = v.object({ ...webhook.entries, secret: v.pipe(v.string(), v.startsWith('whsec_')) })

const deliveryStatus = v.picklist(['pending', 'success', 'failed', 'dead'])

const delivery = v.object({
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
})

const reads = { auth: 'token', scope: 'webhooks:read' } as const
const manages = { auth: 'token', scope: 'webhooks:manage' } as const
/** For routes under one subscription. */
const one = {
  params: { id: idPattern('wh') },
  missing: 'WEBHOOK_NOT_FOUND',
  errors: ['WEBHOOK_NOT_FOUND'],
} satisfies Partial<Route>

export function webhookRoutes(allow_http: AllowHttp): Route[] {
  const { create, update } = webhookBodies(allow_http)
  return [
    {
      ...manages,
      method: 'POST',
      path: '/v1/webhooks',
      operation: 'create_webhook',
      summary: 'Subscribe an address to events; the answer is the only one that shows the secret, until it is rotated',
      body: create,
      status: 201,
      response: withSecret,
      command: ({ body }) => ({ type: 'create_webhook', ...body }),
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
      summary: 'List the events a subscription can ask for, each with the JSON Schema of its data and an example',
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
      summary: 'Change the fields that are sent; is_active: true also forgives a disabled subscription its failures',
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
      summary: 'End a subscription; nothing more is sent to it',
      status: 204,
      command: ({ params }) => ({ type: 'delete_webhook', id: params.id! }),
    },
    {
      ...manages,
      ...one,
      method: 'POST',
      path: '/v1/webhooks/:id/rotate-secret',
      operation: 'rotate_webhook_secret',
      summary: 'Replace the secret; the old one signs nothing from now on',
      status: 200,
      response: withSecret,
      command: ({ params }) => ({ type: 'rotate_webhook_secret', id: params.id! }),
    },
    {
      ...manages,
      ...one,
      method: 'POST',
      path: '/v1/webhooks/:id/test',
      operation: 'test_webhook',
      summary: 'Send a made-up event of a type, signed like a real one, whatever the subscription listens to',
      body: v.strictObject({ event_type: eventType }),
      status: 202,
      response: v.object({ accepted: v.literal(true), event_id: delivery.entries.event_id }),
      command: ({ params, body }) => ({ type: 'test_webhook', id: params.id!, event_type: body.event_type }),
    },
    {
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/webhooks/:id/deliveries',
      operation: 'list_webhook_deliveries',
      summary: 'List deliveries to a subscription, newest first',
      query: v.strictObject({ status: v.optional(deliveryStatus), limit, cursor: cursor('dlv') }),
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
  ]
}

/** Throws WEBHOOK_NOT_FOUND for one of another project too. */
async function subscription({ database, project_id }: RequestContext, id: string) {
  const found = await findWebhook(database, project_id, id)
  if (!found) throw new Refusal('WEBHOOK_NOT_FOUND')
  return found
}

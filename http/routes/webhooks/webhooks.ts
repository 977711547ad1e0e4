/** Outbound webhook subscriptions. */
import * as v from 'valibot'
import { idWithPrefix, timestamp, toWebhookRecord, webhookRecord, webhookWithSecret } from '../../../actors/mod.ts'
import { listWebhooks, newDate } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { offset, pageAmong, uncountedPageOf, wholeLimit } from '../../server/schema/fields.ts'
import { inOrder, instant } from '../../server/schema/instant.ts'
import type { AllowUrl } from '../outbound_fields.ts'
import type { WebhookPolls } from '../polls/polls.ts'
import { deliveryRoutes } from './deliveries.ts'
import { eventRoute, eventTypeRoute, pollRoute } from './events.ts'
import { eventType, graceSeconds, webhookBodies, webhookDefaults } from './fields.ts'
import { oneWithoutSecrets, withoutSecrets } from './headers.ts'
import { manages, one, reads, subscription } from './places.ts'
import { signingKeyRoutes } from './signing_keys.ts'

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

/** In the order of the manual. */
export function webhookRoutes(allow_url: AllowUrl, polls: Pick<WebhookPolls, 'poll'>): Route[] {
  const { create, update } = webhookBodies(allow_url)
  return [
    route({
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
      response: webhookWithSecret,
      errors: ['WEBHOOK_LIMIT_REACHED'],
      command: ({ body }) => ({ type: 'create_webhook', ...webhookDefaults, ...body }),
    }),
    route({
      ...reads,
      method: 'GET',
      path: '/v1/webhooks',
      operation: 'list_webhooks',
      summary: 'List the subscriptions of the project, newest first',
      query: v.strictObject({ limit: wholeLimit, offset }),
      status: 200,
      response: uncountedPageOf(webhookRecord),
      async read({ query: page }, context) {
        const { database, project_id } = context
        const rows = await listWebhooks(database, project_id)
        const records = rows.map((row) => toWebhookRecord(database, row))
        return pageAmong(await withoutSecrets(context, records), page)
      },
    }),
    eventTypeRoute,
    ...signingKeyRoutes(),
    eventRoute,
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/webhooks/:id',
      operation: 'get_webhook',
      summary: 'Get one subscription',
      status: 200,
      response: webhookRecord,
      async read({ params }, context) {
        const record = toWebhookRecord(context.database, await subscription(context, params.id))
        return oneWithoutSecrets(context, record)
      },
    }),
    route({
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
      response: webhookRecord,
      command: ({ params, body }) => ({ type: 'update_webhook', id: params.id, patch: body }),
    }),
    route({
      ...manages,
      ...one,
      method: 'DELETE',
      path: '/v1/webhooks/:id',
      operation: 'delete_webhook',
      audited: true,
      summary: 'Delete a subscription; nothing more is sent to it',
      status: 204,
      command: ({ params }) => ({ type: 'delete_webhook', id: params.id }),
    }),
    route({
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
      response: webhookWithSecret,
      command: ({ params, body }) => ({ type: 'rotate_webhook_secret', id: params.id, ...body }),
    }),
    route({
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
      response: v.object({ accepted: v.literal(true), event_id: idWithPrefix('evt') }),
      command: ({ params, body }) => ({ type: 'test_webhook', id: params.id, event_type: body.event_type }),
    }),
    pollRoute(polls),
    ...deliveryRoutes,
    route({
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
        id: params.id,
        since: body.since,
        until: body.until,
      }),
    }),
  ]
}

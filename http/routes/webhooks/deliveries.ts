/** The deliveries to a subscription. */
import * as v from 'valibot'
import {
  deliveryRecord,
  deliveryStatus,
  deliveryWithAttempts,
  idPattern,
  toDeliveryRecord,
  toDeliveryWithAttempts,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import {
  findDelivery,
  findPolledDelivery,
  listAttempts,
  listDeliveries,
  listPolledDeliveries,
} from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { cursor, limit, pageOf } from '../../server/schema/fields.ts'
import { inOrder, range } from '../../server/schema/instant.ts'
import { eventType } from './fields.ts'
import { manages, one, reads, subscription } from './places.ts'

/** The query of a list of deliveries. */
export const deliveryQuery = v.pipe(
  v.strictObject({
    status: v.optional(deliveryStatus),
    event_type: v.optional(eventType),
    ...range,
    limit,
    cursor: cursor('dlv'),
  }),
  inOrder(),
)

/** For routes under one of its deliveries. */
const oneDelivery = {
  params: { ...one.params, delivery_id: idPattern('dlv') },
  missing: 'DELIVERY_NOT_FOUND',
  errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND'],
} satisfies Partial<Route>

export const deliveryRoutes: Route[] = [
  route({
    ...reads,
    ...one,
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries',
    operation: 'list_webhook_deliveries',
    summary: 'List deliveries to a subscription, newest first',
    query: deliveryQuery,
    status: 200,
    response: pageOf(deliveryRecord),
    async read({ params, query: { limit, cursor, ...filter } }, context) {
      const { database, project_id } = context
      const { mode } = await subscription(context, params.id)
      const list = mode === 'poll' ? listPolledDeliveries : listDeliveries
      const page = await list(database, project_id, params.id, filter, { limit, cursor })
      return { ...page, data: page.data.map(toDeliveryRecord) }
    },
  }),
  route({
    ...reads,
    ...oneDelivery,
    method: 'GET',
    path: '/v1/webhooks/:id/deliveries/:delivery_id',
    operation: 'get_webhook_delivery',
    summary: 'Get one delivery with each attempt: the request without secrets, and the response',
    status: 200,
    response: deliveryWithAttempts,
    async read({ params }, context) {
      const { mode } = await subscription(context, params.id)
      const { database, project_id } = context
      const find = mode === 'poll' ? findPolledDelivery : findDelivery
      const found = await find(database, project_id, params.id, params.delivery_id)
      if (!found) throw new Refusal('DELIVERY_NOT_FOUND')
      return toDeliveryWithAttempts(found, await listAttempts(database, found.id))
    },
  }),
  route({
    ...manages,
    ...oneDelivery,
    method: 'POST',
    path: '/v1/webhooks/:id/deliveries/:delivery_id/redeliver',
    operation: 'redeliver_webhook_delivery',
    audited: true,
    summary: 'Send one delivery again, whatever its result was; its attempts start anew',
    errors: [...oneDelivery.errors, 'WEBHOOK_INACTIVE', 'WEBHOOK_POLLED', 'EVENT_EXPIRED'],
    status: 202,
    response: v.object({ accepted: v.literal(true), delivery_id: deliveryRecord.entries.id }),
    command: ({ params }) => ({ type: 'redeliver_webhook', id: params.id, delivery_id: params.delivery_id }),
  }),
]

/**
 * Deliveries of subscriptions, for operators: those of a deleted subscription stay readable until they are too old, because
 * its end is often what has to be explained.
 */
import {
  deliveryRecord,
  deliveryWithAttempts,
  idPattern,
  toDeliveryRecord,
  toDeliveryWithAttempts,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import {
  type Database,
  findDelivery,
  findPolledDelivery,
  findReceiver,
  listAttempts,
  listDeliveries,
  listPolledDeliveries,
  type Receiver,
} from '../../../storage/mod.ts'
import { deliveryQuery } from '../../routes/webhooks/deliveries.ts'
import type { Route } from '../../server/route/route.ts'
import { pageOf } from '../../server/schema/fields.ts'
import { operatorRoute } from '../operator_route.ts'

/** @throws {Refusal} NOT_FOUND when neither the subscription nor a delivery to it exists */
async function receiver(database: Database, id: string): Promise<Receiver> {
  const found = await findReceiver(database, id)
  if (!found) throw new Refusal('NOT_FOUND')
  return found
}

export const deliveryAdminRoutes: Route[] = [
  {
    ...operatorRoute({
      method: 'GET',
      path: '/admin/v1/webhooks/:id/deliveries',
      operation: 'list_deliveries_of_webhook',
      summary: 'List deliveries to a subscription, newest first; also after the subscription was deleted',
      status: 200,
      query: deliveryQuery,
      response: pageOf(deliveryRecord),
      errors: ['NOT_FOUND'],
      async read({ params: { id = '' }, query: { limit, cursor, ...filter } }, { database }) {
        const { project_id, is_polled } = await receiver(database, id)
        const list = is_polled ? listPolledDeliveries : listDeliveries
        const page = await list(database, project_id, id, filter, { limit, cursor })
        return { ...page, data: page.data.map(toDeliveryRecord) }
      },
    }),
    params: { id: idPattern('wh') },
  },
  {
    ...operatorRoute({
      method: 'GET',
      path: '/admin/v1/webhooks/:id/deliveries/:delivery_id',
      operation: 'get_delivery_of_webhook',
      summary: 'Get one delivery with each attempt; also after the subscription was deleted',
      status: 200,
      response: deliveryWithAttempts,
      errors: ['NOT_FOUND'],
      async read({ params: { id = '', delivery_id = '' } }, { database }) {
        const { project_id, is_polled } = await receiver(database, id)
        const find = is_polled ? findPolledDelivery : findDelivery
        const found = await find(database, project_id, id, delivery_id)
        if (!found) throw new Refusal('NOT_FOUND')
        return toDeliveryWithAttempts(found, await listAttempts(database, found.id))
      },
    }),
    params: { id: idPattern('wh'), delivery_id: idPattern('dlv') },
  },
]

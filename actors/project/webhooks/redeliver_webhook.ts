import { Delivery, readRows } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import { addressOf, findSubscription, mustBeActive, mustBePushed, subscriptionReads } from './subscription.ts'

/** Resends one delivery, whatever its result was. */
export type RedeliverWebhook = { type: 'redeliver_webhook'; id: string; delivery_id: string }

/** Deliveries by id. */
const deliveryReads: ReadKind<Set<string>, Map<string, Delivery>> = {
  wanted: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { project_id } }) {
    for (const row of await readRows(database, Delivery, { id: [...ids], project_id })) found.set(row.id, row)
  },
}

/** `POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver`. Only test deliveries go to an inactive subscription. */
export const redeliverWebhook: Command<RedeliverWebhook> = {
  audit: { target: 'delivery', id: ({ delivery_id }) => delivery_id },
  reads(reads, { id, delivery_id }) {
    reads.of(subscriptionReads).add(id)
    reads.of(deliveryReads).add(delivery_id)
  },
  run(turn, { id, delivery_id }) {
    const row = findSubscription(turn, id)
    const delivery = turn.records.of(deliveryReads).get(delivery_id)
    if (delivery?.subscription_id !== id) throw refuse('DELIVERY_NOT_FOUND')
    mustBePushed(row)
    if (!delivery.is_test) mustBeActive(row)
    turn.tell(addressOf(id), { type: 'redeliver', delivery_id })
    return { body: { accepted: true, delivery_id } }
  },
}

import { Delivery, readRows, sql } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import { addressOf, findSubscription, mustBeActive, mustBePushed, subscriptionReads } from './subscription.ts'

/** Resends one delivery, whatever its result was. */
export type RedeliverWebhook = { type: 'redeliver_webhook'; id: string; delivery_id: string }

/** Deliveries by id. `has_event`: false when the event was deleted, so nothing can be sent. */
const deliveryReads: ReadKind<Set<string>, Map<string, { delivery: Delivery; has_event: boolean }>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { project_id } }) {
    const rows = await readRows(database, Delivery, { id: [...ids], project_id })
    if (rows.length === 0) return
    const events = await database.execute<{ id: string }>(
      sql`select id from event where id in (${sql.list(rows.map(({ event_id }) => event_id))})`,
    )
    const present = new Set(events.map(({ id }) => id))
    for (const delivery of rows) found.set(delivery.id, { delivery, has_event: present.has(delivery.event_id) })
  },
}

/** `POST /v1/webhooks/{id}/deliveries/{delivery_id}/redeliver`. Only test deliveries go to an inactive subscription. */
export const redeliverWebhook = {
  audit: { target: 'delivery', id: ({ delivery_id }) => delivery_id },
  reads(reads, { id, delivery_id }) {
    reads.of(subscriptionReads).add(id)
    reads.of(deliveryReads).add(delivery_id)
  },
  run(turn, { id, delivery_id }) {
    const row = findSubscription(turn, id)
    mustBePushed(row)
    const found = turn.records.of(deliveryReads).get(delivery_id)
    if (found?.delivery.subscription_id !== id) throw refuse('DELIVERY_NOT_FOUND')
    if (!found.delivery.is_test) mustBeActive(row)
    if (!found.has_event) throw refuse('EVENT_EXPIRED')
    turn.tell(addressOf(id), { type: 'redeliver', delivery_id })
    return { body: { accepted: true as const, delivery_id } }
  },
} satisfies Command<RedeliverWebhook>

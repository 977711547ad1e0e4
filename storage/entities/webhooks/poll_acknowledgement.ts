import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { DeliveryStatus } from './delivery.ts'

/** The end of all deliveries of a polled subscription's groups up to one, and after the acknowledgement before. */
export const PollAcknowledgement = defineEntity({
  name: 'PollAcknowledgement',
  tableName: 'poll_acknowledgement',
  properties: {
    subscription_id: p.text().primary(),
    /** The id of the last of these deliveries. */
    up_to: p.text().primary(),
    /** `dead`: the subscription was disabled or deleted. */
    status: p.text().$type<Extract<DeliveryStatus, 'success' | 'dead'>>(),
    acknowledged_at: p.datetime(3),
  },
})

export type PollAcknowledgement = InferEntity<typeof PollAcknowledgement>

import { Delivery } from '../../storage/mod.ts'
import { deliveryStateOf, deliveryStatusOf, nextDeliveryState } from '../machines/mod.ts'
import type { SubscriptionTurn } from './protocol.ts'

/** Queues an ended delivery again. Returns false for one that has not ended. */
export function redeliver(turn: SubscriptionTurn, delivery: Delivery): boolean {
  const before = deliveryStateOf(delivery)
  const state = nextDeliveryState(before, 'redelivered')
  if (state === before) return false
  const patch = { status: deliveryStatusOf(state), next_attempt_at: turn.now, retried_from: delivery.attempts }
  Object.assign(delivery, patch)
  turn.update(Delivery, { id: delivery.id }, patch)
  turn.records.ended.add(delivery.id)
  if (delivery.ordering_key == null) turn.state.queue.loose_more = true
  else turn.state.queue.reopen(delivery.ordering_key)
  return true
}

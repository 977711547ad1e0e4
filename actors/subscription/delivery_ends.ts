/** Writes the ends of deliveries and of their attempts, and the health of the subscription that follows from them. */
import { Attempt, Delivery, PollAcknowledgement, Subscription } from '../../storage/mod.ts'
import {
  type DeliveryState,
  deliveryStateOf,
  deliveryStatusOf,
  nextDeliveryState,
  nextSubscription,
  type SubscriptionEvent,
} from '../machines/mod.ts'
import { wakeAt } from '../timers/due_timer.ts'
import { type AttemptResult, abandon, endAttempt } from '../webhook/mod.ts'
import type { SubscriptionTurn } from './protocol.ts'
import { isOff } from './state.ts'

const GONE = 410

export class DeliveryEnds {
  readonly #schedule: readonly number[]
  readonly #observe: ((state: DeliveryState) => void) | undefined

  /**
   * `schedule`: seconds before each attempt, the first included. `observe` is called with the new state of each
   * delivery.
   */
  constructor(schedule: readonly number[], observe: ((state: DeliveryState) => void) | undefined) {
    this.#schedule = schedule
    this.#observe = observe
  }

  /** Writes the outcome of an attempt: the attempt, its delivery, and the subscription's health. */
  conclude(turn: SubscriptionTurn, delivery: Delivery, result: AttemptResult, started_at: number): void {
    const { state, now } = turn
    turn.records.ended.add(delivery.id)
    const is_wanted = !isOff(state, delivery.is_test)
    const ended = endAttempt(delivery, result, { now, is_wanted, schedule: this.#schedule })
    Object.assign(delivery, ended)
    turn.update(Delivery, { id: delivery.id }, ended)
    turn.insert(Attempt, {
      delivery_id: delivery.id,
      attempt: ended.attempts,
      started_at: new Date(started_at),
      status_code: result.status_code,
      duration_ms: result.duration_ms,
      error: result.error,
      headers_sent: result.headers_sent,
      excerpt: result.excerpt,
    })
    // A delivery with a key waits at the head of its key, and the queue tracks its time.
    if (ended.next_attempt_at && delivery.ordering_key == null) wakeAt(turn, ended.next_attempt_at)
    count(turn, delivery)
    this.#observe?.(deliveryStateOf(delivery))
  }

  /** Ends a delivery that its receiver has fetched. */
  acknowledge(turn: SubscriptionTurn, delivery: Delivery): void {
    turn.records.ended.add(delivery.id)
    const due = nextDeliveryState(deliveryStateOf(delivery), 'due')
    const patch = {
      status: deliveryStatusOf(nextDeliveryState(due, 'succeeded')),
      attempts: delivery.attempts + 1,
      last_error: null,
      next_attempt_at: null,
      delivered_at: turn.now,
    }
    turn.update(Delivery, { id: delivery.id }, patch)
    count(turn, { ...delivery, ...patch })
    this.#observe?.('success')
  }

  /** Ends the deliveries of a polled subscription's groups that the turn has read for this, and notes the position. */
  endFetched(turn: SubscriptionTurn, status: 'success' | 'dead'): void {
    const { records, now, state } = turn
    const { fetched } = records
    records.fetched = null
    if (!fetched || fetched.up_to === null) return
    const { id: subscription_id } = state.config!
    turn.insert(PollAcknowledgement, { subscription_id, up_to: fetched.up_to, status, acknowledged_at: now })
    if (status === 'success')
      turn.update(Subscription, { id: subscription_id }, { last_delivery_at: now, last_error: null })
    for (let n = 0; n < fetched.count; n++) this.#observe?.(status)
  }

  /** Ends a delivery of a subscription that is off. */
  giveUp(turn: SubscriptionTurn, delivery: Delivery): void {
    this.#abandon(turn, delivery, 'subscription_disabled')
  }

  /** Ends a delivery whose event was deleted. The receiver is not to blame, so its health stays. */
  expire(turn: SubscriptionTurn, delivery: Delivery): void {
    this.#abandon(turn, delivery, 'event_expired')
  }

  #abandon(turn: SubscriptionTurn, delivery: Delivery, reason: 'subscription_disabled' | 'event_expired'): void {
    turn.records.ended.add(delivery.id)
    const patch = abandon(delivery, reason)
    turn.update(Delivery, { id: delivery.id }, patch)
    this.#observe?.(deliveryStateOf({ ...delivery, ...patch }))
  }
}

/** Counts consecutive dead deliveries, and reports too many of them. */
function count(turn: SubscriptionTurn, delivery: Delivery): void {
  const { subscription_id, status, status_code, is_test, last_error = null } = delivery
  const { state, now } = turn
  const health: Partial<Subscription> = { last_delivery_at: now, last_error }
  const event = is_test ? undefined : eventOf(status, status_code, state.config!.disable_on_410)
  if (event) {
    const before = state.health
    const after = nextSubscription(before, event).health
    if (after.failure_count !== before.failure_count) health.failure_count = after.failure_count
    if (before.is_active && !after.is_active) {
      // The project owns the list of subscriptions: it disables the subscription and reports that with `changed`.
      const reason = after.disabled_reason
      turn.tell(`project/${state.config!.project_id}`, { type: 'subscription_failing', subscription_id, reason })
    }
    state.health = { ...after, is_active: before.is_active }
  }
  turn.update(Subscription, { id: subscription_id }, health)
}

/** Returns the event of the subscription's machine that a delivery's end causes; undefined for none. */
function eventOf(
  status: Delivery['status'],
  status_code: number | null | undefined,
  disable_on_410: boolean,
): SubscriptionEvent | undefined {
  if (status === 'success') return 'delivery_succeeded'
  if (status === 'dead') return 'delivery_dead'
  return disable_on_410 && status_code === GONE ? 'receiver_gone' : undefined
}

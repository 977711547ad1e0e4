/** The messages that a subscription actor receives, and the records that its turns read. */
import type { Cause, Turn } from '../../runtime/mod.ts'
import type { Delivery, Fetched, Recovery, Subscription, WebhookKey } from '../../storage/mod.ts'
import type { EraseMessage } from '../data_rights/mod.ts'
import type { AttemptResult } from '../webhook/mod.ts'
import type { DueRecords } from './reads.ts'
import type { SubscriptionState } from './state.ts'

export type DeliveryNotice = {
  delivery_id: string
  event_id: string
  event_type: string
  ordering_key: string | null
  is_test: boolean
  /** Milliseconds. */
  next_attempt_at: number
  created_at: number
  cause?: Cause | undefined
}

export type SubscriptionProtocol = {
  /** From the project: it created deliveries. */
  deliver: { message: { items: DeliveryNotice[] }; reply: void }
  /** From the project: the row was changed. */
  changed: { message: object; reply: void }
  /** From the project: a user requested this delivery again. */
  redeliver: { message: { delivery_id: string }; reply: void }
  /** From the project: send all deliveries again that failed for good in this time. */
  recover: { message: { since: string; until: string }; reply: void }
  /** From a poll: its receiver has all deliveries up to this position. */
  acknowledge: { message: { up_to: string }; reply: void }
  /** `result` is null when no attempt was made: another one failed while it waited for its slot. */
  attempted: { message: { delivery_id: string; started_at: number; result: AttemptResult | null }; reply: void }
  /** The timer, or a request to read more: deliveries in the table are due. */
  due: { message: object; reply: void }
  /** The subscription is disabled: its undelivered deliveries end. */
  give_up: { message: object; reply: void }
  /** The next page of a recovery. */
  recover_more: { message: object; reply: void }
  /** From an erasure: deliveries were deleted, or the subscription goes with its project. */
  erase: { message: EraseMessage; reply: void }
  wake: { message: object; reply: void }
  /** The actor has been idle for a while. */
  rest: { message: object; reply: void }
}

/** Rows as read before the turn, with the changes made by the turn since. */
export type SubscriptionRecords = {
  row: Subscription | null
  /** Those of its project, where they sign its deliveries. */
  keys: WebhookKey[]
  due: DueRecords | null
  /** As in the state: rows read for this turn are in memory. */
  read_up_to: string
  /** The keys are ids. */
  known: Map<string, Delivery>
  /** Envelopes of the events that the project named, by event id. */
  bodies: Map<string, string>
  undelivered: Delivery[]
  /** The first deliveries of a poll that were not acknowledged, up to the position that one acknowledges. */
  polled: Delivery[]
  /** The same of its groups' deliveries; null when none of them ends. */
  fetched: Fetched | null
  /** Ids of deliveries in memory that are gone from the table. */
  deleted: string[]
  /** The recovery that the next two are for. */
  recovery: Recovery | null
  failed: Delivery[]
  failed_total: number
  /** Deliveries that ended, or were postponed, in this turn. */
  ended: Set<string>
}
export type SubscriptionTurn = Turn<SubscriptionState, SubscriptionRecords>

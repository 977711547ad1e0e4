/** The messages a subscription actor receives, and what its turns read. */
import type { Turn } from '../../runtime/mod.ts'
import type { Delivery, Recovery, Subscription } from '../../storage/mod.ts'
import type { AttemptResult } from '../webhook/mod.ts'
import type { DueRecords } from './reads.ts'
import type { SubscriptionState } from './state.ts'

export type Told = {
  delivery_id: string
  event_id: string
  event_type: string
  ordering_key: string | null
  is_test: boolean
  /** Milliseconds. */
  next_attempt_at: number
  created_at: number
}

export type SubscriptionProtocol = {
  /** From the project: it made deliveries. */
  deliver: { message: { items: Told[] }; reply: void }
  /** From the project: the row was changed. */
  changed: { message: object; reply: void }
  /** From the project: a user wants this one sent again. */
  redeliver: { message: { delivery_id: string }; reply: void }
  /** From the project: everything that failed for good in this time is to be sent again. */
  recover: { message: { since: string; until: string }; reply: void }
  /** `result` is null when it was not made: another one failed while it waited for its slot. */
  attempted: { message: { delivery_id: string; started_at: number; result: AttemptResult | null }; reply: void }
  /** The timer, and the call to look for more: deliveries in the table are due. */
  due: { message: object; reply: void }
  /** The subscription is off: what is undelivered ends. */
  give_up: { message: object; reply: void }
  /** The next page of a recovery. */
  recover_more: { message: object; reply: void }
  wake: { message: object; reply: void }
  /** It had nothing to do a while ago. */
  rest: { message: object; reply: void }
}

/** Rows as they were read before the turn, with the changes that this turn has made since. */
export type SubscriptionRecords = {
  row: Subscription | null
  due: DueRecords | null
  /** As the state had it: what this turn reads is in memory. */
  read_up_to: string
  /** The keys are ids. */
  known: Map<string, Delivery>
  /** Envelopes of what the project tells of, by event id. */
  bodies: Map<string, string>
  undelivered: Delivery[]
  /** The recovery that the next two are for. */
  recovery: Recovery | null
  failed: Delivery[]
  failed_total: number
  /** Deliveries that ended, or were put off, in this turn. */
  ended: Set<string>
}
export type SubscriptionTurn = Turn<SubscriptionState, SubscriptionRecords>

/** Accepts deliveries: those that the project tells of, and those that were read from the table. */

import { causeColumns } from '../../runtime/mod.ts'
import { blank, Delivery } from '../../storage/mod.ts'
import { wakeAt } from '../timers/due_timer.ts'
import type { DeliveryEnds } from './delivery_ends.ts'
import { KEY_PAGE, type Waiting } from './delivery_queue.ts'
import type { DeliveryNotice, SubscriptionTurn } from './protocol.ts'
import type { Found } from './reads.ts'
import { isOff } from './state.ts'
import type { WebhookCalls } from './webhook_calls.ts'

/** Maximum concurrent tests, which go out at once. */
const TESTS = 64

export class Intake {
  readonly #calls: WebhookCalls
  readonly #ends: DeliveryEnds

  constructor(calls: WebhookCalls, ends: DeliveryEnds) {
    this.#calls = calls
    this.#ends = ends
  }

  /** Accepts a delivery that the project created. */
  take(turn: SubscriptionTurn, notice: DeliveryNotice): void {
    const { config, queue } = turn.state
    // Polls find the deliveries in the table.
    if (!config || config.mode === 'poll') return
    const body = turn.records.bodies.get(notice.event_id)
    // The event is not committed yet, and memory no longer has it; or it was deleted, which a read of the table finds.
    if (body === undefined) {
      queue.leave(notice.ordering_key)
      return
    }
    const waiting = waitingOf(notice, body, config)
    const { delivery } = waiting
    if (queue.has(delivery) || turn.records.ended.has(delivery.id)) return
    if (delivery.id <= turn.records.read_up_to) {
      const stored = turn.records.known.get(delivery.id)
      // Not committed yet: it is read from the table once it is.
      if (!stored) {
        queue.leave(notice.ordering_key)
        return
      }
      // It may have been read from the table before its message arrived, and be finished since.
      if (stored.next_attempt_at == null || stored.attempts > 0) return
    }
    if (isOff(turn.state, delivery.is_test)) this.#ends.giveUp(turn, delivery)
    else if (delivery.is_test && queue.running.size < TESTS) {
      queue.running.set(delivery.id, waiting)
      this.#calls.begin(turn, waiting)
    } else if (delivery.ordering_key === null && delivery.next_attempt_at! > turn.now) {
      wakeAt(turn, delivery.next_attempt_at!)
    } else queue.offer(waiting)
  }

  /** Accepts the rows that were read for this turn. Returns false when none were, or there is no subscription. */
  takeDue(turn: SubscriptionTurn): boolean {
    const { queue } = turn.state
    const { due } = turn.records
    if (!due || turn.state.config?.mode !== 'push') return false
    const loose: Waiting[] = []
    for (const waiting of due.loose) {
      if (!this.#isNews(turn, waiting)) continue
      if (waiting.delivery.next_attempt_at! > turn.now) {
        wakeAt(turn, waiting.delivery.next_attempt_at!)
        continue
      }
      loose.push(waiting)
    }
    queue.takeLoose(loose, due.more)
    if (due.heads_asked > 0) {
      const is_last = due.heads.length < due.heads_asked
      const cursor = is_last ? undefined : due.heads.at(-1)!.delivery.ordering_key!
      queue.takeHeads(
        due.heads.filter((found) => this.#isNews(turn, found)),
        cursor,
        turn.now,
      )
      for (const { delivery, body } of due.heads) if (body === undefined) queue.skipHead(delivery.ordering_key!)
    }
    for (const [key, rows] of due.keys) {
      const news = rows.filter((found) => this.#isNews(turn, found))
      queue.takeKey(key, news, rows.length === KEY_PAGE, turn.now)
    }
    return true
  }

  /** True when this turn still has to handle a delivery that was read. Ends deliveries that cannot be sent. */
  #isNews(turn: SubscriptionTurn, found: Found): found is Waiting {
    const { queue } = turn.state
    const { delivery, body } = found
    if (delivery.id > turn.state.read_up_to) turn.state.read_up_to = delivery.id
    if (turn.records.ended.has(delivery.id) || queue.has(delivery)) return false
    if (isOff(turn.state, delivery.is_test)) {
      this.#ends.giveUp(turn, delivery)
      return false
    }
    if (body === undefined) {
      this.#ends.expire(turn, delivery)
      return false
    }
    return true
  }
}

function waitingOf(
  notice: DeliveryNotice,
  body: string,
  { id: subscription_id, project_id }: { id: string; project_id: string },
): Waiting {
  const { delivery_id: id, event_id, event_type, ordering_key, is_test, cause } = notice
  const delivery = blank(Delivery, {
    id,
    subscription_id,
    project_id,
    event_id,
    event_type,
    ordering_key,
    status: 'pending',
    attempts: 0,
    retried_from: 0,
    next_attempt_at: new Date(notice.next_attempt_at),
    is_test,
    created_at: new Date(notice.created_at),
    ...causeColumns(cause),
  })
  return { delivery, body }
}

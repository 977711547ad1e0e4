/** Lets deliveries out: as many as the receiver may have under way, and none while sending is paused. */
import { Delivery } from '../../storage/mod.ts'
import { deliveryStateOf, deliveryStatusOf, nextDeliveryState } from '../machines/mod.ts'
import { wakeAt } from '../timers/due_timer.ts'
import type { Waiting } from './delivery_queue.ts'
import { room } from './pace.ts'
import type { SubscriptionTurn } from './protocol.ts'
import type { WebhookCalls } from './webhook_calls.ts'

export class SendWindow {
  readonly #calls: WebhookCalls

  constructor(calls: WebhookCalls) {
    this.#calls = calls
  }

  /** Starts deliveries that may go, asks for more when the queue ran dry, and schedules the next look. */
  fill(turn: SubscriptionTurn): void {
    const { queue, pace, config } = turn.state
    const now = turn.now.getTime()
    queue.unpark(turn.now)
    let free = room(pace, config!.concurrency, queue.running.size, now)
    for (; free > 0; free--) {
      const waiting = queue.start(turn.now)
      if (!waiting) break
      takeUp(turn, waiting)
      this.#calls.begin(turn, waiting)
    }
    if (pace.paused_until > now) {
      if (!queue.is_empty) wakeAt(turn, new Date(pace.paused_until))
    } else if (free > 0) {
      const { loose, keys, heads } = queue.wants()
      if (loose + keys.length + heads > 0) turn.soon(0, { type: 'due' })
    }
    const soonest = queue.soonest()
    if (soonest && soonest > turn.now) wakeAt(turn, soonest)
  }
}

/** Sets a due delivery to pending again. */
function takeUp(turn: SubscriptionTurn, { delivery }: Waiting): void {
  const status = deliveryStatusOf(nextDeliveryState(deliveryStateOf(delivery), 'due'))
  if (status === delivery.status) return
  delivery.status = status
  turn.update(Delivery, { id: delivery.id }, { status })
}

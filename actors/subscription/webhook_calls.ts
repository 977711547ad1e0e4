/** Calls of the receiver, one for each attempt to deliver. */
import { now } from '../../storage/mod.ts'
import type { AttemptResult, WebhookSender } from '../webhook/mod.ts'
import type { Waiting } from './delivery_queue.ts'
import { maxAtOnce } from './pace.ts'
import type { SubscriptionTurn } from './protocol.ts'
import { furtherSigners } from './state.ts'
import { nextTimeoutBatch } from './timeout_batch.ts'

export class WebhookCalls {
  readonly #sender: WebhookSender
  readonly #observe: ((result: AttemptResult) => void) | undefined

  /** `observe` is called with every attempt, once it is over. */
  constructor(sender: WebhookSender, observe: ((result: AttemptResult) => void) | undefined) {
    this.#sender = sender
    this.#observe = observe
  }

  /** Calls the receiver after the commit of the turn, as soon as it has a slot. The result comes back as `attempted`. */
  begin(turn: SubscriptionTurn, { delivery, body }: Waiting): void {
    const { id: delivery_id, event_id, event_type, attempts } = delivery
    const { state } = turn
    const { slots } = state
    // Tests go in addition to the receiver's deliveries.
    const most = maxAtOnce(state.pace, state.config!.concurrency)
    const call = async (signal: AbortSignal) => {
      const may_go = delivery.is_test || (await slots.enter(most))
      const started_at = now()
      if (!may_go) return { type: 'attempted', delivery_id, started_at, result: null }
      // Read only now: the secret or the address may have been replaced while the delivery waited.
      const config = state.config!
      const { url, secret, headers, content_type, present } = config
      const further_signers = furtherSigners(config, started_at)
      const presented = present ? present(body) : body
      const request = { url, secret, headers, event_id, event_type, delivery_id, attempt: attempts + 1, content_type }
      const result = await this.#sender.attempt({ ...request, body: presented, further_signers }, signal)
      this.#observe?.(result)
      if (result.error === 'timeout') await nextTimeoutBatch()
      if (!delivery.is_test) slots.leave(result.outcome === 'retryable')
      return { type: 'attempted', delivery_id, started_at, result }
    }
    turn.work(call, { outside: true })
  }
}

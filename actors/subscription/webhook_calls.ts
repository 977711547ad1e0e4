/** Calls of the receiver, one for each attempt to deliver. */
import { type Cause, causeOf, type OutsideSpan, type Tracer } from '../../runtime/mod.ts'
import { type Delivery, now } from '../../storage/mod.ts'
import type { AttemptResult, WebhookSender } from '../webhook/mod.ts'
import type { Waiting } from './delivery_queue.ts'
import { maxAtOnce } from './pace.ts'
import type { SubscriptionTurn } from './protocol.ts'
import { furtherSigners } from './state.ts'
import { nextTimeoutBatch } from './timeout_batch.ts'

export class WebhookCalls {
  readonly #sender: WebhookSender
  readonly #observe: ((result: AttemptResult) => void) | undefined
  readonly #tracer: Tracer | undefined

  /** `attempted` is called with every attempt, once it is over. */
  constructor(
    sender: WebhookSender,
    { attempted, tracer }: { attempted?: ((result: AttemptResult) => void) | undefined; tracer?: Tracer | undefined },
  ) {
    this.#sender = sender
    this.#observe = attempted
    this.#tracer = tracer
  }

  #spanOf(url: string, { id, event_id, event_type, project_id, attempts }: Delivery, cause: Cause | undefined) {
    return this.#tracer?.call(cause, {
      name: 'POST',
      kind: 'client',
      project_id,
      attributes: {
        'http.request.method': 'POST',
        'server.address': new URL(url).hostname,
        'parley.delivery_id': id,
        'parley.event_id': event_id,
        'parley.event_type': event_type,
        'parley.attempt': attempts + 1,
      },
    })
  }

  /** Calls the receiver after the commit of the turn, as soon as it has a slot. The result comes back as `attempted`. */
  begin(turn: SubscriptionTurn, { delivery, body }: Waiting): void {
    const { id: delivery_id, event_id, event_type, attempts, request_id = null } = delivery
    const event = { event_id, event_type, delivery_id, request_id }
    const cause = causeOf(delivery)
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
      const span = this.#spanOf(url, delivery, cause)
      const { traceparent } = span ?? {}
      const request = { url, secret, headers, ...event, traceparent, attempt: attempts + 1, content_type }
      const result = await this.#sender.attempt({ ...request, body: presented, further_signers }, signal)
      endSpan(span, result)
      this.#observe?.(result)
      if (result.error === 'timeout') await nextTimeoutBatch()
      if (!delivery.is_test) slots.leave(result.outcome === 'retryable')
      return { type: 'attempted', delivery_id, started_at, result }
    }
    turn.work(call, { outside: true, cause })
  }
}

function endSpan(span: OutsideSpan | undefined, { status_code, error, outcome }: AttemptResult): void {
  const attributes = status_code === null ? undefined : { 'http.response.status_code': status_code }
  // The detail of a TLS failure is a word of the receiver's.
  const kind = status_code === null ? (error?.split(':')[0] ?? 'failed') : String(status_code)
  span?.end({ error: outcome === 'success' ? undefined : kind, attributes })
}

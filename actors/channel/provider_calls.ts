/** Calls of the provider, one for each attempt to send a message. */
import { type Cause, causeOf, mayBegin, type OutsideSpan, type Tracer } from '../../runtime/mod.ts'
import { Dispatch, now } from '../../storage/mod.ts'
import { NOT_BEGUN, type Outcome, type Providers, type SendFailure } from '../providers/mod.ts'
import type { CallbackWait } from './callback_wait.ts'
import { LOST_FAILURE } from './ending.ts'
import type { ChannelTurn } from './protocol.ts'
import type { Item } from './send_queue.ts'
import type { ChannelConfig } from './state.ts'

/** `outcome` is `accepted`, or the kind of failure. */
export type SendCall = { channel_type: string; outcome: 'accepted' | SendFailure['kind']; duration_ms: number }

const NO_PROVIDER: Outcome = {
  failure: { kind: 'refuse', code: 'NO_PROVIDER', message: 'Nothing here can send.', maybe_accepted: false },
}
/** No call was made: the proof of the previous attempt may have arrived while it could not be stored. */
const UNHEARD: Outcome = { failure: { ...LOST_FAILURE, kind: 'unknown', maybe_accepted: true } }

export class ProviderCalls {
  readonly #providers: Providers
  readonly #callback_wait: CallbackWait
  readonly #observe: ((call: SendCall) => void) | undefined
  readonly #tracer: Tracer | undefined

  /** `observe` is called for every attempt, once the provider has answered or the call timed out. */
  constructor(
    providers: Providers,
    callback_wait: CallbackWait,
    { observe, tracer }: { observe?: ((call: SendCall) => void) | undefined; tracer?: Tracer | undefined },
  ) {
    this.#providers = providers
    this.#callback_wait = callback_wait
    this.#observe = observe
    this.#tracer = tracer
  }

  #spanOf(
    { channel_type, id }: ChannelConfig,
    { message_id, project_id, attempts }: Dispatch,
    cause: Cause | undefined,
  ): OutsideSpan | undefined {
    return this.#tracer?.call(cause, {
      name: `send ${channel_type}`,
      kind: 'client',
      project_id,
      attributes: { 'parley.channel_id': id, 'parley.message_id': message_id, 'parley.attempt': attempts },
    })
  }

  /**
   * Marks the message as being attempted, and calls the provider once that is committed. The outcome comes back as
   * `attempted`. `fresh`: the message is not in the table yet.
   */
  begin(turn: ChannelTurn, item: Item, fresh: boolean): void {
    const { state } = turn
    const config = state.config!
    const { dispatch } = item
    const again = item.phase === 'doubtful'
    const decided_at = performance.now()
    item.phase = 'attempting'
    item.begun_at = decided_at
    state.running.set(dispatch.message_id, decided_at)
    state.pacer.take(dispatch.recipient, decided_at)
    const patch = {
      state: 'attempting' as const,
      attempts: dispatch.attempts + 1,
      next_attempt_at: this.#callback_wait.endOf(turn.now),
    }
    Object.assign(dispatch, patch)
    if (fresh) turn.insert(Dispatch, dispatch)
    else turn.update(Dispatch, { message_id: dispatch.message_id }, patch)
    const { message_id, request, attempts } = dispatch
    const cause = causeOf(dispatch)
    const provider = this.#providers.of(config)
    const call = async (signal: AbortSignal) => {
      const attempted = { type: 'attempted', message_id, attempt: attempts }
      if (again && this.#callback_wait.isDeaf(decided_at)) return { ...attempted, outcome: UNHEARD, at: now() }
      // The new owner of the channel will send it.
      if (!mayBegin(signal)) return { ...attempted, outcome: again ? UNHEARD : { failure: NOT_BEGUN }, at: now() }
      const span = this.#spanOf(config, dispatch, cause)
      const from = performance.now()
      const outcome: Outcome = provider ? await provider.send(config.credentials, request, signal) : NO_PROVIDER
      const kind = 'sent' in outcome ? 'accepted' : outcome.failure.kind
      span?.end({ error: 'sent' in outcome ? undefined : kind })
      this.#observe?.({ channel_type: config.channel_type, outcome: kind, duration_ms: performance.now() - from })
      const at = now()
      if (dispatch.is_bulk) await state.result_batcher.join(state.running.size)
      return { ...attempted, outcome, at }
    }
    // The provider's answer ends the doubt that a change of owner begins.
    turn.work(call, { unbroken: true, outside: true, cause })
  }
}

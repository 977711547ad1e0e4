import { causeOf } from '../../runtime/mod.ts'
import type { Outcome, Provider } from '../providers/mod.ts'
import { finish, tellAccepted, tellRefused } from './ending.ts'
import { hadFormerCredentials, works } from './health.ts'
import type { ChannelTurn } from './protocol.ts'
import type { Item } from './send_queue.ts'

/**
 * The provider took the message: it ends here, and the project is told. `started_at`: the beginning of the call
 * (`performance.now()`). `at`: time of the answer (milliseconds).
 */
export function accepted(
  turn: ChannelTurn,
  item: Item,
  { sent: provider_message_id, taken_after, user_id, proven }: Extract<Outcome, { sent: unknown }>,
  started_at: number,
  at: number,
  provider: Pick<Provider, 'confirms' | 'early_statuses'> | undefined,
): void {
  const { state } = turn
  const { message_id, project_id, recipient } = item.dispatch
  finish(turn, item)
  state.breaker.answered()
  const { confirms = false, early_statuses = false } = provider ?? {}
  if (confirms) state.callback_monitor.accepted(performance.now())
  const person = user_id === undefined || user_id === recipient ? undefined : { user_id: recipient, becomes: user_id }
  const told = { message_id, provider_message_id, at, taken_after, early_statuses, person, proven }
  tellAccepted(turn, project_id, { ...told, cause: causeOf(item.dispatch) })
  if (!hadFormerCredentials(state, started_at)) works(turn)
}

/**
 * The answer to a call whose message has ended meanwhile, of a provider that answers once. It settles what was sent
 * without a confirmation.
 */
export function settleLate(
  turn: ChannelTurn,
  project_id: string,
  message_id: string,
  outcome: Outcome,
  at: number,
): void {
  if ('sent' in outcome) {
    const { sent: provider_message_id, taken_after, proven } = outcome
    tellAccepted(turn, project_id, { message_id, provider_message_id, at, taken_after, proven })
  } else if (!outcome.failure.maybe_accepted) {
    const { code, message } = outcome.failure
    tellRefused(turn, { project_id, message_id, cause: turn.cause }, { code, message }, at)
  }
}

import type { AcceptedMessage } from '../project/messages/outcomes.ts'
import type { Outcome, Provider } from '../providers/mod.ts'
import { finish } from './ending.ts'
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
  { sent: provider_message_id, taken_after }: Extract<Outcome, { sent: unknown }>,
  started_at: number,
  at: number,
  provider: Pick<Provider, 'confirms' | 'early_statuses'> | undefined,
): void {
  const { state } = turn
  const { message_id, project_id } = item.dispatch
  finish(turn, item)
  state.breaker.answered()
  const { confirms = false, early_statuses = false } = provider ?? {}
  if (confirms) state.callback_monitor.accepted(performance.now())
  const told: AcceptedMessage = { message_id, provider_message_id, at, taken_after, early_statuses }
  turn.gather(`project/${project_id}`, 'messages_accepted', told)
  if (!hadFormerCredentials(state, started_at)) works(turn)
}

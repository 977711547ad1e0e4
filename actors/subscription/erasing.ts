import type { SubscriptionTurn } from './protocol.ts'

/** Nothing is delivered any more. The rows are deleted with those of the project. */
export function eraseSubscription(turn: SubscriptionTurn): void {
  const { state } = turn
  if (state.config) state.config = { ...state.config, deleted: true }
  state.recovery = null
  state.slots.sendBack()
  for (const id of state.queue.ids()) state.queue.forget(id)
  state.queue.clear(() => false)
  state.next_due = null
  turn.cancel('due')
  turn.awake(false)
}

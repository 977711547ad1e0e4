/** Erases messages from the queue of a channel, without telling the project: it has erased them already. */
import { Dispatch } from '../../storage/mod.ts'
import { endAnnouncement } from './announced_change.ts'
import { finish } from './ending.ts'
import type { ChannelTurn } from './protocol.ts'
import { SendQueue } from './send_queue.ts'
import { StoredQueues } from './stored_queues.ts'

/** Ends the messages that were read for this turn, in every phase. The answer to a call under way is ignored. */
export function eraseMessages(turn: ChannelTurn): void {
  for (const dispatch of turn.records.erased) {
    const { message_id } = dispatch
    const item = turn.state.queue.find(message_id)
    if (item) finish(turn, item)
    else {
      turn.records.ended.add(message_id)
      turn.remove(Dispatch, { message_id })
      turn.state.stored_queues.removed(dispatch)
    }
  }
}

/** Nothing is sent any more. The rows of the queue are deleted with those of the project. */
export function eraseChannel(turn: ChannelTurn): void {
  const { state } = turn
  state.config = null
  state.queue = new SendQueue()
  state.stored_queues = new StoredQueues()
  state.next_due = null
  state.next_probe = null
  endAnnouncement(turn)
  for (const timer of ['due', 'probe']) turn.cancel(timer)
  turn.awake(false)
}

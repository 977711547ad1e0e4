/** The end of a message in its channel: it was taken, or the project is told that it was not. */
import { Dispatch } from '../../storage/mod.ts'
import type { RefusedMessage } from '../project/messages/outcomes.ts'
import type { SendFailure } from '../providers/mod.ts'
import type { ChannelTurn } from './protocol.ts'
import type { Item } from './send_queue.ts'

const WITHDRAWN = { code: 'CANCELLED', message: 'The broadcast was cancelled before this message was sent.' }

/** The message is done with: its row goes, and the next of its recipient may go out. */
export function finish(turn: ChannelTurn, item: Item): void {
  remove(turn, item.dispatch)
  turn.state.queue.remove(item)
}

function remove(turn: ChannelTurn, { message_id }: Dispatch): void {
  turn.records.ended.add(message_id)
  turn.remove(Dispatch, { message_id })
}

/** The end of a message that the provider did not take. */
export function refuse(
  turn: ChannelTurn,
  item: Item,
  { code, message }: Pick<SendFailure, 'code' | 'message'>,
  at: number,
) {
  finish(turn, item)
  tellRefused(turn, item.dispatch, { code, message }, at)
}

export function tellRefused(
  turn: ChannelTurn,
  { project_id, message_id }: Pick<Dispatch, 'project_id' | 'message_id'>,
  error: RefusedMessage['error'],
  at: number,
): void {
  const refused: RefusedMessage = { message_id, error, at }
  turn.gather(`project/${project_id}`, 'messages_refused', refused)
}

/** Calls back one that no call was made for. */
export function withdraw(turn: ChannelTurn, item: Item): void {
  refuse(turn, item, WITHDRAWN, turn.now.getTime())
}

/** Calls back what is in the table alone. */
export function withdrawBeyond(turn: ChannelTurn, message_id: string): void {
  const { beyond, ended } = turn.records
  const dispatch = beyond.get(message_id)
  if (dispatch?.state !== 'queued' || ended.has(message_id)) return
  remove(turn, dispatch)
  tellRefused(turn, dispatch, WITHDRAWN, turn.now.getTime())
}

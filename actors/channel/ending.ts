/** Ends a message in its channel: the provider took it or may have taken it, or the project is told that it did not. */
import { type Cause, causeOf } from '../../runtime/mod.ts'
import { Dispatch } from '../../storage/mod.ts'
import type { AcceptedMessage, RefusedMessage } from '../project/messages/outcomes.ts'
import type { SendFailure } from '../providers/mod.ts'
import { continueQueue } from './backlog.ts'
import type { ChannelTurn } from './protocol.ts'
import type { Item } from './send_queue.ts'

const WITHDRAWN = { code: 'CANCELLED', message: 'The broadcast was cancelled before this message was sent.' }

/** Reason for the end of a message whose outcome stayed unknown. */
export const LOST_FAILURE = { code: 'unconfirmed', message: 'The provider never said whether it took the message.' }
/** Reason for the end of a message whose channel was deleted before it could be sent. */
export const CHANNEL_GONE = { code: 'CHANNEL_NOT_CONNECTED', message: 'The channel no longer exists.' }

/** Finishes the message: its row is deleted, and the recipient's next message may go out. */
export function finish(turn: ChannelTurn, item: Item): void {
  remove(turn, item.dispatch)
  turn.state.queue.remove(item)
  continueQueue(turn.state, item.dispatch.recipient)
}

function remove(turn: ChannelTurn, { message_id }: Dispatch): void {
  turn.records.ended.add(message_id)
  turn.remove(Dispatch, { message_id })
}

/** Ends a message that the provider did not take. */
export function refuse(
  turn: ChannelTurn,
  item: Item,
  { code, message, opted_out }: Pick<SendFailure, 'code' | 'message' | 'opted_out'>,
  at: number,
) {
  finish(turn, item)
  tellRefused(turn, item.dispatch, { code, message }, at, opted_out && item.dispatch.recipient)
}

/**
 * Ends a message that the provider may have taken, where nothing will tell. Sent again, it might reach the person twice,
 * so only a person decides on that.
 */
export function endUnconfirmed(turn: ChannelTurn, item: Item, at: number): void {
  finish(turn, item)
  const { project_id, message_id } = item.dispatch
  const cause = causeOf(item.dispatch)
  tellAccepted(turn, project_id, { message_id, provider_message_id: '', at, confirmed: false, cause })
}

export function tellAccepted(turn: ChannelTurn, project_id: string, message: AcceptedMessage): void {
  turn.gather(`project/${project_id}`, 'messages_accepted', message)
}

/** Ends the messages of a deleted channel. A call under way ends its message when it is answered. */
export function abandon(turn: ChannelTurn): void {
  for (const item of turn.state.queue.items()) {
    if (item.phase === 'attempting') continue
    if (item.phase === 'doubtful') endUnconfirmed(turn, item, turn.now.getTime())
    else refuse(turn, item, CHANNEL_GONE, turn.now.getTime())
  }
}

/** `cause`: in place of that of the row. */
type Told = Pick<Dispatch, 'project_id' | 'message_id'> &
  Partial<Pick<Dispatch, 'request_id' | 'traceparent'>> & { cause?: Cause | undefined }

export function tellRefused(
  turn: ChannelTurn,
  told: Told,
  error: RefusedMessage['error'],
  at: number,
  opted_out?: string,
): void {
  const { project_id, message_id } = told
  // Named in any case: a message without a cause must not get that of another one, whose turn this is.
  const cause = 'cause' in told ? told.cause : causeOf(told)
  const refused: RefusedMessage = { message_id, error, at, opted_out, cause }
  turn.gather(`project/${project_id}`, 'messages_refused', refused)
}

/** Withdraws a message for which no call was made. */
export function withdraw(turn: ChannelTurn, item: Item): void {
  refuse(turn, item, WITHDRAWN, turn.now.getTime())
}

/** Ends a message that is only in the table, because a status callback proved that the provider has it. */
export function finishBeyond(turn: ChannelTurn, message_id: string): void {
  const { beyond, ended } = turn.records
  const dispatch = beyond.get(message_id)
  if (!dispatch || ended.has(message_id)) return
  remove(turn, dispatch)
  turn.state.stored_queues.removed(dispatch)
}

/** Withdraws messages that are only in the table. */
export function withdrawBeyond(turn: ChannelTurn, message_id: string): void {
  const { beyond, ended } = turn.records
  const dispatch = beyond.get(message_id)
  if (dispatch?.state !== 'queued' || ended.has(message_id)) return
  remove(turn, dispatch)
  turn.state.stored_queues.removed(dispatch)
  tellRefused(turn, dispatch, WITHDRAWN, turn.now.getTime())
}

/** Queues an outbound message on its channel. All sends use this. */

import { causeColumns, Unavailable } from '../../../runtime/mod.ts'
import { blank, type Contact, Message } from '../../../storage/mod.ts'
import { fromMillionths } from '../../costs/mod.ts'
import { noteIdentity } from '../contacts/contact.ts'
import { survivorOf } from '../contacts/reads.ts'
import { watchUnread } from '../contacts/unread_timer.ts'
import { knownBudget } from '../costs/reads.ts'
import type { Reservation } from '../costs/reserve.ts'
import { keepSent } from '../files/sent_on.ts'
import { otherHolder } from '../threads/holder.ts'
import { messageSent } from '../tickets/system_events.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { keepMessage } from './reads.ts'

const FULL = 'Too many messages wait for this channel; its provider takes them slowly or not at all. Send again later.'
/** Seconds. */
const FULL_RETRY_S = 5

/** Call this before any change. Throws `Unavailable` while too many messages wait for the channel. */
export function expectRoom(turn: ProjectTurn, { id }: ProjectChannel): void {
  if (turn.isFull(`channel/${id}`)) throw new Unavailable(FULL, FULL_RETRY_S)
}

/** `reserved`: of the budget of marketing. */
type Queued = Pick<Message, 'id' | 'to' | 'context' | 'meta_data'> & {
  message: { type: string }
  reserved: Reservation
  /** The assistant that wrote it. */
  assistant_id?: string
}

/**
 * Stores an outbound message and passes the provider's request for it to the channel. `identity`: the contact with the ids of
 * the recipient, which may be merged into another one. `bulk`: for a broadcast.
 */
export function queueMessage(
  turn: ProjectTurn,
  channel: ProjectChannel,
  identity: Contact,
  { id, to, message, context, meta_data, reserved, assistant_id }: Queued,
  request: Record<string, unknown>,
  bulk?: { broadcast_id: string; broadcast_index: number },
): Message {
  const { company_id, project_id } = turn.state
  const contact = survivorOf(turn.records, identity)
  const row = blank(Message, {
    id,
    company_id,
    project_id,
    channel: channel.channel_type,
    channel_id: channel.id,
    direction: 'outbound',
    to,
    chat_user: contact._id,
    type: message.type,
    message,
    context: context ?? null,
    meta_data: meta_data ?? null,
    status: 'queued',
    confirmed: true,
    created_at: turn.now,
    broadcast_id: bulk?.broadcast_id ?? null,
    broadcast_index: bulk?.broadcast_index ?? null,
    takes_thread: takesThread(turn, channel, contact, message) ? true : null,
    updated_at: turn.now,
    assistant_id: assistant_id ?? null,
    reserved: reserved === null ? null : fromMillionths(reserved),
    ...causeColumns(turn.cause),
  })
  if (reserved !== null) knownBudget.of(turn.state).budget?.reserve(turn.now, reserved)
  turn.insert(Message, row)
  keepSent(turn, message)
  noteIdentity(turn, identity, 'message', id)
  keepMessage(turn.records, row)
  messageSent(turn, contact, row)
  if (row.channel === 'web') watchUnread(turn, contact)
  const recipient = identity.user_id
  const address = `channel/${channel.id}` as const
  const dispatch = { project_id, message_id: id, recipient, request }
  if (bulk) turn.gather(address, 'dispatch_bulk', { ...dispatch, broadcast_id: bulk.broadcast_id })
  else turn.tell(address, { type: 'dispatch', ...dispatch })
  return row
}

/** Templates go to a person whoever holds the conversation, and leave it there. */
function takesThread(turn: ProjectTurn, { id }: ProjectChannel, contact: Contact, { type }: { type: string }): boolean {
  return type !== 'template' && otherHolder(contact, id, turn.now) !== undefined
}

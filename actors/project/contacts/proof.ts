/**
 * Contacts that the provider proves to be one person, by naming a number and a business-scoped id together: in a message, in its
 * answer to a send, or in a status.
 */
import type { Contact, Message } from '../../../storage/mod.ts'
import type { ProvenIds } from '../../providers/mod.ts'
import type { ProjectChannel } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { changeContact, contactOfId, contactOn, learntOf } from './contact.ts'
import { hasChangedHands, type Person } from './identity.ts'
import { survivorOf } from './reads.ts'

/** The durable timer of contacts that are one person. */
export type JoinContacts = { contact_id: string; from_contact_id: string }

/**
 * Has contacts joined that are one person: one of the number, one of the business-scoped id. Call this before the contact of the
 * number learns the id. A number whose contact has another id has changed hands, which proves nothing of its past.
 */
export function joinProven(
  turn: ProjectTurn,
  channel: ProjectChannel,
  contact: Contact,
  { user_id, bsuid }: Person,
): void {
  if (!user_id || !bsuid || hasChangedHands(turn.state, channel, contact, bsuid)) return
  const other = contactOfId(turn, channel, bsuid)
  if (other) join(turn, contact, other)
}

/** Has the other contact become a part of this one. It takes a turn of its own, which reads what the merge needs. */
export function join(turn: ProjectTurn, contact: Contact, other: Contact): void {
  if (survivorOf(turn.records, other) === survivorOf(turn.records, contact)) return
  joinLater(turn, { contact_id: contact._id, from_contact_id: other._id }, 0)
}

/** `after`: milliseconds. */
export function joinLater(turn: ProjectTurn, message: JoinContacts, after: number): void {
  const at = new Date(turn.now.getTime() + after)
  turn.timer(`join_contacts/${message.contact_id}/${message.from_contact_id}`, at, {
    type: 'join_contacts',
    ...message,
    cause: turn.cause,
  })
}

/**
 * The provider named both ids of the recipient of a message. Ids that are none of the recipient's meanwhile, as of a person who
 * has changed the number since, change nothing.
 */
export function learnIds(
  turn: ProjectTurn,
  channel: ProjectChannel,
  { chat_user }: Pick<Message, 'chat_user'>,
  ids: ProvenIds,
): void {
  const contact = contactOn(turn, channel, ids)
  const other = contactOfId(turn, channel, ids.bsuid)
  const is_recipient = (one: Contact | undefined) => one && (one._id === chat_user || one.merged_into === chat_user)
  if (!chat_user || !contact || !(is_recipient(contact) || is_recipient(other))) return
  joinProven(turn, channel, contact, ids)
  changeContact(turn, contact, learntOf(turn, contact, channel, ids))
}

import type { Contact, Message } from '../../../storage/mod.ts'
import { ownAddressOf } from '../contacts/identity.ts'
import { survivorOf } from '../contacts/reads.ts'
import { ticketsOf } from '../tickets/reads.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { isHeld, tellAssistant } from './hold.ts'

/**
 * A person wrote, and the message is on the open ticket. `identity`: the contact with the ids of the message. Automatic mail is
 * never answered, which ends loops before they begin.
 */
export function assistantHears(turn: ProjectTurn, identity: Contact, row: Message): void {
  const ticket = ticketsOf(turn).open.get(survivorOf(turn.records, identity)._id)
  if (!ticket || !isHeld(ticket)) return
  const place = { channel_id: row.channel_id, channel_type: row.channel, address: ownAddressOf(identity) }
  const is_automatic = row.message.auto_submitted !== undefined
  tellAssistant(turn, ticket, is_automatic ? { is_question: false } : { place, is_question: true })
}

/** A person changed, or took back, a message that the assistant may have read. */
export function assistantHearsChange(turn: ProjectTurn, identity: Contact): void {
  const ticket = ticketsOf(turn).open.get(survivorOf(turn.records, identity)._id)
  if (ticket && isHeld(ticket)) tellAssistant(turn, ticket, { is_question: false })
}

import {
  Contact,
  contactIdentityList,
  DataErasurePart,
  InboxEntry,
  Message,
  Ticket,
  TicketActivity,
} from '../../../storage/mod.ts'
import { type EraseMessage, type ErasureAsk, tellSettled } from '../../data_rights/mod.ts'
import { nextMessageStatus } from '../../machines/mod.ts'
import { contactReads, forgetContact } from '../contacts/reads.ts'
import { recentMessagesOf } from '../messages/recent_messages.ts'
import { reportToBroadcast } from '../messages/report_to_broadcast.ts'
import { openTickets, ticketReads } from '../tickets/reads.ts'
import type { Receiver } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { peopleReads, wantPeople } from './reads.ts'

/** `told`: the addresses of the project's channels. */
export type ErasePeople = ErasureAsk & { erasure_id: string; contacts: string[]; told: string[] }

const ERASED = { code: 'RECIPIENT_ERASED', message: 'The data of the recipient was erased.' }

/**
 * From an erasure: removes these contacts with their tickets, and forgets them. The next message of the person creates
 * a new contact. Messages are deleted afterwards, outside of turns; those in the queues of channels are not sent any
 * more. Repeating it changes nothing.
 */
export const erasePeople: Receiver<ErasePeople> = {
  reads(reads, { contacts }) {
    wantPeople(reads, contacts)
  },
  receive(turn, { erasure_id, contacts, told, reply_to, round }) {
    const ask = { reply_to, round }
    const erased = new Set(contacts)
    const { tickets, unsent, ending } = turn.records.of(peopleReads)
    const note = (kind: DataErasurePart['kind'], value: string) =>
      turn.upsert(DataErasurePart, { erasure_id, kind, value, project_id: turn.key })
    for (const { chat_user, kind, value } of ending) if (erased.has(chat_user)) note(kind, value)
    for (const id of erased) {
      const contact = turn.records.of(contactReads).by_id.get(id)
      if (!contact) continue
      for (const identity of contactIdentityList(contact)) note('identity', identity)
      turn.update(DataErasurePart, { erasure_id, kind: 'contact', value: id }, { forgotten_at: turn.now })
      turn.remove(Contact, { _id: id })
      forgetContact(turn.records, contact)
    }
    for (const ticket of tickets) {
      if (!erased.has(ticket.chat_user)) continue
      note('ticket', ticket._id)
      turn.remove(Ticket, { _id: ticket._id })
      turn.remove(TicketActivity, { ticket_id: ticket._id })
      turn.remove(InboxEntry, { ticket_id: ticket._id })
      openTickets.of(turn.state).drop(ticket)
      const known = turn.records.find(ticketReads)
      known?.by_id.delete(ticket._id)
      known?.open.delete(ticket.chat_user)
    }
    for (const row of unsent) if (erased.has(row.chat_user!)) endUnsent(turn, row)
    recentMessagesOf(turn.state).forget(erased)
    const message: { type: string } & EraseMessage = { type: 'erase', ...ask, all: false, contacts }
    turn.dropLive(turn.key)
    for (const address of told) turn.tell(address, message)
    tellSettled(turn, ask)
  },
}

/** A bulk send counts all its messages: one that will not be sent has failed. */
function endUnsent(turn: ProjectTurn, row: Message): void {
  if (!row.broadcast_id || row.status !== 'queued') return
  const status = nextMessageStatus(row.status, 'failed')
  const patch = { status, failed_at: turn.now, error: ERASED, updated_at: turn.now }
  turn.update(Message, { id: row.id }, patch)
  reportToBroadcast(turn, { ...row, ...patch }, row.status)
}

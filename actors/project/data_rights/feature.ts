/** Erasure of people, and of the project itself. */
import {
  Contact,
  contactIdentityList,
  DataErasurePart,
  type EndingRecord,
  InboxEntry,
  listEndingRecords,
  listUnsentTo,
  Message,
  readTicketIdsOf,
  Ticket,
  TicketActivity,
} from '../../../storage/mod.ts'
import { type EraseMessage, type ErasureAsk, tellSettled } from '../../data_rights/mod.ts'
import { nextMessageStatus } from '../../machines/mod.ts'
import { pointAt } from '../contacts/contact.ts'
import { contactReads, forgetContact, readContacts } from '../contacts/reads.ts'
import { knownBudget } from '../costs/reads.ts'
import { keepMessage } from '../messages/reads.ts'
import { recentMessagesOf } from '../messages/recent_messages.ts'
import { reportToBroadcast } from '../messages/report_to_broadcast.ts'
import { openTickets, ticketReads } from '../tickets/reads.ts'
import type { Feature, Receiver } from '../turn/feature.ts'
import type { Reads } from '../turn/reads.ts'
import type { ReadKind } from '../turn/records.ts'
import { missingProject } from '../turn/state.ts'
import type { ProjectTurn } from '../turn/turn.ts'

type Found = { tickets: { _id: string; chat_user: string }[]; unsent: Message[]; ending: EndingRecord[] }

/** Tickets, unsent messages and records of agents that the project holds of contacts being erased. */
const peopleReads: ReadKind<Set<string>, Found> = {
  keys: () => new Set(),
  found: () => ({ tickets: [], unsent: [], ending: [] }),
  async read(found, contact_ids, context) {
    const { database, state, records } = context
    const { project_id } = state
    const ids = [...contact_ids]
    await readContacts(context, [{ project_id, merged_into: ids }])
    const [tickets, unsent, ending] = await Promise.all([
      readTicketIdsOf(database, ids),
      listUnsentTo(database, project_id, ids),
      listEndingRecords(database, ids),
    ])
    Object.assign(found, { tickets, ending })
    // Shared with the other messages of the turn.
    found.unsent = unsent.map((row) => keepMessage(records, row))
  },
}

function wantPeople(reads: Reads, contact_ids: readonly string[]): void {
  for (const id of contact_ids) {
    reads.of(contactReads).ids.add(id)
    reads.of(peopleReads).add(id)
  }
}

/** `told`: the addresses of the project's channels. */
type ErasePeople = ErasureAsk & { erasure_id: string; contacts: string[]; told: string[] }

const ERASED = { code: 'RECIPIENT_ERASED', message: 'The data of the recipient was erased.' }

/**
 * From an erasure: removes these contacts with their tickets, and forgets them. The next message of the person creates
 * a new contact. Messages are deleted afterwards, outside of turns; those in the queues of channels are not sent any
 * more. Repeating it changes nothing.
 */
const erasePeople: Receiver<ErasePeople> = {
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
    for (const part of turn.records.of(contactReads).by_id.values()) {
      // Merged since the erasure began.
      if (part.merged_into && erased.has(part.merged_into)) pointAt(turn, part, null)
    }
    recentMessagesOf(turn.state).forget(erased)
    knownBudget.of(turn.state).is_outdated = true
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

/** `told`: the addresses of the project's channels, subscriptions and unfinished broadcasts. */
type EraseProject = ErasureAsk & { told: string[] }

/**
 * From an erasure: the project is gone from this turn on. Its tokens and channels count as unknown; loading it again
 * finds the erasure (`turn/state.ts`). Its rows are deleted afterwards.
 */
const eraseProject: Receiver<EraseProject> = {
  receive(turn, { told, reply_to, round }) {
    const ask = { reply_to, round }
    turn.state = missingProject(turn.key)
    for (const timer of ['templates', 'knowledge_imports', 'bulk_actions']) turn.cancel(timer)
    turn.awake(false)
    turn.dropLive(turn.key)
    const message: { type: string } & EraseMessage = { type: 'erase', ...ask, all: true, contacts: [] }
    for (const address of told) turn.tell(address, message)
    tellSettled(turn, ask)
  },
}

export const dataRights = {
  receivers: { erase_people: erasePeople, erase_project: eraseProject },
} satisfies Feature

/**
 * `POST /v1/crm/notes`. The contact and the ticket of a note are not checked but stored as sent, unless they were erased.
 * On a known open ticket the note counts as activity.
 */
import { listErasedIds, Note, type NoteType, objectId, toNoteRecord } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import { contactReads } from '../contacts/reads.ts'
import { definitionsOf } from '../definitions/reads.ts'
import { touchTicket } from '../tickets/change_ticket.ts'
import { ticketReads, ticketsOf, wantTickets } from '../tickets/reads.ts'
import { emit } from '../turn/events.ts'
import type { Command } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'

export type CreateNote = {
  type: 'create_note'
  content: string
  kind: NoteType
  chat_user?: string | undefined
  ticket_id?: string | undefined
}

/** Ids that were erased, among those of records that the turn did not find. */
const erasedReads: ReadKind<Set<string>, Set<string>> = {
  wanted: () => new Set(),
  found: () => new Set(),
  read: () => undefined,
  finish(found, ids, { database, records }) {
    const contacts = records.of(contactReads).by_id
    const tickets = records.find(ticketReads)?.by_id
    const unknown = [...ids].filter((id) => !contacts.has(id) && !tickets?.has(id))
    if (unknown.length === 0) return undefined
    return listErasedIds(database, unknown).then((erased) => {
      for (const id of erased) found.add(id)
    })
  },
}

/**
 * Adds a note in the name of the token's owner.
 *
 * @throws {Refusal} RECORD_ERASED
 */
export const createNote: Command<CreateNote> = {
  reads(reads, { chat_user, ticket_id }) {
    wantTickets(reads, ticket_id || undefined)
    if (chat_user) reads.of(contactReads).ids.add(chat_user)
    for (const id of [chat_user, ticket_id]) if (id) reads.of(erasedReads).add(id)
  },
  run(turn, command, { token_id }) {
    const { content, kind, chat_user = null, ticket_id = null } = command
    const erased = turn.records.of(erasedReads)
    if ([chat_user, ticket_id].some((id) => id !== null && erased.has(id))) throw refuse('RECORD_ERASED')
    const { company_id, project_id, tokens } = turn.state
    const created_by = tokens.get(token_id)!.user_id
    const owner = { _id: objectId(), company_id, project_id }
    const note: Note = { ...owner, content, type: kind, chat_user, ticket_id, created_by, created_at: turn.now }
    turn.insert(Note, note)
    const ticket = ticket_id === null ? undefined : ticketsOf(turn).by_id.get(ticket_id)
    if (ticket && !ticket.is_closed) touchTicket(turn, ticket)
    const record = toNoteRecord(note, definitionsOf(turn).users.get(created_by)?.full_name)
    emit(turn, 'crm.note.created', record, chat_user ?? ticket?.chat_user ?? null)
    return { body: record }
  },
}

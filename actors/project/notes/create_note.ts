/**
 * `POST /v1/crm/notes`. The contact and the ticket of a note are not checked but stored as sent. On a known open ticket
 * the note counts as activity.
 */
import { Note, type NoteType, objectId, toNoteRecord } from '../../../storage/mod.ts'
import { definitionsOf } from '../definitions/reads.ts'
import { touchTicket } from '../tickets/change_ticket.ts'
import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import { emit } from '../turn/events.ts'
import type { Command } from '../turn/feature.ts'

export type CreateNote = {
  type: 'create_note'
  content: string
  kind: NoteType
  chat_user?: string | undefined
  ticket_id?: string | undefined
}

/** Adds a note in the name of the token's owner. */
export const createNote: Command<CreateNote> = {
  reads(reads, { ticket_id }) {
    wantTickets(reads, ticket_id || undefined)
  },
  run(turn, command, { token_id }) {
    const { content, kind, chat_user = null, ticket_id = null } = command
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

/**
 * `POST /v1/crm/notes`. What a note points to is not verified: it is stored as sent. Where the ticket is known and open,
 * the note is activity on it.
 */
import { Note, type NoteType, objectId, toNoteRecord } from '../../storage/mod.ts'
import { emit, type ProjectTurn } from '../project/events.ts'
import type { CommandResult } from '../project/request.ts'
import { crmOf, touchTicket } from './change_ticket.ts'

export type CreateNote = {
  type: 'create_note'
  content: string
  kind: NoteType
  chat_user?: string | undefined
  ticket_id?: string | undefined
}

export function createNote(turn: ProjectTurn, command: CreateNote, token_id: string): CommandResult {
  const { content, kind, chat_user = null, ticket_id = null } = command
  const { definitions, tickets } = crmOf(turn)
  const { company_id, project_id, tokens } = turn.state
  const created_by = tokens.get(token_id)!.user_id
  const owner = { _id: objectId(), company_id, project_id }
  const note: Note = { ...owner, content, type: kind, chat_user, ticket_id, created_by, created_at: turn.now }
  turn.insert(Note, note)
  const ticket = ticket_id === null ? undefined : tickets.get(ticket_id)
  if (ticket && !ticket.is_closed) touchTicket(turn, ticket)
  const record = toNoteRecord(note, definitions.users.get(created_by)?.full_name)
  emit(turn, 'crm.note.created', record, chat_user ?? ticket?.chat_user ?? null)
  return { body: record }
}

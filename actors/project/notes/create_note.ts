/**
 * `POST /v1/crm/notes`. The contact and the ticket of a note are not checked but stored as sent, unless they were erased.
 * On a known open ticket the note counts as activity.
 */
import {
  type ActiveTicket,
  blank,
  listErasedIds,
  Note,
  type NoteAttachment,
  type NoteType,
  objectId,
} from '../../../storage/mod.ts'
import { type AgentNoteRecord, type NewNote, toAgentNoteRecord, toNoteRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import { contactNamed, contactReads } from '../contacts/reads.ts'
import { definitionsOf } from '../definitions/reads.ts'
import { fileReads } from '../files/files.ts'
import { notify } from '../notifications/notify.ts'
import { touchTicket } from '../tickets/change_ticket.ts'
import { inboxMoved } from '../tickets/inbox.ts'
import { ticketReads, ticketsOf, wantTickets } from '../tickets/reads.ts'
import { emit } from '../turn/events.ts'
import type { Command } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** `Type`: an owner of an earlier release refuses notes with files, and leaves the files out of other notes. */
export type CreateNote<Type extends string = 'create_note' | 'create_note_with_files'> = Omit<NewNote, 'type'> & {
  type: Type
  kind: NoteType
  /** Agents whose attention the note wants; undefined from programs, whose answer does not show them. */
  mentions?: string[] | undefined
}

/** Characters of a note in a notification. */
const PREVIEW = 200

/** Ids that were erased, among those of records that the turn did not find. */
const erasedReads: ReadKind<Set<string>, Set<string>> = {
  keys: () => new Set(),
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
 * Adds a note in the name of the token's owner, or of the agent.
 *
 * @throws {Refusal} RECORD_ERASED, AGENT_NOT_FOUND, MEDIA_NOT_FOUND
 */
export const createNote = {
  audit: { target: 'note' },
  reads(reads, { chat_user, ticket_id, media_ids = [] }) {
    for (const media_id of media_ids) reads.of(fileReads).add(media_id)
    wantTickets(reads, ticket_id || undefined)
    if (chat_user) reads.of(contactReads).ids.add(chat_user)
    for (const id of [chat_user, ticket_id]) if (id) reads.of(erasedReads).add(id)
  },
  run(turn, command, { user_id: created_by }) {
    const { content, kind, ticket_id = null } = command
    const erased = turn.records.of(erasedReads)
    const chat_user = contactNamed(turn.records, command.chat_user)?._id ?? command.chat_user ?? null
    if ([chat_user, ticket_id].some((id) => id !== null && erased.has(id))) throw refuse('RECORD_ERASED')
    const mentions = [...new Set(command.mentions)]
    mustBeAgents(turn, mentions)
    const attachments = attachmentsOf(turn, command.media_ids)
    const { company_id, project_id } = turn.state
    const owner = { _id: objectId(), company_id, project_id }
    const about = { chat_user, ticket_id, created_by, mentions }
    const note = blank(Note, { ...owner, content, type: kind, ...about, attachments, created_at: turn.now })
    turn.insert(Note, note)
    const ticket = ticket_id === null ? undefined : ticketsOf(turn).by_id.get(ticket_id)
    if (ticket && !ticket.is_closed) {
      touchTicket(turn, ticket)
      inboxMoved(turn, ticket)
    }
    const authored = { ...note, full_name: definitionsOf(turn).users.get(created_by)?.full_name ?? null }
    const record = toNoteRecord(authored)
    emit(turn, 'crm.note.created', record, chat_user ?? ticket?.chat_user ?? null)
    notifyMentioned(turn, note, ticket)
    // Agents alone say whom a note mentions, and see it.
    return { body: command.mentions ? toAgentNoteRecord(authored) : (record as AgentNoteRecord) }
  },
} satisfies Command<CreateNote>

/** @throws {Refusal} MEDIA_NOT_FOUND */
function attachmentsOf(turn: ProjectTurn, media_ids: readonly string[] = []): NoteAttachment[] | null {
  if (media_ids.length === 0) return null
  const { files } = turn.records.of(fileReads)
  return [...new Set(media_ids)].map((id) => {
    const { media_id, filename = null, mime_type, file_size } = files.kept(id)
    return { media_id, filename, mime_type, file_size }
  })
}

/** @throws {Refusal} AGENT_NOT_FOUND */
function mustBeAgents(turn: ProjectTurn, user_ids: readonly string[]): void {
  const { users } = definitionsOf(turn)
  const unknown = user_ids.filter((id) => !users.get(id)?.is_agent)
  if (unknown.length > 0) throw refuse('AGENT_NOT_FOUND', { user_ids: unknown })
}

/** The ids of a note are stored as sent: a notification names only a ticket and a contact of the project. */
function notifyMentioned(turn: ProjectTurn, note: Note, ticket: ActiveTicket | undefined): void {
  const { _id: note_id, content, chat_user, created_by, mentions } = note
  const contact_id = chat_user && turn.records.of(contactReads).by_id.has(chat_user) ? chat_user : undefined
  const data = { note_id, text: [...content].slice(0, PREVIEW).join('') }
  for (const id of mentions) {
    if (id !== created_by) notify(turn, id, { type: 'mention', ticket, contact_id, created_by, data })
  }
}

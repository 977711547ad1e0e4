import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

/** A file that belongs to a note, as it was when the note was written. */
export type NoteAttachment = { media_id: string; filename: string | null; mime_type: string; file_size: number }

export type NoteType = 'note' | 'call' | 'email' | 'meeting'

/** A user's note about a contact or a ticket. The ids are stored as sent: their existence is not checked. */
export const Note = defineEntity({
  name: 'Note',
  tableName: 'note',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    content: p.text(),
    type: p.text().$type<NoteType>(),
    chat_user: p.text().nullable(),
    ticket_id: p.text().nullable(),
    /** The user whose token wrote it. */
    created_by: p.text(),
    /** Agents whose attention it wants. The console alone shows them. */
    mentions: p.array<string>().columnType('text[]'),
    /** Null for a note without files. */
    attachments: p.json<NoteAttachment[]>().columnType('json').nullable(),
    created_at: p.datetime(3),
  },
})

export type Note = InferEntity<typeof Note>

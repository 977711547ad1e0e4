/** The note as the API shows it, as agents see it, and as it is written. */
import * as v from 'valibot'
import type { AuthoredNote } from '../../../storage/mod.ts'
import {
  across,
  fieldsOf,
  type InMemory,
  maxCharacters,
  named,
  recordId,
  timestamp,
  valuesOf,
} from '../../schema/mod.ts'
import { exampleIds as ids } from '../example_ids.ts'

/** Characters of a note. */
const MAX_CONTENT_LENGTH = 5000
/** Files of a note. */
const MAX_ATTACHMENTS = 10

const type = v.picklist(['note', 'call', 'email', 'meeting'])

const attachment = v.object({
  media_id: recordId,
  filename: v.nullable(v.string()),
  mime_type: v.string(),
  file_size: v.pipe(v.number(), v.integer(), v.description('Bytes')),
})

/** Columns that the record shows as they are stored. */
const noteColumns = v.object({
  _id: recordId,
  content: v.string(),
  type,
  chat_user: v.nullable(recordId),
  ticket_id: v.nullable(recordId),
  created_at: timestamp,
})

export const noteRecord = named(
  'Note',
  v.object({
    ...noteColumns.entries,
    created_by: v.object({ id: recordId, full_name: v.nullable(v.string()) }),
    attachments: v.pipe(
      v.array(attachment),
      v.description('Its files, which `GET /v1/media/{mediaId}/download` answers'),
    ),
  }),
)

type NoteRecord = InMemory<v.InferOutput<typeof noteRecord>>

/** The same in the console, which alone shows whose attention it wants. */
export const agentNoteRecord = named(
  'AgentNote',
  v.object({ ...noteRecord.entries, mentions: v.pipe(v.array(recordId), v.description('Ids of users')) }),
)

export type AgentNoteRecord = InMemory<v.InferOutput<typeof agentNoteRecord>>

export const newNoteFields = v.strictObject({
  content: v.pipe(
    v.string(),
    maxCharacters(MAX_CONTENT_LENGTH),
    v.check((text) => text.trim() !== '', 'must not be empty'),
  ),
  type: v.optional(v.pipe(type, v.description('note is shown as a comment, the others as interactions. Default note'))),
  chat_user: v.optional(recordId),
  ticket_id: v.optional(recordId),
  media_ids: v.optional(
    v.pipe(
      v.array(recordId),
      v.maxLength(MAX_ATTACHMENTS),
      v.description('Files that were uploaded with the purpose `note`, or for a channel whose files are kept here'),
    ),
  ),
})

export type NewNote = v.InferOutput<typeof newNoteFields>

/** A check for new notes: each is about something. */
export function isAboutSomething<Given extends NewNote>() {
  return across<Given>(
    (value, say) => {
      const { chat_user, ticket_id } = fieldsOf(value)
      if (chat_user === undefined && ticket_id === undefined) say('must have chat_user, ticket_id or both')
    },
    { at_least_one_of: ['chat_user', 'ticket_id'] },
  )
}

/** The body of a POST. */
export const newNote = named('NewNote', v.pipe(newNoteFields, isAboutSomething()))

export function toNoteRecord(note: AuthoredNote): NoteRecord {
  const { created_by: id, full_name, attachments } = note
  return { ...valuesOf(noteColumns, note), created_by: { id, full_name }, attachments: attachments ?? [] }
}

export function toAgentNoteRecord(note: AuthoredNote): AgentNoteRecord {
  return { ...toNoteRecord(note), mentions: note.mentions }
}

export const noteExample: v.InferOutput<typeof noteRecord> = {
  _id: ids.note,
  content: 'Prefers to be called in the morning.',
  type: 'call',
  chat_user: ids.contact,
  ticket_id: ids.ticket,
  created_by: { id: ids.user, full_name: 'Luis Vega' },
  attachments: [{ media_id: ids.media, filename: 'terms.pdf', mime_type: 'application/pdf', file_size: 4096 }],
  created_at: '2026-09-21T14:13:20.000Z',
}

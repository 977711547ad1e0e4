/** Notes of users about contacts and tickets. */
import * as v from 'valibot'
import {
  across,
  exampleIds,
  fieldsOf,
  maxCharacters,
  named,
  plainIdPattern,
  recordId,
  timestamp,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findNote, listNotes, type NoteType } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { limit, pageOf, recordCursor } from '../../server/schema/fields.ts'
import { inOrder, range } from '../../server/schema/instant.ts'

const type = v.picklist(['note', 'call', 'email', 'meeting'])

export type NewNote = { content: string; type?: NoteType; chat_user?: string; ticket_id?: string }

export const newNoteFields = v.strictObject({
  content: v.pipe(
    v.string(),
    maxCharacters(5000),
    v.check((text) => text.trim() !== '', 'must not be empty'),
  ),
  type: v.optional(v.pipe(type, v.description('note is shown as a comment, the others as interactions. Default note'))),
  chat_user: v.optional(recordId),
  ticket_id: v.optional(recordId),
})

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

const newNote = named('NewNote', v.pipe(newNoteFields, isAboutSomething()))

export const note = named(
  'Note',
  v.object({
    _id: recordId,
    content: v.string(),
    type,
    chat_user: v.nullable(recordId),
    ticket_id: v.nullable(recordId),
    created_by: v.object({ id: recordId, full_name: v.nullable(v.string()) }),
    created_at: timestamp,
  }),
)

export const noteQuery = v.strictObject({
  ticket_id: v.optional(recordId),
  chat_user: v.optional(recordId),
  ...range,
  limit,
  cursor: recordCursor,
})

export const noteRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/crm/notes',
    operation: 'create_note',
    summary: 'Write a note on a contact, a ticket or both; whether they exist is not checked, erased ones are refused',
    example: { body: { content: 'Prefers to be called in the morning.', type: 'call', chat_user: exampleIds.contact } },
    auth: 'token',
    scope: 'crm:notes:write',
    body: newNote,
    status: 201,
    response: note,
    errors: ['RECORD_ERASED'],
    command({ body }) {
      const { type: kind = 'note', content, chat_user, ticket_id } = body
      return { type: 'create_note', kind, content, chat_user, ticket_id }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/crm/notes',
    operation: 'list_notes',
    summary: 'List notes, newest first',
    auth: 'token',
    scope: 'crm:notes:read',
    query: v.pipe(noteQuery, inOrder()),
    status: 200,
    response: pageOf(note),
    read: ({ query: { limit, cursor, ...filter } }, { database, project_id }) =>
      listNotes(database, project_id, filter, { limit, cursor }),
  }),
  route({
    method: 'GET',
    path: '/v1/crm/notes/:id',
    operation: 'get_note',
    summary: 'Get a note',
    auth: 'token',
    scope: 'crm:notes:read',
    params: { id: plainIdPattern },
    status: 200,
    response: note,
    errors: ['NOT_FOUND'],
    async read({ params }, { database, project_id }) {
      const found = await findNote(database, project_id, params.id)
      if (!found) throw new Refusal('NOT_FOUND')
      return found
    },
  }),
]

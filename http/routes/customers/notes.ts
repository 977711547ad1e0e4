/** Notes of users about contacts and tickets. */
import * as v from 'valibot'
import { exampleIds, newNote, noteRecord, plainIdPattern, recordId, toNoteRecord } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findNote, listNotes } from '../../../storage/mod.ts'
import { pageOfRecords } from '../../server/route/page_of_records.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { limit, pageOf, recordCursor } from '../../server/schema/fields.ts'
import { inOrder, range } from '../../server/schema/instant.ts'

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
    response: noteRecord,
    errors: ['RECORD_ERASED', 'MEDIA_NOT_FOUND'],
    command({ body }) {
      const { type: kind = 'note', ...fields } = body
      const type = fields.media_ids?.length ? 'create_note_with_files' : 'create_note'
      return { ...fields, type, kind }
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
    response: pageOf(noteRecord),
    async read({ query: { limit, cursor, ...filter } }, { database, project_id }) {
      return pageOfRecords(await listNotes(database, project_id, filter, { limit, cursor }), toNoteRecord)
    },
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
    response: noteRecord,
    errors: ['NOT_FOUND'],
    async read({ params }, { database, project_id }) {
      const found = await findNote(database, project_id, params.id)
      if (!found) throw new Refusal('NOT_FOUND')
      return toNoteRecord(found)
    },
  }),
]

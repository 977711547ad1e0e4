/** Notes with mentions: the operations of the API on notes, as agents have them. */
import * as v from 'valibot'
import { recordId } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import { findNote, listNotes, listNotesAbout, listTimeline, toAgentNoteRecord } from '../../storage/mod.ts'
import { isAboutSomething, newNoteFields, note, noteQuery } from '../routes/customers/notes.ts'
import { timelineQuery } from '../routes/customers/timeline.ts'
import type { Route, RouteFacts } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { flagQuery, pageOf } from '../server/schema/fields.ts'
import { inOrder } from '../server/schema/instant.ts'

const MAX_MENTIONS = 20

const newNote = v.pipe(
  v.strictObject({
    ...newNoteFields.entries,
    mentions: v.optional(v.pipe(v.array(recordId), v.maxLength(MAX_MENTIONS)), []),
  }),
  isAboutSomething(),
)

const noteOfAgents = v.object({ ...note.entries, mentions: v.array(recordId) })

/** The routes of the API as agents have them, by operation. */
const ofAgents: Readonly<Record<string, (facts: RouteFacts) => Route>> = {
  create_note: (facts) =>
    route({
      ...facts,
      query: undefined,
      body: newNote,
      response: noteOfAgents,
      errors: ['NOT_FOUND', 'RECORD_ERASED', 'AGENT_NOT_FOUND'],
      command({ body }) {
        const { type: kind = 'note', content, chat_user, ticket_id, mentions } = body
        return { type: 'create_note', kind, content, chat_user, ticket_id, mentions }
      },
    }),
  list_notes: (facts) =>
    route({
      ...facts,
      // `about`: the notes on a contact and on its tickets.
      query: v.pipe(v.strictObject({ ...noteQuery.entries, about: v.optional(recordId) }), inOrder()),
      body: undefined,
      response: pageOf(noteOfAgents),
      read({ query: { limit, cursor, about, ...filter } }, { database, project_id }) {
        const page = { limit, cursor }
        if (about !== undefined) return listNotesAbout(database, project_id, about, filter, page, toAgentNoteRecord)
        return listNotes(database, project_id, filter, page, toAgentNoteRecord)
      },
    }),
  get_note: (facts) =>
    route({
      ...facts,
      query: undefined,
      body: undefined,
      response: noteOfAgents,
      async read({ params }, { database, project_id }) {
        const found = await findNote(database, project_id, params.id!, toAgentNoteRecord)
        if (!found) throw new Refusal('NOT_FOUND')
        return found
      },
    }),
  list_ticket_timeline: (facts) =>
    route({
      ...facts,
      // `with_former`: goes on with what was before the ticket.
      query: v.strictObject({ ...timelineQuery.entries, with_former: v.optional(flagQuery) }),
      body: undefined,
      async read({ params, query }, { database, project_id }) {
        const page = await listTimeline(database, project_id, params.id!, query, toAgentNoteRecord)
        if (!page) throw new Refusal('NOT_FOUND')
        return page
      },
    }),
}

/** The route of the API as agents have it; `operation`: its name in the API. */
export function withMentions(operation: string, given: Route): Route {
  const change = ofAgents[operation]
  if (!change) return given
  const { command, read, change: _, ...facts } = given
  return change(facts)
}

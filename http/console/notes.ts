/** Notes with mentions: the operations of the API on notes, as agents have them. */
import * as v from 'valibot'
import {
  agentNoteRecord,
  isAboutSomething,
  newNoteFields,
  recordId,
  toAgentNoteRecord,
  toTimelineItem,
} from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import { findNote, listNotes, listNotesAbout, listTimeline } from '../../storage/mod.ts'
import { noteQuery } from '../routes/customers/notes.ts'
import { timelineQuery } from '../routes/customers/timeline.ts'
import { pageOfRecords } from '../server/route/page_of_records.ts'
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

/** The routes of the API as agents have them, by operation. */
const ofAgents: Readonly<Record<string, (facts: RouteFacts) => Route>> = {
  create_note: (facts) =>
    route({
      ...facts,
      query: undefined,
      body: newNote,
      response: agentNoteRecord,
      errors: ['NOT_FOUND', 'RECORD_ERASED', 'AGENT_NOT_FOUND', 'MEDIA_NOT_FOUND'],
      command({ body }) {
        const { type: kind = 'note', ...fields } = body
        const type = fields.media_ids?.length ? 'create_note_with_files' : 'create_note'
        return { ...fields, type, kind }
      },
    }),
  list_notes: (facts) =>
    route({
      ...facts,
      // `about`: the notes on a contact and on its tickets.
      query: v.pipe(v.strictObject({ ...noteQuery.entries, about: v.optional(recordId) }), inOrder()),
      body: undefined,
      response: pageOf(agentNoteRecord),
      async read({ query: { limit, cursor, about, ...filter } }, { database, project_id }) {
        const page = { limit, cursor }
        const found =
          about === undefined
            ? await listNotes(database, project_id, filter, page)
            : await listNotesAbout(database, project_id, about, filter, page)
        return pageOfRecords(found, toAgentNoteRecord)
      },
    }),
  get_note: (facts) =>
    route({
      ...facts,
      query: undefined,
      body: undefined,
      response: agentNoteRecord,
      async read({ params }, { database, project_id }) {
        const found = await findNote(database, project_id, params.id!)
        if (!found) throw new Refusal('NOT_FOUND')
        return toAgentNoteRecord(found)
      },
    }),
  list_ticket_timeline: (facts) =>
    route({
      ...facts,
      // `with_former`: goes on with what was before the ticket.
      query: v.strictObject({ ...timelineQuery.entries, with_former: v.optional(flagQuery) }),
      body: undefined,
      async read({ params, query }, { database, project_id }) {
        const page = await listTimeline(database, project_id, params.id!, query)
        if (!page) throw new Refusal('NOT_FOUND')
        return pageOfRecords(page, (item) => toTimelineItem(item, toAgentNoteRecord))
      },
    }),
}

/** The route of the API as agents have it; `operation`: its name in the API. */
export function withMentions(operation: string, base: Route): Route {
  const change = ofAgents[operation]
  if (!change) return base
  const { command, read, change: _, ...facts } = base
  return change(facts)
}

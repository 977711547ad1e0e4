/** Drafts: what the agent has written to a ticket and not sent. */
import * as v from 'valibot'
import {
  type DraftRecord,
  dictionary,
  draftRecord,
  listedDraft,
  maxCharacters,
  mediaKinds,
  noDraft,
  plainIdPattern,
  toDraftRecord,
  writtenDraft,
} from '../../../actors/mod.ts'
import { type DraftKind, type DraftPlace, findDraft, listDrafts } from '../../../storage/mod.ts'
import type { RequestContext, Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'

const INBOX = '/console/projects/:project_id/inbox'
const common = { auth: 'agent', pool: 'exempt' } as const
const one = {
  versioned: ({ version }: DraftRecord) => version,
  path: `${INBOX}/tickets/:ticket_id/drafts/:kind`,
  params: { ticket_id: plainIdPattern, kind: /^(?:reply|note)$/ },
} as const

const MAX_TEXT_LENGTH = 10_000
const MAX_ATTACHMENTS = 10
/** Characters of the context as JSON. */
const MAX_CONTEXT_LENGTH = 4000
/** Bytes of a draft, with all characters escaped. */
const BODY_LIMIT = 128 * 1024
const MAX_VERSION = 1_000_000_000

const text = v.string()

const attachment = v.strictObject({
  media_id: v.pipe(text, v.minLength(1), maxCharacters(200)),
  type: v.optional(v.picklist(mediaKinds)),
  filename: v.optional(v.pipe(text, maxCharacters(240))),
  mime_type: v.optional(v.pipe(text, maxCharacters(200))),
  file_size: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
})

const context = v.pipe(
  dictionary(v.unknown(), 20),
  v.check(
    (value) => JSON.stringify(value).length <= MAX_CONTEXT_LENGTH,
    `must have at most ${MAX_CONTEXT_LENGTH} characters as JSON`,
  ),
)

type Place = { ticket_id: string; kind: string }

function placeOf({ params }: { params: Place }, { user_id }: RequestContext): DraftPlace {
  return { ticket_id: params.ticket_id, user_id, kind: params.kind as DraftKind }
}

export const draftRoutes: Route[] = [
  route({
    ...common,
    method: 'GET',
    path: `${INBOX}/drafts`,
    operation: 'list_drafts',
    summary: "List the agent's drafts, the last one saved first, each with the beginning of its text",
    status: 200,
    response: v.object({ data: v.array(listedDraft) }),
    errors: ['NOT_FOUND'],
    read: async (_, { database, project_id, user_id }) => ({
      data: await listDrafts(database, { project_id, user_id }),
    }),
  }),
  route({
    ...common,
    ...one,
    method: 'GET',
    operation: 'get_draft',
    summary: "Get the agent's draft for a ticket; it is empty where there is none",
    status: 200,
    response: draftRecord,
    errors: ['NOT_FOUND'],
    async read(input, context) {
      const place = placeOf(input, context)
      const draft = await findDraft(context.database, context.project_id, place)
      return draft ? toDraftRecord(draft) : noDraft(place)
    },
  }),
  route({
    ...common,
    ...one,
    method: 'PUT',
    operation: 'save_draft',
    summary: "Save the agent's draft for a ticket, unless this or a later version is stored",
    agent_rate: 'draft',
    body_limit: BODY_LIMIT,
    body: v.strictObject({
      version: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_VERSION)),
      content: v.pipe(text, maxCharacters(MAX_TEXT_LENGTH)),
      attachments: v.optional(v.pipe(v.array(attachment), v.maxLength(MAX_ATTACHMENTS)), []),
      context: v.optional(v.nullable(context), null),
    }),
    status: 200,
    response: writtenDraft,
    errors: ['NOT_FOUND'],
    command(input, context) {
      const { version, ...text } = input.body
      return { type: 'save_draft', place: placeOf(input, context), version, if_match: input.if_match, text }
    },
  }),
  route({
    ...common,
    ...one,
    method: 'DELETE',
    operation: 'delete_draft',
    summary: "Delete the agent's draft for a ticket, unless this or a later version is stored",
    agent_rate: 'draft',
    query: v.strictObject({
      version: v.optional(
        v.pipe(
          text,
          v.regex(/^\d{1,10}$/, 'must be a whole number'),
          v.transform(Number),
          v.minValue(1),
          v.maxValue(MAX_VERSION),
        ),
      ),
    }),
    status: 200,
    response: writtenDraft,
    errors: ['NOT_FOUND'],
    command: (input, context) => ({
      type: 'delete_draft',
      place: placeOf(input, context),
      version: input.query.version,
      if_match: input.if_match,
    }),
  }),
]

/** Tickets: the work for a contact. */
import * as v from 'valibot'
import {
  exampleIds,
  externalId,
  MAX_STAGE_TEXT_LENGTH,
  maxCharacters,
  minCharacters,
  plainIdPattern,
  recordId,
  type TicketRecord,
  ticketHandlers,
  ticketPatch,
  ticketPriorities,
  ticketRecord,
  toTicketRecord,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findTicket, listTickets, type TicketView } from '../../../storage/mod.ts'
import { pageOfRecords } from '../../server/route/page_of_records.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import {
  beginOnce,
  flagQuery,
  followedPageOf,
  limit,
  offset,
  ofSameSort,
  order,
  sortedCursor,
} from '../../server/schema/fields.ts'
import { inOrder, range } from '../../server/schema/instant.ts'

const one = { path: '/v1/crm/tickets/:id', params: { id: plainIdPattern } } as const

/** An id of a user, or `none`. */
const assignee = v.pipe(
  v.string(),
  v.regex(/^(?:none|[0-9a-f]{24})$/i, 'must be the id of a user, 24 hex digits, or none'),
  v.toLowerCase(),
  v.transform((text) => (text === 'none' ? null : text)),
  v.description('A user, or `none` for tickets that nobody has'),
)

const query = v.pipe(
  v.strictObject({
    is_closed: v.optional(flagQuery),
    stage_id: v.optional(recordId),
    pipeline_id: v.optional(recordId),
    assigned_to: v.optional(assignee),
    handled_by: v.optional(v.picklist(ticketHandlers)),
    chat_user: v.optional(recordId),
    tag_id: v.optional(recordId),
    priority: v.optional(v.picklist(ticketPriorities)),
    external_id: v.optional(externalId),
    sort: v.optional(v.picklist(['created_at', 'updated_at', 'last_activity_at']), 'created_at'),
    order: order('desc'),
    ...range,
    limit,
    offset,
    cursor: sortedCursor,
  }),
  inOrder(),
  beginOnce(),
  ofSameSort(),
)

const stageText = v.optional(v.nullable(v.pipe(v.string(), minCharacters(1), maxCharacters(MAX_STAGE_TEXT_LENGTH))))

const move = v.strictObject({
  stage_id: recordId,
  prioridad: stageText,
  contexto: stageText,
  problema: stageText,
  recomendaciones: stageText,
})

function recordOf(view: TicketView): TicketRecord {
  return toTicketRecord(view.ticket, view.contact, view)
}

const taking = {
  params: one.params,
  auth: 'token',
  scope: 'crm:tickets:write',
  optional_body: true,
  status: 200,
  response: v.object({ ticket: ticketRecord }),
  versioned: ({ ticket }: { ticket: TicketRecord }) => ticket.version,
} as const

export const ticketRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/crm/tickets',
    operation: 'list_tickets',
    summary: 'List tickets by sort, newest first',
    auth: 'token',
    scope: 'crm:tickets:read',
    query,
    status: 200,
    response: followedPageOf(ticketRecord),
    async read({ query: { limit, offset, cursor, sort, order, ...filter } }, { database, project_id }) {
      const window = { limit, offset, cursor, sort, order }
      return { ...pageOfRecords(await listTickets(database, project_id, filter, window), recordOf), limit, offset }
    },
  }),
  route({
    ...one,
    method: 'GET',
    operation: 'get_ticket',
    summary: 'Get one ticket; its version is the ETag of the answer',
    auth: 'token',
    scope: 'crm:tickets:read',
    status: 200,
    response: ticketRecord,
    versioned: ({ version }: TicketRecord) => version,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED'],
    async read({ params }, { database, project_id }) {
      const found = await findTicket(database, project_id, params.id)
      if (!found) throw new Refusal('NOT_FOUND')
      return recordOf(found)
    },
  }),
  route({
    ...one,
    method: 'PATCH',
    operation: 'update_ticket',
    example: { body: { priority: 'high', category: 'returns', add_tag_ids: [exampleIds.tag] } },
    summary: 'Change the given fields, close or reopen the ticket; the rules of stages do not run',
    auth: 'token',
    scope: 'crm:tickets:write',
    body: ticketPatch,
    status: 200,
    response: v.object({
      ticket: ticketRecord,
      just_closed: v.boolean(),
      action: v.picklist(['updated', 'closed', 'reopened', 'unchanged']),
    }),
    versioned: ({ ticket }: { ticket: TicketRecord }) => ticket.version,
    errors: [
      'NOT_FOUND',
      'PRECONDITION_FAILED',
      'TAG_NOT_FOUND',
      'ASSIGNEE_NOT_FOUND',
      'TICKET_ALREADY_OPEN',
      'EXTERNAL_ID_TAKEN',
    ],
    command: ({ params, body, if_match }) => ({ type: 'update_ticket', id: params.id, if_match, patch: body }),
  }),
  route({
    method: 'POST',
    path: '/v1/crm/tickets/:id/stage',
    params: one.params,
    operation: 'move_ticket',
    example: { body: { stage_id: exampleIds.stage, contexto: 'The order arrived damaged.' } },
    summary: 'Move the ticket to a stage of a pipeline; the rules of the stage run',
    auth: 'token',
    scope: 'crm:tickets:write',
    body: move,
    status: 200,
    response: v.object({ ticket: ticketRecord, previous_stage_id: v.nullable(recordId) }),
    versioned: ({ ticket }: { ticket: TicketRecord }) => ticket.version,
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'STAGE_NOT_FOUND', 'TICKET_CLOSED', 'STAGE_REQUIREMENTS_NOT_MET'],
    command: ({ params, body: { stage_id, ...texts }, if_match }) => ({
      type: 'move_ticket',
      id: params.id,
      if_match,
      stage_id,
      texts,
    }),
  }),
  route({
    ...taking,
    method: 'POST',
    path: '/v1/crm/tickets/:id/take-over',
    operation: 'take_over_ticket',
    example: { body: { user_id: exampleIds.user } },
    summary: 'Take the ticket over from an assistant, which stops at once, for a person or for nobody in particular',
    body: v.strictObject({
      user_id: v.optional(
        v.pipe(v.nullable(recordId), v.description('The new assignee; null: nobody answers until a person does')),
      ),
    }),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'TICKET_CLOSED', 'ASSIGNEE_NOT_FOUND'],
    command: ({ params, body, if_match }) => ({ type: 'take_over_ticket', id: params.id, if_match, ...body }),
  }),
  route({
    ...taking,
    method: 'POST',
    path: '/v1/crm/tickets/:id/hand-back',
    operation: 'hand_back_ticket',
    example: { body: { assistant_id: exampleIds.assistant } },
    summary: 'Give the ticket to an assistant, which answers what the person waits for',
    body: v.strictObject({
      assistant_id: v.optional(v.pipe(recordId, v.description('Default: the one that had the ticket last'))),
    }),
    errors: ['NOT_FOUND', 'PRECONDITION_FAILED', 'TICKET_CLOSED', 'ASSISTANT_NOT_FOUND'],
    command: ({ params, body, if_match }) => ({ type: 'hand_back_ticket', id: params.id, if_match, ...body }),
  }),
]

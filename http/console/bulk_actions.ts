/** Bulk actions: one change of all tickets that match a filter, made by the project beside its other work. */
import * as v from 'valibot'
import {
  across,
  bulkActionRecord,
  fieldsOf,
  maxBulkTickets,
  maxRunningBulkActions,
  plainIdPattern,
  recordId,
  ticketHandlers,
  ticketPriorities,
  toBulkActionRecord,
} from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import {
  type BulkChange,
  type BulkChoice,
  countBulkTickets,
  countRunningBulkActions,
  type Database,
  dropUnusedBulkSlices,
  findBulkAction,
  type InboxFilter,
  listBulkActions,
  objectId,
  storeBulkSlices,
  type TicketFilter,
} from '../../storage/mod.ts'
import type { Outcome } from '../server/changes/operation.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { limit, pageOf, recordCursor } from '../server/schema/fields.ts'
import { instant } from '../server/schema/instant.ts'
import { inboxFilter } from './inbox/list.ts'

const LIST = '/console/projects/:project_id/bulk_actions'
const common = { auth: 'agent', pool: 'exempt' } as const
const one = { params: { id: plainIdPattern } } as const

/** Tickets that a filter may name one by one. */
const MAX_NAMED = 1000
const MAX_TAGS = 100

const tagIds = v.optional(v.pipe(v.array(recordId), v.maxLength(MAX_TAGS)), [])

const action = v.variant('type', [
  v.strictObject({ type: v.literal('assign'), assigned_to: v.nullable(recordId) }),
  v.strictObject({ type: v.literal('move'), stage_id: recordId }),
  v.strictObject({ type: v.literal('close'), resolution: v.optional(v.nullable(v.picklist(['won', 'lost']))) }),
  v.strictObject({ type: v.literal('reopen') }),
  v.strictObject({ type: v.literal('tag'), add_tag_ids: tagIds, remove_tag_ids: tagIds }),
  v.strictObject({ type: v.literal('prioritize'), priority: v.nullable(v.picklist(ticketPriorities)) }),
  v.strictObject({ type: v.literal('snooze'), until: v.optional(v.nullable(instant), null) }),
])

const inbox = v.strictObject({ ...inboxFilter, is_waiting: v.optional(v.boolean()) })

const filter = v.pipe(
  v.strictObject({
    inbox: v.optional(inbox),
    ticket_ids: v.optional(v.pipe(v.array(recordId), v.minLength(1), v.maxLength(MAX_NAMED))),
    is_closed: v.optional(v.boolean()),
    stage_id: v.optional(recordId),
    pipeline_id: v.optional(recordId),
    assigned_to: v.optional(recordId),
    chat_user: v.optional(recordId),
    tag_id: v.optional(recordId),
    priority: v.optional(v.picklist(ticketPriorities)),
    handled_by: v.optional(v.picklist(ticketHandlers)),
  }),
  across((value, say) => {
    const names = Object.keys(fieldsOf(value))
    const alone = names.find((name) => name === 'ticket_ids' || name === 'inbox')
    if (alone === undefined) return
    for (const name of names) if (name !== alone) say(`cannot be sent with ${alone}`, [name])
  }),
)

export const bulkActionRoutes: Route[] = [
  route({
    ...common,
    method: 'POST',
    path: LIST,
    operation: 'create_bulk_action',
    summary: 'Change all tickets that match a filter now, or those that are named, one by one on the server',
    body: v.strictObject({
      filter,
      action,
      expected_count: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
    }),
    status: 202,
    response: bulkActionRecord,
    errors: [
      'NOT_FOUND',
      'STAGE_NOT_FOUND',
      'TAG_NOT_FOUND',
      'ASSIGNEE_NOT_FOUND',
      'BULK_ACTION_COUNT_CHANGED',
      'BULK_ACTION_TOO_LARGE',
      'BULK_ACTIONS_RUNNING',
    ],
    act: ({ body }, context) => beginBulkAction(context, body),
  }),
  route({
    ...common,
    method: 'POST',
    path: `${LIST}/count`,
    operation: 'count_bulk_tickets',
    summary: 'Count the tickets that match a filter now; beyond `most` they are too many for an action',
    body: v.strictObject({ filter }),
    status: 200,
    response: v.object({ total: v.number(), most: v.number() }),
    errors: ['NOT_FOUND'],
    async read({ body: { filter } }, { database, project_id, user_id }) {
      const total = await countBulkTickets(database, { project_id, user_id }, choiceOf(filter), maxBulkTickets)
      return { total, most: maxBulkTickets }
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: LIST,
    operation: 'list_bulk_actions',
    summary: 'List bulk actions, newest first',
    query: v.strictObject({ limit, cursor: recordCursor }),
    status: 200,
    response: pageOf(bulkActionRecord),
    errors: ['NOT_FOUND'],
    async read({ query }, { database, project_id }) {
      const { data, ...page } = await listBulkActions(database, project_id, query)
      return { ...page, data: data.map(toBulkActionRecord) }
    },
  }),
  route({
    ...common,
    ...one,
    method: 'GET',
    path: `${LIST}/:id`,
    operation: 'get_bulk_action',
    summary: 'Get a bulk action, with its progress and the first refusals',
    status: 200,
    response: bulkActionRecord,
    errors: ['NOT_FOUND'],
    async read({ params }, { database, project_id }) {
      const found = await findBulkAction(database, project_id, params.id)
      if (!found) throw new Refusal('NOT_FOUND')
      return toBulkActionRecord(found)
    },
  }),
  route({
    ...common,
    ...one,
    method: 'POST',
    path: `${LIST}/:id/cancel`,
    operation: 'cancel_bulk_action',
    summary: 'Stop a bulk action; tickets that are done stay changed',
    status: 200,
    response: bulkActionRecord,
    errors: ['NOT_FOUND'],
    command: ({ params }) => ({ type: 'cancel_bulk_action', id: params.id }),
  }),
]

type Filter = TicketFilter & { ticket_ids?: string[]; inbox?: InboxFilter & { is_waiting?: boolean } }

type NewBulkAction = {
  filter: Filter
  action: BulkChange
  expected_count?: number
}

function choiceOf({ ticket_ids, inbox, ...tickets }: Filter): BulkChoice {
  if (ticket_ids) return { ticket_ids }
  return inbox ? { inbox } : { tickets }
}

type Where = { database: Database; project_id: string; user_id: string }

/**
 * Chooses the tickets and stores them; the project then begins the action. A refusal stores nothing. The project refuses
 * what has changed since: then the tickets are dropped.
 * @throws {Refusal} BULK_ACTIONS_RUNNING, BULK_ACTION_COUNT_CHANGED, BULK_ACTION_TOO_LARGE
 */
async function beginBulkAction({ database, project_id, user_id }: Where, body: NewBulkAction): Promise<Outcome> {
  const { filter, action, expected_count: expected } = body
  const running = await countRunningBulkActions(database, project_id)
  if (running >= maxRunningBulkActions) throw new Refusal('BULK_ACTIONS_RUNNING', { details: { running } })
  const id = objectId()
  const most = maxBulkTickets
  const total = await storeBulkSlices(database, { id, project_id, user_id }, choiceOf(filter), { most, expected })
  if (total > most) throw new Refusal('BULK_ACTION_TOO_LARGE', { details: { most } })
  if (expected !== undefined && expected !== total) {
    throw new Refusal('BULK_ACTION_COUNT_CHANGED', { details: { expected, total } })
  }
  const change = { type: 'begin_bulk_action' as const, id, user_id, filter, action, total }
  const settle = () => dropUnusedBulkSlices(database, id)
  return { changes: [change], answer: { status: 202, record: true }, settle }
}

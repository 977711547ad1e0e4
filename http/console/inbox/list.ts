/** The list of the inbox: tickets as agents see them. */
import * as v from 'valibot'
import { named, recordId, ticketHandlers, ticketPriorities, timestamp } from '../../../actors/mod.ts'
import {
  countInbox,
  listInbox,
  MAX_TICKETS,
  MAX_UNREAD,
  MAX_UNREAD_TICKETS,
  timelineCursor,
} from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { flagQuery, limit, pageOf, search } from '../../server/schema/fields.ts'
import { INBOX } from './path.ts'

const text = v.nullable(v.string())

/** A ticket as lists of agents show it. */
export const inboxRow = named(
  'InboxRow',
  v.object({
    ticket_id: recordId,
    version: v.number(),
    is_closed: v.boolean(),
    created_at: timestamp,
    closed_at: v.nullable(timestamp),
    contact: v.object({
      _id: recordId,
      name: text,
      avatar: text,
      phone: text,
      user_id: v.string(),
      channel_type: v.string(),
      channel_id: v.nullable(recordId),
    }),
    last_message: v.nullable(
      v.object({
        id: v.string(),
        type: v.string(),
        direction: v.picklist(['inbound', 'outbound']),
        status: v.string(),
        created_at: timestamp,
        deleted_at: v.pipe(v.nullable(timestamp), v.description('When its author withdrew it')),
        text: v.pipe(
          text,
          v.description(
            'The first 200 characters, if the message has text; of an e-mail, with its mark, subject or files',
          ),
        ),
        message: v.pipe(
          v.nullable(v.record(v.string(), v.unknown())),
          v.description('The content of a message without a text, such as the name and the variables of a template'),
        ),
        channel_id: v.nullable(recordId),
      }),
    ),
    last_activity_at: timestamp,
    waiting_since: v.nullable(timestamp),
    failed_at: v.nullable(timestamp),
    snoozed_at: v.nullable(timestamp),
    snoozed_until: v.nullable(timestamp),
    reply_window_ends_at: v.nullable(timestamp),
    unread_count: v.pipe(v.number(), v.description(`${MAX_UNREAD} stands for that many or more`)),
    assigned_to: v.nullable(v.object({ id: recordId, full_name: v.string(), email: v.string() })),
    handled_by: v.picklist(ticketHandlers),
    stage: v.nullable(v.object({ stage_id: recordId, name: text })),
    tags: v.array(v.object({ id: recordId, name: v.string(), color: text })),
    priority: v.nullable(v.picklist(ticketPriorities)),
  }),
)

const count = named(
  'InboxCount',
  v.object({
    tickets: v.pipe(v.number(), v.description(`${MAX_TICKETS} stands for that many or more`)),
    unread: v.pipe(v.number(), v.description(`${MAX_UNREAD_TICKETS} stands for that many or more`)),
  }),
)

const channelType = v.pipe(v.string(), v.regex(/^[a-z]{1,20}$/, 'must be the type of a channel'))

const narrowed = {
  stage_id: v.optional(recordId),
  channel_type: v.optional(channelType),
  channel_id: v.optional(recordId),
  tag_id: v.optional(recordId),
  priority: v.optional(v.picklist(ticketPriorities)),
  assigned_to: v.optional(recordId),
  handled_by: v.optional(v.picklist(ticketHandlers)),
  search,
}
const view = v.picklist(['mine', 'unassigned', 'all'])

/** The fields of a body that choose tickets of the inbox. */
export const inboxFilter = {
  view: v.optional(view),
  is_closed: v.optional(v.boolean()),
  is_snoozed: v.optional(v.boolean()),
  is_unread: v.optional(v.boolean()),
  is_failed: v.optional(v.boolean()),
  ...narrowed,
}

/** The parameters of the list. */
export const inboxQuery = v.strictObject({
  view: v.optional(view, 'all'),
  is_closed: v.optional(flagQuery, 'false'),
  is_snoozed: v.optional(flagQuery, 'false'),
  is_unread: v.optional(flagQuery),
  is_failed: v.optional(flagQuery),
  ...narrowed,
  sort: v.optional(v.picklist(['last_activity', 'waiting']), 'last_activity'),
  limit,
  cursor: v.optional(v.pipe(v.string(), v.regex(timelineCursor, 'must be the next_cursor of a page'), v.toLowerCase())),
})

export const inboxListRoutes: Route[] = [
  route({
    method: 'GET',
    path: INBOX,
    operation: 'list_inbox',
    summary: 'List tickets with what the list of the inbox shows',
    auth: 'agent',
    pool: 'exempt',
    query: inboxQuery,
    status: 200,
    response: pageOf(inboxRow),
    errors: ['NOT_FOUND'],
    read: ({ query: { sort, limit, cursor, ...filter } }, { database, project_id, user_id }) =>
      listInbox(database, { project_id, user_id }, filter, { sort, limit, cursor }),
  }),
  route({
    method: 'GET',
    path: `${INBOX}/counts`,
    operation: 'count_inbox',
    summary: 'Count the open tickets of each view, and those with messages that the agent has not read',
    auth: 'agent',
    pool: 'exempt',
    status: 200,
    response: named('InboxCounts', v.object({ mine: count, unassigned: count, all: count, snoozed: count })),
    errors: ['NOT_FOUND'],
    read: (_, { database, project_id, user_id }) => countInbox(database, { project_id, user_id }),
  }),
]

/** Messages that agents send later. */
import * as v from 'valibot'
import {
  dictionary,
  maxScheduledOfTicket,
  plainIdPattern,
  recordId,
  scheduledMessageRecord,
  toScheduledMessageRecord,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { listScheduledMessages, listScheduledOfTicket, timelineCursor } from '../../../storage/mod.ts'
import { messageId } from '../../routes/message_types/bounds.ts'
import { message } from '../../routes/message_types/mod.ts'
import { sendErrors } from '../../routes/messages/messages.ts'
import { pageOfRecords } from '../../server/route/page_of_records.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { limit, pageOf } from '../../server/schema/fields.ts'
import { instant } from '../../server/schema/instant.ts'
import { INBOX } from './path.ts'

const common = { auth: 'agent', pool: 'exempt', params: { id: plainIdPattern } } as const
const OF_TICKET = `${INBOX}/tickets/:id/scheduled_messages`
const ONE = `${INBOX}/scheduled_messages/:id`

/** Bytes: a project may have ten thousand of them. */
const MAX_BODY = 64 * 1024

export const scheduledMessageRoutes: Route[] = [
  route({
    ...common,
    method: 'POST',
    path: OF_TICKET,
    operation: 'schedule_message',
    summary: 'Send a message to the contact of a ticket later',
    body: v.strictObject({
      message,
      send_at: instant,
      cancel_if_answered: v.optional(v.boolean(), false),
      context: v.optional(v.strictObject({ message_id: messageId })),
      channel_id: v.optional(recordId),
      meta_data: v.optional(dictionary(v.unknown())),
    }),
    body_limit: MAX_BODY,
    status: 201,
    response: scheduledMessageRecord,
    errors: ['NOT_FOUND', 'NO_CONTACT', 'SCHEDULED_MESSAGES_FULL', ...sendErrors],
    command: ({ params, body }) => ({ type: 'schedule_message', ticket_id: params.id, ...body }),
  }),
  route({
    ...common,
    method: 'GET',
    path: OF_TICKET,
    operation: 'list_scheduled_messages_of_ticket',
    summary: 'List the messages of a ticket that are to come, or have failed, in the order of sending',
    status: 200,
    response: v.object({ data: v.array(scheduledMessageRecord) }),
    errors: ['NOT_FOUND'],
    async read({ params }, { database, project_id }) {
      const data = await listScheduledOfTicket(database, project_id, params.id, maxScheduledOfTicket)
      if (!data) throw new Refusal('NOT_FOUND')
      return { data: data.map(toScheduledMessageRecord) }
    },
  }),
  route({
    auth: 'agent',
    pool: 'exempt',
    method: 'GET',
    path: `${INBOX}/scheduled_messages`,
    operation: 'list_scheduled_messages',
    summary: 'List the messages of the project that are to come, or have failed, in the order of sending',
    query: v.strictObject({
      status: v.optional(scheduledMessageRecord.entries.status),
      created_by: v.optional(recordId),
      limit,
      cursor: v.optional(
        v.pipe(v.string(), v.regex(timelineCursor, 'must be the next_cursor of a page'), v.toLowerCase()),
      ),
    }),
    status: 200,
    response: pageOf(scheduledMessageRecord),
    errors: ['NOT_FOUND'],
    async read({ query: { limit, cursor, ...filter } }, { database, project_id }) {
      const page = await listScheduledMessages(database, project_id, filter, { limit, cursor })
      return pageOfRecords(page, toScheduledMessageRecord)
    },
  }),
  route({
    ...common,
    method: 'PATCH',
    path: ONE,
    operation: 'update_scheduled_message',
    summary: 'Change a message that is to come, or schedule a failed one again',
    body: v.strictObject({
      message: v.optional(message),
      send_at: v.optional(instant),
      cancel_if_answered: v.optional(v.boolean()),
    }),
    body_limit: MAX_BODY,
    status: 200,
    response: scheduledMessageRecord,
    errors: ['NOT_FOUND', 'NO_CONTACT', 'SCHEDULED_MESSAGE_OVER', ...sendErrors],
    command: ({ params, body }) => ({ type: 'update_scheduled_message', id: params.id, ...body }),
  }),
  route({
    ...common,
    method: 'DELETE',
    path: ONE,
    operation: 'cancel_scheduled_message',
    summary: 'Cancel a message that is to come, or has failed',
    status: 200,
    response: scheduledMessageRecord,
    errors: ['NOT_FOUND', 'SCHEDULED_MESSAGE_OVER'],
    command: ({ params }) => ({ type: 'cancel_scheduled_message', id: params.id }),
  }),
]

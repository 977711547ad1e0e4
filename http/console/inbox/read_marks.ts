/** How far agents have read tickets. */
import * as v from 'valibot'
import { idPattern, named, plainIdPattern, recordId, timestamp } from '../../../actors/mod.ts'
import { MAX_UNREAD } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { INBOX } from './path.ts'

const mark = named(
  'ReadMark',
  v.object({
    ticket_id: recordId,
    user_id: recordId,
    read_count: v.number(),
    read_at: v.nullable(timestamp),
    unread_count: v.pipe(v.number(), v.description(`${MAX_UNREAD} stands for that many or more`)),
  }),
)

export const readMarkRoutes: Route[] = [
  route({
    method: 'POST',
    path: `${INBOX}/tickets/:id/read`,
    operation: 'mark_ticket_read',
    summary: 'Mark a ticket as read by the agent, up to a message or all of it',
    auth: 'agent',
    pool: 'exempt',
    params: { id: plainIdPattern },
    optional_body: true,
    body: v.strictObject({
      message_id: v.optional(
        v.pipe(v.string(), v.regex(idPattern('msg'), 'must be the id of a message, such as msg_…'), v.toLowerCase()),
      ),
    }),
    status: 200,
    response: mark,
    errors: ['NOT_FOUND', 'MESSAGE_NOT_FOUND'],
    command: ({ params, body }, { user_id }) => ({ type: 'mark_ticket_read', id: params.id, user_id, ...body }),
  }),
  route({
    method: 'DELETE',
    path: `${INBOX}/tickets/:id/read`,
    operation: 'mark_ticket_unread',
    summary: 'Mark a ticket as unread by the agent, from the last message of the person on',
    auth: 'agent',
    pool: 'exempt',
    params: { id: plainIdPattern },
    status: 200,
    response: mark,
    errors: ['NOT_FOUND'],
    command: ({ params }, { user_id }) => ({ type: 'mark_ticket_unread', id: params.id, user_id }),
  }),
]

/** Snoozing: agents put tickets aside until a moment, or until the person writes. */
import * as v from 'valibot'
import { named, plainIdPattern, recordId, timestamp } from '../../../actors/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { instant } from '../../server/schema/instant.ts'
import { INBOX } from './path.ts'

const common = {
  path: `${INBOX}/tickets/:id/snooze`,
  auth: 'agent',
  pool: 'exempt',
  params: { id: plainIdPattern },
  status: 200,
  response: named(
    'Snooze',
    v.object({
      ticket_id: recordId,
      snoozed_at: v.nullable(timestamp),
      snoozed_until: v.nullable(timestamp),
    }),
  ),
} as const

export const snoozeRoutes: Route[] = [
  route({
    ...common,
    method: 'POST',
    operation: 'snooze_ticket',
    summary: 'Put an open ticket aside until a moment, or until the person writes',
    optional_body: true,
    body: v.strictObject({ until: v.optional(v.nullable(instant), null) }),
    errors: ['NOT_FOUND', 'TICKET_CLOSED'],
    command: ({ params, body }) => ({ type: 'snooze_ticket', id: params.id, until: body.until }),
  }),
  route({
    ...common,
    method: 'DELETE',
    operation: 'end_snooze',
    summary: 'End the snooze of a ticket',
    errors: ['NOT_FOUND'],
    command: ({ params }) => ({ type: 'end_snooze', id: params.id }),
  }),
]

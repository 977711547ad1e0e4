/** Events as webhooks deliver them: their types, one of them, and those that a polled subscription fetches. */
import * as v from 'valibot'
import {
  across,
  envelopeOf,
  eventTypes,
  fieldsOf,
  idPattern,
  idWithPrefix,
  maxCharacters,
  named,
  timestamp,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findEvent } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { limit, offset, pageAmong, uncountedPageOf, wholeLimit } from '../../server/schema/fields.ts'
import { instantQuery } from '../../server/schema/instant.ts'
import { mustRead, type WebhookPolls } from '../polls/polls.ts'
import { one, reads } from './places.ts'

const event = named(
  'WebhookEvent',
  v.object({
    id: idWithPrefix('evt'),
    type: v.string(),
    created_at: timestamp,
    project_id: v.string(),
    data: v.record(v.string(), v.unknown()),
  }),
)

const storedEvent = named(
  'StoredWebhookEvent',
  v.object({
    ...event.entries,
    request_id: v.pipe(
      v.nullable(v.string()),
      v.description('The request from which it came; null for what Parley does by itself'),
    ),
  }),
)

const pollQuery = v.pipe(
  v.strictObject({
    cursor: v.optional(v.pipe(v.string(), maxCharacters(64))),
    since: v.optional(instantQuery),
    limit,
    wait: v.optional(
      v.pipe(
        v.string(),
        v.regex(/^\d{1,2}$/, 'must be a whole number of seconds from 0 to 25'),
        v.transform(Number),
        v.maxValue(25),
      ),
      '0',
    ),
  }),
  across((value, say) => {
    const { cursor, since } = fieldsOf(value)
    if (cursor !== undefined && since !== undefined) say('may not be given with cursor', ['since'])
  }),
)

export const eventTypeRoute: Route = route({
  ...reads,
  method: 'GET',
  path: '/v1/webhooks/event-types',
  operation: 'list_event_types',
  summary: 'List the event types for subscriptions, each with the JSON Schema of its data and an example',
  query: v.strictObject({ limit: wholeLimit, offset }),
  status: 200,
  response: uncountedPageOf(
    v.object({
      type: v.string(),
      description: v.string(),
      schema: v.record(v.string(), v.unknown()),
      example: v.record(v.string(), v.unknown()),
    }),
  ),
  read: ({ query: page }) => pageAmong(eventTypes, page),
})

export const eventRoute: Route = route({
  ...reads,
  method: 'GET',
  path: '/v1/events/:id',
  operation: 'get_webhook_event',
  summary:
    'Get one event as webhooks deliver it, with the request from which it came; the scope that reads its record is needed, too',
  description:
    'Beside `webhooks:read` the token needs the scope of the record, such as `messages:read` for messages; `details.missing` of the refusal names it.',
  params: { id: idPattern('evt') },
  status: 200,
  response: storedEvent,
  async read({ params }, context) {
    const { database, project_id, session } = context
    const event = await findEvent(database, project_id, params.id)
    if (!event) throw new Refusal('NOT_FOUND')
    // Agents may read every record of their projects.
    if (!session) await mustRead(database, context, [event.type])
    return { ...JSON.parse(envelopeOf(event)), request_id: event.request_id ?? null }
  },
})

export function pollRoute(polls: Pick<WebhookPolls, 'poll'>): Route {
  return route({
    ...reads,
    ...one,
    method: 'GET',
    path: '/v1/webhooks/:id/poll',
    operation: 'poll_webhook',
    summary:
      'Fetch the events of a polled subscription, in order; a cursor acknowledges those before it, wait is in seconds',
    description:
      'Without a cursor it begins with the first event that was not acknowledged. Beside `webhooks:read` the token needs the scopes that read the records of the subscribed types, unless the payload is thin. Items have the form that the subscription asks for.',
    // Receivers cannot choose how many events there are, so polls leave the requests of the project alone.
    pool: 'poll',
    waits: true,
    query: pollQuery,
    errors: ['WEBHOOK_NOT_FOUND', 'WEBHOOK_PUSHED'],
    status: 200,
    response: v.object({
      data: v.array(v.union([event, v.record(v.string(), v.unknown())])),
      next_cursor: v.string(),
      has_more: v.boolean(),
    }),
    act: async ({ params, query }, context) => ({
      changes: [],
      answer: { json: await polls.poll(context, params.id, query) },
    }),
  })
}

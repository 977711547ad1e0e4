/** Events of contacts, recorded on the timelines of their tickets. */
import * as v from 'valibot'
import {
  across,
  crmEventRecord,
  dictionary,
  exampleIds,
  fieldsOf,
  maxCharacters,
  minCharacters,
  named,
  plainIdPattern,
  recordId,
  toCrmEventRecord,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findCrmEvent, listCrmEvents } from '../../../storage/mod.ts'
import { pageOfRecords } from '../../server/route/page_of_records.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { limit, pageOf, recordCursor } from '../../server/schema/fields.ts'
import { inOrder, range } from '../../server/schema/instant.ts'

const IDENTIFIERS = ['ticket_id', 'chat_user_id', 'customer_id', 'phone'] as const

const eventType = v.pipe(v.string(), minCharacters(1), maxCharacters(200))

const ingest = named(
  'NewTimelineEvent',
  v.pipe(
    v.strictObject({
      event_type: v.pipe(eventType, v.description('The full key, with its prefix')),
      data: v.pipe(
        dictionary(v.unknown()),
        v.description("Values by the keys of the type's fields; other keys are kept as well"),
      ),
      ticket_id: v.optional(recordId),
      chat_user_id: v.optional(recordId),
      customer_id: v.optional(recordId),
      phone: v.optional(
        v.pipe(
          v.string(),
          v.regex(/^[1-9]\d{6,14}$/, 'must be digits with the country code and without +, such as 5215512345678'),
        ),
      ),
      idempotency_key: v.optional(v.pipe(v.string(), minCharacters(1), maxCharacters(200))),
    }),
    across(
      (value, say) => {
        const sent = fieldsOf(value)
        const names = IDENTIFIERS.filter((name) => sent[name] !== undefined)
        if (names.length === 1) return
        const found = names.length === 0 ? 'none is given' : `${names.join(' and ')} are given`
        say(`must have exactly one of ${IDENTIFIERS.join(', ')}; ${found}`)
      },
      { exactly_one_of: IDENTIFIERS },
    ),
  ),
)

export const crmEventRoutes: Route[] = [
  route({
    method: 'POST',
    path: '/v1/crm/events',
    operation: 'record_event',
    example: {
      body: {
        event_type: 'custom.order_shipped',
        data: { order: 'A-1001' },
        chat_user_id: exampleIds.contact,
        idempotency_key: 'A-1001',
      },
    },
    summary: 'Record an event of a contact on the timeline of its open ticket; a ticket is opened when there is none',
    auth: 'token',
    scope: 'crm:events:write',
    pool: 'ingest',
    body: ingest,
    status: 201,
    other_statuses: { 200: 'The event that was recorded under this `idempotency_key` before.' },
    response: v.object({ event: crmEventRecord, duplicated: v.boolean() }),
    errors: [
      'EVENT_KEY_REUSED',
      'EVENT_TYPE_NOT_FOUND',
      'MISSING_REQUIRED_FIELDS',
      'INVALID_FIELD_VALUE',
      'TICKET_NOT_FOUND',
      'TICKET_NOT_OPEN',
      'NO_CONTACT',
    ],
    command({ body }) {
      const { event_type, data, ticket_id, chat_user_id, customer_id, phone, idempotency_key } = body
      const of =
        ticket_id !== undefined
          ? { ticket_id }
          : chat_user_id !== undefined
            ? { chat_user_id }
            : customer_id !== undefined
              ? { customer_id }
              : { phone: `+${phone}` }
      return { type: 'record_event', event_type, data, of, idempotency_key }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/crm/events',
    operation: 'list_events',
    summary: 'List recorded events, newest first',
    auth: 'token',
    scope: 'crm:events:read',
    query: v.pipe(
      v.strictObject({
        ticket_id: v.optional(recordId),
        chat_user: v.optional(recordId),
        event_type: v.optional(eventType),
        ...range,
        limit,
        cursor: recordCursor,
      }),
      inOrder(),
    ),
    status: 200,
    response: pageOf(crmEventRecord),
    async read({ query: { limit, cursor, ...filter } }, { database, project_id }) {
      return pageOfRecords(await listCrmEvents(database, project_id, filter, { limit, cursor }), toCrmEventRecord)
    },
  }),
  route({
    method: 'GET',
    path: '/v1/crm/events/:id',
    operation: 'get_event',
    summary: 'Get one recorded event',
    auth: 'token',
    scope: 'crm:events:read',
    params: { id: plainIdPattern },
    status: 200,
    response: crmEventRecord,
    errors: ['NOT_FOUND'],
    async read({ params }, { database, project_id }) {
      const found = await findCrmEvent(database, project_id, params.id)
      if (!found) throw new Refusal('NOT_FOUND')
      return toCrmEventRecord(found)
    },
  }),
]

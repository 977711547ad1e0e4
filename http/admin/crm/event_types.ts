/** Event types for the timeline: the events that a client may send to `POST /v1/crm/events`. */
import * as v from 'valibot'
import { exampleIds } from '../../../actors/mod.ts'
import { CrmEventType, changeEventType, removeEventType, storeEventType } from '../../../storage/mod.ts'
import { listRecords } from '../../server/list_records.ts'
import { maxCharacters } from '../../server/schema/length.ts'
import { named } from '../../server/schema/named.ts'
import { flag, name, objectId, recordList, recordsOf, timestamp } from '../fields.ts'
import { once } from '../once.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained, findRecord } from '../records.ts'
import { refreshCompany } from '../refresh.ts'
import { eventFields, mustSuitCustomFields, shownFields } from './event_fields.ts'

/** Prefix of keys without a dot. */
const PREFIX = 'custom.'

const key = v.pipe(
  v.string('must be a string'),
  v.regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/, 'must be of lower-case letters, digits and _, in parts separated by dots'),
  v.transform((text) => (text.includes('.') ? text : `${PREFIX}${text}`)),
  maxCharacters(100, `must have at most 100 characters, with its prefix ${PREFIX}`),
  v.description(`The event_type that clients send; a key without a dot gets the prefix ${PREFIX}`),
)

const record = named(
  'EventType',
  v.object({
    _id: objectId,
    company_id: objectId,
    key: v.string(),
    name: v.string(),
    is_system: flag,
    fields: shownFields,
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

function show({ _id, company_id, key, name, is_system, fields, created_at, updated_at }: CrmEventType) {
  const shown = fields.map(({ key, type, required, target }) => ({ key, type, required, target: target ?? null }))
  return { _id, company_id, key, name, is_system, fields: shown, created_at, updated_at }
}

export const eventTypeRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/event-types',
    operation: 'create_event_type',
    example: {
      body: {
        company_id: exampleIds.company,
        key: 'order_returned',
        name: 'Order returned',
        fields: [{ key: 'order', type: 'string', required: true }],
      },
    },
    summary: 'Create an event type of a company',
    status: 201,
    body: v.strictObject({ company_id: objectId, key, name, fields: v.optional(eventFields, []) }),
    response: record,
    errors: ['COMPANY_NOT_FOUND', 'EVENT_TYPE_ALREADY_EXISTS'],
    async change({ body }, context) {
      const type = await explained(
        once(context, (database) => storeEventType(database, body, mustSuitCustomFields), show),
      )
      await refreshCompany(context, type.company_id, 'crm')
      return show(type)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/event-types',
    operation: 'list_event_types_of_companies',
    summary: 'List event types, newest first, including those of the system',
    status: 200,
    query: recordList({ company_id: v.optional(objectId) }),
    response: recordsOf(record),
    read: ({ query: { limit, offset, cursor, ...filter } }, { database }) =>
      listRecords(database, CrmEventType, filter, { limit, offset, cursor }, show),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/event-types/:id',
    operation: 'get_event_type',
    summary: 'Get an event type',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    read: async ({ params }, { database }) => show(await findRecord(database, CrmEventType, params.id)),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/event-types/:id',
    operation: 'update_event_type',
    example: { body: { name: 'Order sent back' } },
    summary: 'Change the name or the fields of an event type, also of the system; recorded events stay as they are',
    status: 200,
    body: v.strictObject({ name: v.optional(name), fields: v.optional(eventFields) }),
    response: record,
    errors: ['NOT_FOUND'],
    async change({ params, body }, context) {
      const type = await explained(changeEventType(context.database, params.id, body, mustSuitCustomFields))
      await refreshCompany(context, type.company_id, 'crm')
      return show(type)
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/event-types/:id',
    operation: 'delete_event_type',
    summary: 'Delete an event type that is not of the system; its events stay, under its key',
    status: 204,
    errors: ['NOT_FOUND', 'SYSTEM_EVENT_TYPE'],
    async change({ params }, context) {
      const { company_id } = await explained(removeEventType(context.database, params.id))
      await refreshCompany(context, company_id, 'crm')
    },
  }),
]

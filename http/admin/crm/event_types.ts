/** Event types for the timeline: the events that a client may send to `POST /v1/crm/events`. */
import * as v from 'valibot'
import { exampleIds, maxCharacters, named } from '../../../actors/mod.ts'
import { CrmEventType, changeEventType, removeEventType, storeEventType } from '../../../storage/mod.ts'
import { search } from '../../server/schema/fields.ts'
import { flag, name, objectId, timestamp } from '../fields.ts'
import { refreshCompany } from '../operations/refresh.ts'
import { resource } from '../resource.ts'
import { eventFields, fieldRecords, mustSuitCustomFields } from './event_fields.ts'

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
    fields: fieldRecords,
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

function show({ _id, company_id, key, name, is_system, fields, created_at, updated_at }: CrmEventType) {
  const field_records = fields.map(({ key, type, required, target }) => ({
    key,
    type,
    required,
    target: target ?? null,
  }))
  return { _id, company_id, key, name, is_system, fields: field_records, created_at, updated_at }
}

export const eventTypeRoutes = resource({
  path: '/admin/v1/event-types',
  entity: CrmEventType,
  record,
  show,
  refresh: (context, { company_id }) => refreshCompany(context, company_id, 'crm'),
  create: {
    operation: 'create_event_type',
    summary: 'Create an event type of a company',
    example: {
      body: {
        company_id: exampleIds.company,
        key: 'order_returned',
        name: 'Order returned',
        fields: [{ key: 'order', type: 'string', required: true }],
      },
    },
    body: v.strictObject({ company_id: objectId, key, name, fields: v.optional(eventFields, []) }),
    errors: ['COMPANY_NOT_FOUND', 'EVENT_TYPE_ALREADY_EXISTS'],
    store: (database, event_type) => storeEventType(database, event_type, mustSuitCustomFields),
  },
  list: {
    operation: 'list_event_types_of_companies',
    summary: 'List event types, newest first, including those of the system',
    filter: { company_id: v.optional(objectId), search },
  },
  get: { operation: 'get_event_type', summary: 'Get an event type' },
  update: {
    operation: 'update_event_type',
    summary: 'Change the name or the fields of an event type, also of the system; recorded events stay as they are',
    example: { body: { name: 'Order sent back' } },
    fields: { name: v.optional(name), fields: v.optional(eventFields) },
    change: (database, id, patch) => changeEventType(database, id, patch, mustSuitCustomFields),
  },
  delete: {
    operation: 'delete_event_type',
    summary: 'Delete an event type that is not of the system; its events stay, under its key',
    errors: ['SYSTEM_EVENT_TYPE'],
    remove: removeEventType,
  },
})

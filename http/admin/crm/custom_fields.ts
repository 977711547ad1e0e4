/**
 * Custom fields that a company has defined. Once a kind of record has a defined field, requests may set only defined
 * fields on it. The key and the type cannot change, because stored values are not checked again.
 */
import * as v from 'valibot'
import {
  across,
  exampleIds,
  FIELD_KEY,
  fieldsOf,
  itemsOf,
  maxCharacters,
  minCharacters,
  named,
  parseTarget,
  repeated,
} from '../../../actors/mod.ts'
import {
  type CrmEventType,
  CustomField,
  type CustomFieldOwner,
  changeCustomField,
  removeCustomField,
  storeCustomField,
} from '../../../storage/mod.ts'
import { refuseInvalid } from '../../server/errors/invalid.ts'
import { UNIQUE } from '../../server/parse/validation.ts'
import { search } from '../../server/schema/fields.ts'
import { name, objectId, timestamp } from '../fields.ts'
import { refreshCompany } from '../operations/refresh.ts'
import { resource } from '../resource.ts'
import { fieldKey, fieldType } from './field_schemas.ts'

const MAX_OPTIONS = 200

const owners = ['contact', 'ticket', 'customer'] as const satisfies CustomFieldOwner[]
const owner = v.picklist(owners, `must be one of ${owners.join(', ')}`)

const options = v.pipe(
  v.array(
    v.pipe(v.string('must be a string'), minCharacters(1), maxCharacters(150)),
    'must be a list of texts, or null for any text',
  ),
  v.minLength(1, 'must have at least one option; null is for any text'),
  v.maxLength(MAX_OPTIONS, `must have at most ${MAX_OPTIONS} options`),
  across((list, say) => {
    for (const at of repeated(itemsOf(list))) say('is there twice', [at], UNIQUE)
  }),
)

const creation = v.pipe(
  v.strictObject({
    company_id: objectId,
    owner,
    key: fieldKey,
    name,
    type: fieldType,
    options: v.optional(v.nullable(options), null),
  }),
  across((value, say) => {
    const { owner, key, type, options } = fieldsOf(value)
    if ((owner === 'contact' || owner === 'ticket') && typeof key === 'string' && FIELD_KEY.test(key)) {
      const target = parseTarget(`${owner}.${key}`)
      if (!target || target.type) say(`is a field that every ${owner} has`, ['key'])
    }
    if (options && v.is(fieldType, type) && !isChoice(type)) {
      say('are for fields of type string or string[] only', ['options'])
    }
  }),
)

const record = named(
  'CustomField',
  v.object({
    _id: objectId,
    company_id: objectId,
    owner,
    key: v.string(),
    name: v.string(),
    type: fieldType,
    options: v.nullable(v.array(v.string())),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

function isChoice(type: CustomField['type']): boolean {
  return type === 'string' || type === 'string[]'
}

export const customFieldRoutes = resource({
  path: '/admin/v1/custom-fields',
  entity: CustomField,
  record,
  refresh: (context, { company_id }) => refreshCompany(context, company_id, 'crm'),
  create: {
    operation: 'create_custom_field',
    summary: 'Define a custom field; from the first one on, only defined fields can be set on that kind of record',
    example: { body: { company_id: exampleIds.company, owner: 'contact', key: 'plan', name: 'Plan', type: 'string' } },
    body: creation,
    errors: ['COMPANY_NOT_FOUND', 'CUSTOM_FIELD_ALREADY_EXISTS'],
    store: (database, field) => storeCustomField(database, field, (writers) => mustSuitEventTypes(field, writers)),
  },
  list: {
    operation: 'list_custom_fields',
    summary: 'List custom fields, newest first',
    filter: { company_id: v.optional(objectId), owner: v.optional(owner), search },
  },
  get: { operation: 'get_custom_field', summary: 'Get a custom field' },
  update: {
    operation: 'update_custom_field',
    summary: 'Change the name or the options of a custom field; values that are stored stay as they are',
    example: { body: { name: 'Subscription' } },
    fields: { name: v.optional(name), options: v.optional(v.nullable(options)) },
    change: (database, id, patch) => changeCustomField(database, id, patch, (row) => mustBeChoice(row, patch.options)),
  },
  delete: {
    operation: 'delete_custom_field',
    summary: 'Delete the definition of a custom field that no event type and no stage uses; stored values stay',
    errors: ['IN_USE'],
    remove: removeCustomField,
  },
})

/** @throws {Refusal} VALIDATION_ERROR when a field of numbers or truths gets options */
function mustBeChoice({ type }: CustomField, options: string[] | null | undefined): void {
  if (!options || isChoice(type)) return
  const message = `are for fields of type string or string[] only, and this one is ${type}`
  refuseInvalid([{ path: 'options', message, code: 'invalid_value' }])
}

/** @throws {Refusal} VALIDATION_ERROR when event types write values of another type to the field */
function mustSuitEventTypes(field: Pick<CustomField, 'owner' | 'key' | 'type'>, writers: CrmEventType[]): void {
  const target = `${field.owner}.${field.key}`
  for (const { key, fields } of writers) {
    const other = fields.find((one) => one.target === target && one.type !== field.type)
    if (!other) continue
    const message = `must be ${other.type}, as ${other.key} of the event type ${key} is, which is written to it`
    refuseInvalid([{ path: 'type', message, code: 'invalid_value' }])
  }
}

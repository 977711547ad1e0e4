/** People as a company knows them. Requests read them (`GET /v1/crm/customers`), operators keep them. */
import * as v from 'valibot'
import { customFieldViolations } from '../../../actors/mod.ts'
import { Customer, CustomField, type Database, objectId as newId, readRows } from '../../../storage/mod.ts'
import { dictionary } from '../../routes/fields.ts'
import { email, listOf, name, objectId, paging, timestamp } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'
import { changeRecord, deleteUnheld, findRecord, listRecords, storeRecord } from '../records.ts'
import { refuseInvalid } from './invalid.ts'

const MOST_TAGS = 100

/** By shape alone: numbering plans change. */
const phone = v.pipe(
  v.string('must be a string'),
  v.regex(/^\+[1-9]\d{6,14}$/, 'must be a phone number in E.164 form, such as +5215512345678'),
)

const tags = v.pipe(
  v.array(
    v.pipe(
      v.string('must be a string'),
      v.trim(),
      v.minLength(1, 'must not be empty'),
      v.maxLength(100, 'must have at most 100 characters'),
    ),
    'must be a list of texts',
  ),
  v.maxLength(MOST_TAGS, `must have at most ${MOST_TAGS} tags`),
  v.transform((list) => [...new Set(list)]),
)

const fields = {
  email: v.optional(v.nullable(email)),
  phone: v.optional(v.nullable(phone)),
  tags: v.optional(tags),
  custom_fields: v.optional(dictionary(v.unknown())),
}

const record = v.object({
  _id: objectId,
  company_id: objectId,
  full_name: v.string(),
  email: v.nullable(v.string()),
  phone: v.nullable(v.string()),
  tags: v.array(v.string()),
  custom_fields: v.record(v.string(), v.unknown()),
  created_at: timestamp,
  updated_at: timestamp,
})

function show(customer: Customer) {
  const { _id, company_id, full_name, email, phone, tags, custom_fields, created_at, updated_at } = customer
  const shown = { _id, company_id, full_name, email: email ?? null, phone: phone ?? null, tags, custom_fields }
  return { ...shown, created_at, updated_at }
}

/** @throws {Refusal} VALIDATION_ERROR when they are not what the company has defined */
async function mustBeDefined(database: Database, company_id: string, values: Record<string, unknown> = {}) {
  if (Object.keys(values).length === 0) return
  const defined = await readRows(database, CustomField, { company_id, owner: 'customer' })
  refuseInvalid(customFieldViolations(values, new Map(defined.map((field) => [field.key, field]))))
}

export const customerRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/customers',
    operation: 'create_customer',
    summary: 'Create a customer of a company',
    status: 201,
    body: v.strictObject({ company_id: objectId, full_name: name, ...fields }),
    response: record,
    errors: ['COMPANY_NOT_FOUND'],
    async read({ body }, { database }) {
      await mustBeDefined(database, body.company_id, body.custom_fields)
      const now = new Date()
      const none = { email: null, phone: null, tags: [], custom_fields: {} }
      const stamps = { created_at: now, updated_at: now }
      return show(await storeRecord(database, Customer, { _id: newId(), ...none, ...body, ...stamps }))
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/customers',
    operation: 'list_customers_of_companies',
    summary: 'List customers, newest first',
    status: 200,
    query: v.strictObject({ ...paging, company_id: v.optional(objectId) }),
    response: listOf(record),
    read: ({ query: { limit, offset, ...filter } }, { database }) =>
      listRecords(database, Customer, filter, { limit, offset }, show),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/customers/:id',
    operation: 'get_customer_record',
    summary: 'Get a customer',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    read: async ({ params }, { database }) => show(await findRecord(database, Customer, params.id)),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/customers/:id',
    operation: 'update_customer',
    summary: 'Change a customer; tags and custom_fields replace those there are',
    status: 200,
    body: v.strictObject({ full_name: v.optional(name), ...fields }),
    response: record,
    errors: ['NOT_FOUND'],
    async read({ params, body }, { database }) {
      const { _id, company_id } = await findRecord(database, Customer, params.id)
      await mustBeDefined(database, company_id, body.custom_fields)
      return show(await changeRecord(database, Customer, _id, (row) => void Object.assign(row, body)))
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/customers/:id',
    operation: 'delete_customer',
    summary: 'Delete a customer that no contact is linked to',
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE'],
    async read({ params }, { database }) {
      const { _id } = await findRecord(database, Customer, params.id)
      const advice = 'Unlink them first: PATCH /v1/contacts/{id} with "customer_id": null.'
      await deleteUnheld(database, 'customer', _id, advice)
    },
  }),
]

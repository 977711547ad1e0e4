/**
 * Customers: people as a company knows them. Requests read them (`GET /v1/crm/customers`); only operators change them.
 */
import * as v from 'valibot'
import {
  across,
  changedCustomer,
  customerColumns,
  exampleIds,
  externalId,
  fieldsOf,
  newCustomer,
  type OperatorCustomer,
  operatorCustomer,
  valuesOf,
} from '../../../actors/mod.ts'
import {
  Contact,
  Customer,
  changeCustomer,
  type Database,
  listCustomers,
  readRows,
  removeCustomer,
  storeCustomer,
} from '../../../storage/mod.ts'
import { customFieldsMustBeDefined } from '../../routes/customers/custom_values.ts'
import { sayCustomerChanged } from '../../server/changes/customer_changed.ts'
import { listRecords } from '../../server/list_records.ts'
import { phoneQuery, search } from '../../server/schema/fields.ts'
import { objectId, recordList, recordsOf } from '../fields.ts'
import { once } from '../once.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained, findRecord } from '../records.ts'

const filter = v.pipe(
  recordList({ company_id: v.optional(objectId), search, phone: phoneQuery, external_id: v.optional(externalId) }),
  across((value, say) => {
    const { company_id, search, phone, external_id } = fieldsOf(value)
    if (company_id !== undefined || [search, phone, external_id].every((one) => one === undefined)) return
    say('is required with search, phone and external_id, which look into one company', ['company_id'])
  }),
)

function show(customer: Customer, chat_users: string[]): OperatorCustomer {
  return { ...valuesOf(customerColumns, customer), company_id: customer.company_id, chat_users }
}

/** Reads the contacts of customers. The returned function shows each of them with its own. */
async function withContacts(database: Database, customers: Customer[]) {
  const contacts = await readRows(database, Contact, { customer_id: customers.map(({ _id }) => _id) })
  const own = Map.groupBy(contacts, ({ customer_id }) => customer_id!)
  return (customer: Customer) => show(customer, (own.get(customer._id) ?? []).map(({ _id }) => _id).sort())
}

async function showOne(database: Database, customer: Customer) {
  return (await withContacts(database, [customer]))(customer)
}

export const customerRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/customers',
    operation: 'create_customer',
    example: {
      body: {
        company_id: exampleIds.company,
        full_name: 'Ana Torres',
        email: 'ana@example.com',
        phone: '+5215512345678',
      },
    },
    summary: 'Create a customer of a company',
    status: 201,
    body: v.strictObject({ company_id: objectId, ...newCustomer.entries }),
    response: operatorCustomer,
    errors: ['COMPANY_NOT_FOUND', 'EXTERNAL_ID_TAKEN'],
    async change({ body }, context) {
      const store = (database: Database) => storeCustomer(database, body, customFieldsMustBeDefined)
      const showNew = (customer: Customer) => show(customer, [])
      const customer = await explained(once(context, store, showNew))
      sayCustomerChanged(context.runtime, customer)
      return showNew(customer)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/customers',
    operation: 'list_customers_of_companies',
    summary:
      'List customers, newest first; search finds what a name or e-mail address of a company’s customers contains',
    status: 200,
    query: filter,
    response: recordsOf(operatorCustomer),
    async read({ query: { limit, offset, cursor, company_id, ...filter } }, { database }) {
      const window = { limit, offset, cursor }
      if (company_id === undefined) {
        const list = await listRecords(database, Customer, {}, window, (customer) => customer)
        return { ...list, data: list.data.map(await withContacts(database, list.data)) }
      }
      const { data, ...found } = await listCustomers(database, { company_id }, filter, window)
      return { ...found, data: data.map((customer) => ({ ...customer, company_id })), limit, offset }
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/customers/:id',
    operation: 'get_customer_record',
    summary: 'Get a customer',
    status: 200,
    response: operatorCustomer,
    errors: ['NOT_FOUND'],
    read: async ({ params }, { database }) => showOne(database, await findRecord(database, Customer, params.id)),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/customers/:id',
    operation: 'update_customer',
    example: { body: { tags: ['vip'] } },
    summary: 'Change a customer; tags and custom_fields are replaced as a whole',
    status: 200,
    body: changedCustomer,
    response: operatorCustomer,
    errors: ['NOT_FOUND', 'EXTERNAL_ID_TAKEN'],
    async change({ params, body }, { database, runtime }) {
      const customer = await explained(changeCustomer(database, params.id, body, customFieldsMustBeDefined))
      sayCustomerChanged(runtime, customer)
      return showOne(database, customer)
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/customers/:id',
    operation: 'delete_customer',
    summary: 'Delete a customer that no contact is linked to',
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE'],
    async change({ params }, { database, runtime }) {
      const { _id, company_id } = await findRecord(database, Customer, params.id)
      await explained(removeCustomer(database, _id))
      sayCustomerChanged(runtime, { company_id, _id })
    },
  }),
]

import * as v from 'valibot'
import { Company, changeCompany, removeCompany, storeCompany } from '../../storage/mod.ts'
import { listRecords } from '../server/list_records.ts'
import { search } from '../server/schema/fields.ts'
import { named } from '../server/schema/named.ts'
import { name, objectId, recordList, recordsOf, timestamp } from './fields.ts'
import { once } from './once.ts'
import { operatorRoute } from './operator_route.ts'
import { explained, findRecord } from './records.ts'
import { refreshCompany } from './refresh.ts'

const record = named(
  'Company',
  v.object({ _id: objectId, name: v.string(), created_at: timestamp, updated_at: timestamp }),
)

function show(company: Company) {
  return { _id: company._id, name: company.name, created_at: company.created_at, updated_at: company.updated_at }
}

export const companyRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/companies',
    operation: 'create_company',
    example: { body: { name: 'Acme' } },
    summary: 'Create a company',
    status: 201,
    body: v.strictObject({ name }),
    response: record,
    change: async ({ body }, context) => show(await once(context, (database) => storeCompany(database, body), show)),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/companies',
    operation: 'list_companies',
    summary: 'List companies, newest first',
    status: 200,
    query: recordList({ search }),
    response: recordsOf(record),
    read: ({ query: { limit, offset, cursor, ...filter } }, { database }) =>
      listRecords(database, Company, filter, { limit, offset, cursor }, show),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/companies/:id',
    operation: 'get_company',
    summary: 'Get a company',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    read: async ({ params }, { database }) => show(await findRecord(database, Company, params.id)),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/companies/:id',
    operation: 'update_company',
    example: { body: { name: 'Acme Ltd' } },
    summary: 'Rename a company',
    status: 200,
    body: v.strictObject({ name: v.optional(name) }),
    response: record,
    errors: ['NOT_FOUND'],
    async change({ params, body }, context) {
      const company = await explained(changeCompany(context.database, params.id, body))
      await refreshCompany(context, company._id, 'limits')
      return show(company)
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/companies/:id',
    operation: 'delete_company',
    summary: 'Delete a company that has no projects and no users',
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE'],
    async change({ params }, { database }) {
      const { _id } = await findRecord(database, Company, params.id)
      await explained(removeCompany(database, _id))
    },
  }),
]

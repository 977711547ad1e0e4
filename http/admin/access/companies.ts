import * as v from 'valibot'
import { named } from '../../../actors/mod.ts'
import { Company, changeCompany, removeCompany, storeCompany } from '../../../storage/mod.ts'
import { search } from '../../server/schema/fields.ts'
import { name, objectId, timestamp } from '../fields.ts'
import { refreshCompany } from '../operations/refresh.ts'
import { resource } from '../resource.ts'

const record = named(
  'Company',
  v.object({ _id: objectId, name: v.string(), created_at: timestamp, updated_at: timestamp }),
)

export const companyRoutes = resource({
  path: '/admin/v1/companies',
  entity: Company,
  record,
  create: {
    operation: 'create_company',
    summary: 'Create a company',
    example: { body: { name: 'Acme' } },
    body: v.strictObject({ name }),
    store: storeCompany,
  },
  list: { operation: 'list_companies', summary: 'List companies, newest first', filter: { search } },
  get: { operation: 'get_company', summary: 'Get a company' },
  update: {
    operation: 'update_company',
    summary: 'Rename a company',
    example: { body: { name: 'Acme Ltd' } },
    fields: { name: v.optional(name) },
    change: changeCompany,
    refresh: (context, { _id }) => refreshCompany(context, _id, 'limits'),
  },
  delete: {
    operation: 'delete_company',
    summary: 'Delete a company that has no projects and no users',
    errors: ['IN_USE'],
    remove: removeCompany,
  },
})

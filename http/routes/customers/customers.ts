/** Customers: people as a company knows them. Only operators create and change them. */
import * as v from 'valibot'
import { customerRecord, externalId, plainIdPattern } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findCustomer, listCustomers } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import {
  beginOnce,
  followedPageOf,
  limit,
  offset,
  phoneQuery,
  recordCursor,
  search,
} from '../../server/schema/fields.ts'

export const customerRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/crm/customers',
    operation: 'list_customers',
    summary: 'List the customers of the company, newest first; search matches any part of a name or e-mail address',
    auth: 'token',
    scope: 'crm:customers:read',
    query: v.pipe(
      v.strictObject({
        search,
        phone: phoneQuery,
        external_id: v.optional(externalId),
        limit,
        offset,
        cursor: recordCursor,
      }),
      beginOnce(),
    ),
    status: 200,
    response: followedPageOf(customerRecord),
    async read({ query: { limit, offset, cursor, ...filter } }, { database, company_id, project_id }) {
      const window = { limit, offset, cursor }
      return { ...(await listCustomers(database, { company_id, project_id }, filter, window)), limit, offset }
    },
  }),
  route({
    method: 'GET',
    path: '/v1/crm/customers/:id',
    operation: 'get_customer',
    summary: 'Get a customer of the company',
    auth: 'token',
    scope: 'crm:customers:read',
    params: { id: plainIdPattern },
    status: 200,
    response: customerRecord,
    errors: ['NOT_FOUND'],
    async read({ params }, { database, company_id, project_id }) {
      const found = await findCustomer(database, { company_id, project_id }, params.id)
      if (!found) throw new Refusal('NOT_FOUND')
      return found
    },
  }),
]

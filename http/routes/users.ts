/** The users of a company, to whom tickets can be assigned. Operators create and change them. */
import * as v from 'valibot'
import { listRecords, User } from '../../storage/mod.ts'
import type { Route } from '../server/route.ts'
import { countedPage, countedPageOf, flagQuery, limit, offset, recordId, search } from '../server/schema/fields.ts'
import { named } from '../server/schema/named.ts'

/** As a ticket shows its assignee, and without what operators alone see of a user. */
const user = named(
  'CompanyUser',
  v.object({
    id: recordId,
    full_name: v.string(),
    email: v.string(),
    is_active: v.pipe(v.boolean(), v.description('False for a user to whom no further tickets can be assigned')),
  }),
)

export const userRoutes: Route[] = [
  {
    method: 'GET',
    path: '/v1/users',
    operation: 'list_users',
    summary:
      'List the users of the company, to whom tickets can be assigned, newest first; search matches any part of a name or address',
    auth: 'token',
    scope: 'crm:tickets:read',
    query: v.strictObject({ is_active: v.optional(flagQuery), search, limit, offset }),
    status: 200,
    response: countedPageOf(user),
    async read({ query: { limit, offset, ...filter } }, { database, company_id }) {
      const { rows, total } = await listRecords(database, User, { ...filter, company_id }, { limit, offset })
      const data = rows.map(({ _id, full_name, email, is_active }) => ({ id: _id, full_name, email, is_active }))
      return countedPage(data, total, { limit, offset })
    },
  },
]

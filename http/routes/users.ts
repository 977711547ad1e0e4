/** The users of a company, to whom tickets can be assigned. Operators create and change them. */
import * as v from 'valibot'
import { named, recordId } from '../../actors/mod.ts'
import { User } from '../../storage/mod.ts'
import { listRecords } from '../server/list_records.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { beginOnce, flagQuery, followedPageOf, limit, offset, recordCursor, search } from '../server/schema/fields.ts'

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
  route({
    method: 'GET',
    path: '/v1/users',
    operation: 'list_users',
    summary:
      'List the users of the company, to whom tickets can be assigned, newest first; search matches any part of a name or address',
    auth: 'token',
    scope: 'crm:tickets:read',
    query: v.pipe(
      v.strictObject({ is_active: v.optional(flagQuery), search, limit, offset, cursor: recordCursor }),
      beginOnce(),
    ),
    status: 200,
    response: followedPageOf(user),
    read: ({ query: { limit, offset, cursor, ...filter } }, { database, company_id }) =>
      listRecords(
        database,
        User,
        { ...filter, company_id },
        { limit, offset, cursor },
        ({ _id, full_name, email, is_active }) => ({ id: _id, full_name, email, is_active }),
      ),
  }),
]

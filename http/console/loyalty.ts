/** The memberships of a customer, for the panel beside a thread. */
import * as v from 'valibot'
import {
  loyaltyProgramRecord,
  membershipRecord,
  recordId,
  toLoyaltyProgramRecord,
  toMembershipRecord,
} from '../../actors/mod.ts'
import { listMemberships, newDate } from '../../storage/mod.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { countedPage, countedPageOf, limit, offset } from '../server/schema/fields.ts'

export const membershipRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/console/projects/:project_id/loyalty/memberships',
    operation: 'console_list_memberships',
    summary: 'List the memberships of a customer, newest first, each with its program',
    auth: 'agent',
    pool: 'exempt',
    query: v.strictObject({ customer_id: recordId, limit, offset }),
    status: 200,
    response: countedPageOf(v.object({ ...membershipRecord.entries, program: loyaltyProgramRecord })),
    errors: ['NOT_FOUND'],
    async read({ query: { customer_id, ...page } }, { database, project_id }) {
      const { data, total } = await listMemberships(database, { project_id, customer_id }, page)
      const now = newDate()
      const records = data.map(({ membership, program }) => {
        return { ...toMembershipRecord(membership, program, now), program: toLoyaltyProgramRecord(program) }
      })
      return countedPage(records, total, page)
    },
  }),
]

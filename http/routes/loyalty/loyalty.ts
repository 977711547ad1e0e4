/** Loyalty programs, memberships and their ledgers. Movements are written through the operator API. */
import * as v from 'valibot'
import {
  ledgerEntryRecord,
  loyaltyProgramRecord,
  membershipRecord,
  plainIdPattern,
  toLedgerEntryRecord,
  toLoyaltyProgramRecord,
  toMembershipRecord,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { findLoyaltyProgram, findMembership, listEntries, newDate } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { beginOnce, followedPageOf, limit, offset } from '../../server/schema/fields.ts'
import { ledgerCursor } from './fields.ts'

const shared = {
  method: 'GET',
  auth: 'token',
  scope: 'loyalty:read',
  params: { id: plainIdPattern },
  status: 200,
  errors: ['NOT_FOUND'],
} satisfies Partial<Route>

export const loyaltyRoutes: Route[] = [
  route({
    ...shared,
    path: '/v1/loyalty/programs/:id',
    operation: 'get_loyalty_program',
    summary: 'Get a loyalty program',
    response: loyaltyProgramRecord,
    async read({ params }, { database, project_id }) {
      const program = await findLoyaltyProgram(database, project_id, params.id)
      if (!program) throw new Refusal('NOT_FOUND')
      return toLoyaltyProgramRecord(program)
    },
  }),
  route({
    ...shared,
    path: '/v1/loyalty/memberships/:id',
    operation: 'get_loyalty_membership',
    summary: 'Get a membership with its balance and tier',
    response: membershipRecord,
    async read({ params }, { database, project_id }) {
      const member = await findMembership(database, project_id, params.id)
      if (!member) throw new Refusal('NOT_FOUND')
      return toMembershipRecord(member.membership, member.program, newDate())
    },
  }),
  route({
    ...shared,
    path: '/v1/loyalty/memberships/:id/ledger',
    operation: 'list_loyalty_ledger',
    summary: 'List the movements of a membership, newest first',
    query: v.pipe(v.strictObject({ limit, offset, cursor: ledgerCursor }), beginOnce()),
    response: followedPageOf(ledgerEntryRecord),
    async read({ params, query: page }, { database, project_id }) {
      const member = await findMembership(database, project_id, params.id)
      if (!member) throw new Refusal('NOT_FOUND')
      const { data, ...found } = await listEntries(database, member.membership, {}, page)
      return { ...found, data: data.map(toLedgerEntryRecord), limit: page.limit, offset: page.offset }
    },
  }),
]

/** Loyalty programs, memberships and ledgers. */
import { LoyaltyEntry, LoyaltyMembership, LoyaltyProgram } from '../../entities/mod.ts'
import { sql } from '../../sql/sql.ts'
import type { RecordKind } from '../record_kind.ts'
import { inProject } from './conditions.ts'

export const loyaltyKinds: RecordKind[] = [
  { type: 'loyalty_program', table: 'loyalty_program', entity: LoyaltyProgram, project: inProject },
  {
    type: 'loyalty_membership',
    table: 'loyalty_membership',
    entity: LoyaltyMembership,
    named_by: sql`_id`,
    person: ({ customers }) => sql`customer_id = any (${customers})`,
    project: inProject,
  },
  {
    type: 'loyalty_entry',
    table: 'loyalty_entry',
    entity: LoyaltyEntry,
    person: ({ customers }) =>
      sql`membership_id in (select _id from loyalty_membership where customer_id = any (${customers}))`,
    project: inProject,
  },
]

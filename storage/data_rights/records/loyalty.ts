/** Loyalty programs, memberships and ledgers. */
import { LoyaltyEntry, LoyaltyMembership, LoyaltyProgram } from '../../entities/mod.ts'
import type { RecordKind } from '../record_kind.ts'
import { textArray } from '../subject.ts'
import { inProject } from './conditions.ts'

export const loyaltyKinds: RecordKind[] = [
  { type: 'loyalty_program', table: 'loyalty_program', entity: LoyaltyProgram, project: inProject },
  {
    type: 'loyalty_membership',
    table: 'loyalty_membership',
    entity: LoyaltyMembership,
    named_by: '_id',
    person: ({ customers }) => `customer_id = any (${textArray(customers)})`,
    project: inProject,
  },
  {
    type: 'loyalty_entry',
    table: 'loyalty_entry',
    entity: LoyaltyEntry,
    person: ({ customers }) =>
      `membership_id in (select _id from loyalty_membership where customer_id = any (${textArray(customers)}))`,
    project: inProject,
  },
]

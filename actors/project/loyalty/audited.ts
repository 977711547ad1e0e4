/** The audit entries of operators' changes. */
import type { Audited } from '../turn/audit.ts'
import { loyaltyReads } from './reads.ts'

type Part = { type: string }

export const auditedProgram: Audited<Part> = {
  target: 'loyalty_program',
  record: ({ records }, id) => records.of(loyaltyReads).programs.get(id),
}

export const auditedMembership: Audited<Part> = {
  target: 'loyalty_membership',
  record: ({ records }, id) => records.of(loyaltyReads).memberships.get(id),
}

/** The ledger has what was moved; the entry says by whom. */
export const auditedMovement: Audited<Part> = { target: 'loyalty_entry' }

/** The audit entries of operators' changes. */
import { toFullEntryRecord } from '../../../storage/mod.ts'
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

/** Corrections alone: tills and shops earn and redeem all day, and the ledger keeps that. */
export const auditedMovement: Audited<Part> = {
  target: 'loyalty_entry',
  record({ records }, id) {
    const entry = records.of(loyaltyReads).written.get(id)
    return entry?.kind === 'adjust' ? toFullEntryRecord(entry) : null
  },
}

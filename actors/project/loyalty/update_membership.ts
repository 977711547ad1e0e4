import { LoyaltyMembership, type MembershipStatus } from '../../../storage/mod.ts'
import { toFullMembershipRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import { auditedMembership } from './audited.ts'
import { findMember, loyaltyReads } from './reads.ts'

/** Changes only the given fields. */
export type UpdateMembership = {
  type: 'update_membership'
  id: string
  patch: { status?: MembershipStatus | undefined; serial_number?: string | undefined }
}

/** `PATCH /admin/v1/memberships/{id}`. @throws {Refusal} NOT_FOUND, SERIAL_NUMBER_ALREADY_EXISTS */
export const updateMembership = {
  audit: auditedMembership,
  reads(reads, { id, patch: { serial_number } }) {
    const keys = reads.of(loyaltyReads)
    keys.ids.add(id)
    if (serial_number !== undefined) keys.serial_numbers.add(serial_number)
  },
  run(turn, { id, patch }) {
    const { membership, program } = findMember(turn, id)
    for (const { _id, serial_number } of turn.records.of(loyaltyReads).memberships.values()) {
      if (_id !== id && serial_number === patch.serial_number) throw refuse('SERIAL_NUMBER_ALREADY_EXISTS')
    }
    const written: Partial<LoyaltyMembership> = { ...patch, updated_at: turn.now }
    Object.assign(membership, written)
    turn.update(LoyaltyMembership, { _id: id }, written)
    return { body: toFullMembershipRecord(membership, program, turn.now) }
  },
} satisfies Command<UpdateMembership>

/** Loyalty programs, memberships and ledger entries as the API shows them. */
import * as v from 'valibot'
import {
  expiryOf,
  figuresAt,
  type LoyaltyEntry,
  type LoyaltyMembership,
  type LoyaltyProgram,
} from '../../../storage/mod.ts'
import { type InMemory, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'

export const programTypes = ['points', 'stamps'] as const
export const membershipStatuses = ['active', 'suspended', 'revoked'] as const
export const movementKinds = ['earn', 'redeem', 'adjust', 'expire'] as const

const programColumns = v.object({
  _id: recordId,
  name: v.string(),
  type: v.picklist(programTypes),
  rules: v.object({
    points: v.object({
      expiration_days: v.pipe(v.number(), v.description('Days from the enrolment to the expiry of points; 0 for none')),
    }),
  }),
  tiers: v.array(v.object({ name: v.string(), threshold: v.number() })),
  is_active: v.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
})

export const loyaltyProgramRecord = named('LoyaltyProgram', programColumns)

export function toLoyaltyProgramRecord(row: LoyaltyProgram) {
  return valuesOf(programColumns, row)
}

/** Columns that the record shows as they are stored. */
const membershipColumns = v.object({
  _id: recordId,
  program_id: recordId,
  customer_id: recordId,
  serial_number: v.pipe(v.string(), v.description('Identity of the card in wallets, encoded in its bar code')),
  status: v.pipe(v.picklist(membershipStatuses), v.description('A label: movements are accepted in every status')),
  enrolled_at: timestamp,
  created_at: timestamp,
  updated_at: timestamp,
})

export const membershipRecord = named(
  'Membership',
  v.object({
    ...membershipColumns.entries,
    balance_points: v.pipe(v.number(), v.description('0 in a program of stamps, and after the expiry of the points')),
    stamps_count: v.pipe(v.number(), v.description('0 in a program of points')),
    tier: v.pipe(v.string(), v.description('The highest level reached; empty without one')),
  }),
)

export type MembershipRecord = InMemory<v.InferOutput<typeof membershipRecord>>

/** The membership as it reads at `at`. */
export function toMembershipRecord(row: LoyaltyMembership, program: LoyaltyProgram, at: Date): MembershipRecord {
  return { ...valuesOf(membershipColumns, row), ...figuresAt(program, row, at) }
}

const ownedColumns = v.object({
  project_id: recordId,
  entry_count: v.pipe(v.number(), v.description('Entries of the ledger')),
  expired_at: v.nullable(timestamp),
})

/** The membership as operators see it: also with its owner, its expiry and the length of its ledger. */
export const operatorMembership = named(
  'OperatorMembership',
  v.object({
    ...membershipRecord.entries,
    ...ownedColumns.entries,
    expires_at: v.pipe(v.nullable(timestamp), v.description('When the points expire; null when they do not, or did')),
  }),
)

export type FullMembershipRecord = InMemory<v.InferOutput<typeof operatorMembership>>

export function toFullMembershipRecord(
  row: LoyaltyMembership,
  program: LoyaltyProgram,
  at: Date,
): FullMembershipRecord {
  const expires_at = expiryOf(program, row)
  return { ...toMembershipRecord(row, program, at), ...valuesOf(ownedColumns, row), expires_at }
}

const entryColumns = v.object({
  _id: recordId,
  membership_id: recordId,
  kind: v.picklist(movementKinds),
  amount: v.pipe(v.number(), v.description('Signed: a redeem of 50 is -50')),
  balance_after: v.number(),
  ref: v.pipe(v.nullable(v.string()), v.description("The caller's reference; not unique")),
  created_at: timestamp,
})

export const ledgerEntryRecord = named('LedgerEntry', entryColumns)

export type LedgerEntryRecord = InMemory<v.InferOutput<typeof ledgerEntryRecord>>

export function toLedgerEntryRecord(row: LoyaltyEntry): LedgerEntryRecord {
  return valuesOf(entryColumns, row)
}

const numberedColumns = v.object({
  ...entryColumns.entries,
  number: v.pipe(v.number(), v.description('Position in the ledger: 1, 2, 3 and so on')),
  key: v.nullable(v.string()),
})

/** The entry as operators see it: also with its number and key. */
export const operatorLedgerEntry = named('OperatorLedgerEntry', numberedColumns)

export function toFullLedgerEntryRecord(row: LoyaltyEntry) {
  return valuesOf(numberedColumns, row)
}

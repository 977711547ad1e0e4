/** Loyalty programs, memberships and ledger entries in answers. */
import * as v from 'valibot'
import { named, recordId, timestamp } from '../../../actors/mod.ts'

export const programTypes = ['points', 'stamps'] as const
export const membershipStatuses = ['active', 'suspended', 'revoked'] as const
export const movementKinds = ['earn', 'redeem', 'adjust', 'expire'] as const

export const loyaltyProgram = named(
  'LoyaltyProgram',
  v.object({
    _id: recordId,
    name: v.string(),
    type: v.picklist(programTypes),
    rules: v.object({
      points: v.object({
        expiration_days: v.pipe(
          v.number(),
          v.description('Days from the enrolment to the expiry of points; 0 for none'),
        ),
      }),
    }),
    tiers: v.array(v.object({ name: v.string(), threshold: v.number() })),
    is_active: v.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

export const membership = named(
  'Membership',
  v.object({
    _id: recordId,
    program_id: recordId,
    customer_id: recordId,
    serial_number: v.pipe(v.string(), v.description('Identity of the card in wallets, encoded in its bar code')),
    status: v.pipe(v.picklist(membershipStatuses), v.description('A label: movements are accepted in every status')),
    balance_points: v.pipe(v.number(), v.description('0 in a program of stamps, and after the expiry of the points')),
    stamps_count: v.pipe(v.number(), v.description('0 in a program of points')),
    tier: v.pipe(v.string(), v.description('The highest level reached; empty without one')),
    enrolled_at: timestamp,
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

export const ledgerEntry = named(
  'LedgerEntry',
  v.object({
    _id: recordId,
    membership_id: recordId,
    kind: v.picklist(movementKinds),
    amount: v.pipe(v.number(), v.description('Signed: a redeem of 50 is -50')),
    balance_after: v.number(),
    ref: v.pipe(v.nullable(v.string()), v.description("The caller's reference; not unique")),
    created_at: timestamp,
  }),
)

/** `cursor` of a ledger: the number of the last entry of the page before. */
export const ledgerCursor = v.optional(
  v.pipe(v.string(), v.regex(/^[1-9]\d{0,8}$/, 'must be the next_cursor of a page, a whole number')),
)

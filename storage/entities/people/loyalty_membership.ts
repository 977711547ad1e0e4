import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type MembershipStatus = 'active' | 'suspended' | 'revoked'

/** A customer in a loyalty program. The figures are those after the last entry of its ledger. */
export const LoyaltyMembership = defineEntity({
  name: 'LoyaltyMembership',
  tableName: 'loyalty_membership',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    program_id: p.text(),
    customer_id: p.text(),
    /** Identity of the card in wallets and bar codes. */
    serial_number: p.text(),
    /** A label: movements are accepted in every status. */
    status: p.text().$type<MembershipStatus>(),
    /** Moves in programs of points only. */
    balance_points: p.integer(),
    /** Moves in programs of stamps only. */
    stamps_count: p.integer(),
    /** The level after the last movement; empty without one. */
    tier: p.text(),
    /** Entries of the ledger, and thus the number of the last one. */
    entry_count: p.integer(),
    /** The points of a membership expire this many days after this moment (`rules.points.expiration_days`). */
    enrolled_at: p.datetime(3),
    /** When the expiry was written down. A membership expires once. */
    expired_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type LoyaltyMembership = InferEntity<typeof LoyaltyMembership>

import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type MovementKind = 'earn' | 'redeem' | 'adjust' | 'expire'

/** A movement of a membership. Entries are only ever inserted; a trigger refuses every change. */
export const LoyaltyEntry = defineEntity({
  name: 'LoyaltyEntry',
  tableName: 'loyalty_entry',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    membership_id: p.text(),
    /** Position in the ledger of the membership: 1, 2, 3 and so on. */
    number: p.integer(),
    kind: p.text().$type<MovementKind>(),
    /** Signed: the amounts of a ledger add up to its balance. */
    amount: p.integer(),
    balance_after: p.integer(),
    /** The caller's reference. Several entries may have the same. */
    ref: p.text().nullable(),
    /** Makes the movement repeatable: a membership has one entry with a key. */
    key: p.text().nullable(),
    created_at: p.datetime(3),
  },
})

export type LoyaltyEntry = InferEntity<typeof LoyaltyEntry>

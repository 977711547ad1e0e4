import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { LoyaltyProgramType, LoyaltyRules, LoyaltyTier } from '../../values/loyalty_rules.ts'

/** A loyalty program of a project. */
export const LoyaltyProgram = defineEntity({
  name: 'LoyaltyProgram',
  tableName: 'loyalty_program',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    name: p.text(),
    type: p.text().$type<LoyaltyProgramType>(),
    rules: p.json<LoyaltyRules>().columnType('json'),
    /** In the order in which they were given. */
    tiers: p.json<LoyaltyTier[]>().columnType('json'),
    /** An inactive program takes no members and no `earn`. */
    is_active: p.boolean(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type LoyaltyProgram = InferEntity<typeof LoyaltyProgram>

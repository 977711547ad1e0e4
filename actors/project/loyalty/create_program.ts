import {
  LoyaltyProgram,
  type LoyaltyProgramType,
  type LoyaltyRules,
  type LoyaltyTier,
  objectId,
} from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import { auditedProgram } from './audited.ts'
import { loyaltyReads, wantPrograms } from './reads.ts'

export type CreateProgram = {
  type: 'create_program'
  name: string
  /** The type of the program. */
  kind: LoyaltyProgramType
  /** Programs of stamps have no expiry. */
  rules: LoyaltyRules
  tiers: LoyaltyTier[]
  is_active: boolean
}

/** Maximum programs of a project: each turn of its memberships reads all of them. */
const MAX_PROGRAMS = 100

/** `POST /admin/v1/programs`. @throws {Refusal} PROGRAM_LIMIT_REACHED */
export const createProgram = {
  audit: auditedProgram,
  reads: wantPrograms,
  run(turn, { name, kind, rules, tiers, is_active }) {
    const { programs } = turn.records.of(loyaltyReads)
    if (programs.size >= MAX_PROGRAMS) throw refuse('PROGRAM_LIMIT_REACHED', { limit: MAX_PROGRAMS })
    const { company_id, project_id } = turn.state
    const _id = objectId()
    const times = { created_at: turn.now, updated_at: turn.now }
    const row: LoyaltyProgram = { _id, company_id, project_id, name, type: kind, rules, tiers, is_active, ...times }
    turn.insert(LoyaltyProgram, row)
    programs.set(_id, row)
    return { body: row }
  },
} satisfies Command<CreateProgram>

import { LoyaltyProgram, type LoyaltyRules, type LoyaltyTier } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import { auditedProgram } from './audited.ts'
import { lookForExpiries } from './expiry_timer.ts'
import { loyaltyReads, wantPrograms } from './reads.ts'

/** Changes only the given fields; `rules` and `tiers` are replaced as a whole. */
export type UpdateProgram = {
  type: 'update_program'
  id: string
  patch: {
    name?: string | undefined
    rules?: LoyaltyRules | undefined
    tiers?: LoyaltyTier[] | undefined
    is_active?: boolean | undefined
  }
}

/**
 * `PATCH /admin/v1/programs/{id}`. Members get their level of changed tiers with their next movement. Changed rules hold
 * at once, except for what has expired already.
 * @throws {Refusal} NOT_FOUND, VALIDATION_ERROR
 */
export const updateProgram: Command<UpdateProgram> = {
  audit: auditedProgram,
  reads: wantPrograms,
  run(turn, { id, patch }) {
    const program = turn.records.of(loyaltyReads).programs.get(id)
    if (!program) throw refuse('NOT_FOUND')
    if (patch.rules) mayExpire(program, patch.rules)
    const written: Partial<LoyaltyProgram> = { ...patch, updated_at: turn.now }
    Object.assign(program, written)
    turn.update(LoyaltyProgram, { _id: id }, written)
    if (patch.rules) lookForExpiries(turn)
    return { body: program }
  },
}

/** Only points expire. @throws {Refusal} VALIDATION_ERROR */
function mayExpire({ type }: LoyaltyProgram, { points: { expiration_days } }: LoyaltyRules): void {
  if (type === 'points' || expiration_days === 0) return
  const path = 'rules.points.expiration_days'
  const message = 'must be 0 in a program of stamps, which do not expire'
  throw refuse('VALIDATION_ERROR', { violations: [{ path, message, code: 'invalid_value' }] }, `${path} ${message}`)
}

import { Unavailable } from '../../../runtime/mod.ts'
import { type LoyaltyMembership, LoyaltyProgram, type LoyaltyRules, type LoyaltyTier } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { auditedProgram } from './audited.ts'
import { lookForExpiries, wantExpiries } from './expiry_timer.ts'
import { isDue } from './ledger.ts'
import { loyaltyReads, programOf, wantPrograms } from './reads.ts'
import { writeExpiry } from './write.ts'

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
 * @throws {Unavailable} while many memberships expire
 */
export const updateProgram = {
  audit: auditedProgram,
  reads(reads, { patch }) {
    wantPrograms(reads)
    if (patch.rules) wantExpiries(reads)
  },
  run(turn, { id, patch }) {
    const program = turn.records.of(loyaltyReads).programs.get(id)
    if (!program) throw refuse('NOT_FOUND')
    if (patch.rules) {
      mayExpire(program, patch.rules)
      writeDueExpiries(turn, program)
    }
    const written: Partial<LoyaltyProgram> = { ...patch, updated_at: turn.now }
    Object.assign(program, written)
    turn.update(LoyaltyProgram, { _id: id }, written)
    if (patch.rules) lookForExpiries(turn)
    return { body: program }
  },
} satisfies Command<UpdateProgram>

/**
 * Writes down what has expired by the rules so far: points that read 0 must not come back.
 * @throws {Unavailable} while more is due than one turn writes
 */
function writeDueExpiries(turn: ProjectTurn, program: LoyaltyProgram): void {
  const { next, has_more, is_outdated, programs } = turn.records.of(loyaltyReads)
  const expires = (membership: LoyaltyMembership) =>
    isDue({ membership, program: programOf(programs, membership) }, turn.now)
  const last = next.at(-1)
  if (is_outdated || (has_more && last && (last.expired_at || expires(last)))) {
    throw new Unavailable('Points are expiring right now.')
  }
  const due = next.filter((membership) => membership.program_id === program._id && expires(membership))
  for (const membership of due) writeExpiry(turn, membership, program)
}

/** Only points expire. @throws {Refusal} VALIDATION_ERROR */
function mayExpire({ type }: LoyaltyProgram, { points: { expiration_days } }: LoyaltyRules): void {
  if (type === 'points' || expiration_days === 0) return
  const path = 'rules.points.expiration_days'
  const message = 'must be 0 in a program of stamps, which do not expire'
  throw refuse('VALIDATION_ERROR', { violations: [{ path, message, code: 'invalid_value' }] }, `${path} ${message}`)
}

import { randomInt } from 'node:crypto'
import { LoyaltyMembership, type MembershipStatus, objectId, tierAt } from '../../../storage/mod.ts'
import { toFullMembershipRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import { auditedMembership } from './audited.ts'
import { setExpiryTimer, wantExpiries } from './expiry_timer.ts'
import { loyaltyReads } from './reads.ts'

export type CreateMembership = {
  type: 'create_membership'
  program_id: string
  customer_id: string
  /** Made when it is not given. */
  serial_number?: string | undefined
  status: MembershipStatus
  /** ISO 8601, not in the future; now when it is not given. */
  enrolled_at?: string | undefined
}

const SERIAL_DIGITS = 16

/**
 * `POST /admin/v1/memberships`.
 * @throws {Refusal} PROGRAM_NOT_FOUND, PROGRAM_INACTIVE, CUSTOMER_NOT_FOUND, MEMBERSHIP_ALREADY_EXISTS,
 * SERIAL_NUMBER_ALREADY_EXISTS, VALIDATION_ERROR
 */
export const createMembership = {
  audit: auditedMembership,
  reads(reads, { program_id, customer_id, serial_number }) {
    const keys = reads.of(loyaltyReads)
    keys.enrolments.push({ program_id, customer_id })
    if (serial_number !== undefined) keys.serial_numbers.add(serial_number)
    wantExpiries(reads)
  },
  run(turn, { program_id, customer_id, serial_number = newSerialNumber(), status, enrolled_at }) {
    const { programs, memberships, customers } = turn.records.of(loyaltyReads)
    const program = programs.get(program_id)
    if (!program) throw refuse('PROGRAM_NOT_FOUND', { program_id })
    if (!program.is_active) throw refuse('PROGRAM_INACTIVE')
    if (!customers.has(customer_id)) throw refuse('CUSTOMER_NOT_FOUND', { customer_id })
    for (const other of memberships.values()) {
      if (other.program_id === program_id && other.customer_id === customer_id) {
        throw refuse('MEMBERSHIP_ALREADY_EXISTS', { membership_id: other._id })
      }
      if (other.serial_number === serial_number) throw refuse('SERIAL_NUMBER_ALREADY_EXISTS')
    }
    const enrolled = enrolled_at === undefined ? turn.now : new Date(enrolled_at)
    if (enrolled > turn.now) throw tooEarly()
    const { company_id, project_id } = turn.state
    const figures = { balance_points: 0, stamps_count: 0, tier: tierAt(program.tiers, 0), entry_count: 0 }
    const times = { enrolled_at: enrolled, expired_at: null, created_at: turn.now, updated_at: turn.now }
    const owner = { company_id, project_id, program_id, customer_id }
    const row: LoyaltyMembership = { _id: objectId(), ...owner, serial_number, status, ...figures, ...times }
    turn.insert(LoyaltyMembership, row)
    memberships.set(row._id, row)
    setExpiryTimer(turn)
    return { body: toFullMembershipRecord(row, program, turn.now) }
  },
} satisfies Command<CreateMembership>

/** Digits alone fit every bar code. They are random, so that cards cannot be guessed from each other. */
function newSerialNumber(): string {
  return Array.from({ length: SERIAL_DIGITS }, () => randomInt(10)).join('')
}

function tooEarly() {
  const message = 'must not be in the future'
  const violations = [{ path: 'enrolled_at', message, code: 'invalid_value' }]
  return refuse('VALIDATION_ERROR', { violations }, `enrolled_at ${message}`)
}

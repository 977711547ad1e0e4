import type { LoyaltyEntry, MovementKind } from '../../../storage/mod.ts'
import { toFullLedgerEntryRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import { auditedMovement } from './audited.ts'
import { move, signed } from './ledger.ts'
import { entryKey, findMember, loyaltyReads } from './reads.ts'
import { writeMovements } from './write.ts'

export type RecordMovement = {
  type: 'record_movement'
  membership_id: string
  kind: Exclude<MovementKind, 'expire'>
  /** Not 0. Positive for `earn`; either sign means the same for `redeem`. */
  amount: number
  ref: string | null
  /** A repeated movement with the same key changes nothing, and is answered with the entry of the first. */
  key?: string | undefined
}

/**
 * `POST /admin/v1/memberships/{id}/ledger`.
 * @throws {Refusal} NOT_FOUND, PROGRAM_INACTIVE, INSUFFICIENT_BALANCE, BALANCE_LIMIT_REACHED, IDEMPOTENCY_KEY_REUSED
 */
export const recordMovement = {
  audit: auditedMovement,
  reads(reads, { membership_id, key }) {
    const keys = reads.of(loyaltyReads)
    keys.ids.add(membership_id)
    if (key !== undefined) keys.keys.set(entryKey(membership_id, key), { membership_id, key })
  },
  run(turn, { membership_id, kind, amount: size, ref, key }) {
    const member = findMember(turn, membership_id)
    const amount = signed(kind, size)
    const { entries } = turn.records.of(loyaltyReads)
    const earlier = key === undefined ? undefined : entries.get(entryKey(membership_id, key))
    if (earlier) {
      if (!isSame(earlier, { kind, amount, ref })) throw refuse('IDEMPOTENCY_KEY_REUSED', undefined, REUSED)
      return { body: toFullLedgerEntryRecord(earlier), replayed: true }
    }
    const movements = move(member, kind, amount, turn.now)
    const row = writeMovements(turn, member.membership, movements, { ref, key: key ?? null }).at(-1)!
    if (key !== undefined) entries.set(entryKey(membership_id, key), row)
    return { body: toFullLedgerEntryRecord(row) }
  },
} satisfies Command<RecordMovement>

const REUSED = 'The membership has another movement with this key; use a new key for each new movement.'

function isSame(entry: LoyaltyEntry, other: Pick<LoyaltyEntry, 'kind' | 'amount' | 'ref'>): boolean {
  return entry.kind === other.kind && entry.amount === other.amount && (entry.ref ?? null) === (other.ref ?? null)
}

import { LoyaltyEntry, LoyaltyMembership, type LoyaltyProgram, objectId } from '../../../storage/mod.ts'
import { toLedgerEntryRecord } from '../../records/mod.ts'
import { emit } from '../turn/events.ts'
import type { ProjectTurn } from '../turn/turn.ts'
import { expire, type Movements } from './ledger.ts'

/** Writes entries with the changes of their membership, and tells of each. Returns the rows of the entries. */
export function writeMovements(
  turn: ProjectTurn,
  membership: LoyaltyMembership,
  { entries, changes }: Movements,
  own: { ref: string | null; key: string | null },
): LoyaltyEntry[] {
  const { company_id, project_id } = turn.state
  Object.assign(membership, changes)
  turn.update(LoyaltyMembership, { _id: membership._id }, changes)
  return entries.map((entry) => {
    const { ref, key } = entry.kind === 'expire' ? { ref: null, key: null } : own
    const owner = { company_id, project_id, membership_id: membership._id }
    const row: LoyaltyEntry = { _id: objectId(), ...owner, ...entry, ref, key, created_at: turn.now }
    turn.insert(LoyaltyEntry, row)
    emit(turn, 'loyalty.ledger.entry_created', toLedgerEntryRecord(row), null)
    return row
  })
}

/** Writes down the expiry of a membership that is due. */
export function writeExpiry(turn: ProjectTurn, membership: LoyaltyMembership, program: LoyaltyProgram): void {
  writeMovements(turn, membership, expire({ membership, program }, turn.now), { ref: null, key: null })
}

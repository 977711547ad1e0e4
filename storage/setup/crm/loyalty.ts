import { LockMode } from '@mikro-orm/core'
import { auditRecord, snapshot } from '../../audit/audit_record.ts'
import type { Database } from '../../database/database.ts'
import type { EntityManager } from '../../database/entity_manager.ts'
import { LoyaltyMembership } from '../../entities/mod.ts'
import { sql } from '../../sql/sql.ts'
import { ChangeRefused, mustBeUnheld } from '../change_refused.ts'
import { removeRecord } from '../removal.ts'

/**
 * The door to ledgers: from here to its end, the transaction of `em` may delete entries, and blank their `ref` and
 * `key`. For erasure only; movements are corrected by further movements.
 */
async function openLedgers(em: EntityManager): Promise<void> {
  await em.execute(sql`select set_config('parley.ledger_erasure', 'on', true)`)
}

/** @throws {StillHeld} by memberships */
export function removeProgram(database: Database, _id: string): Promise<void> {
  return removeRecord(database, 'program', _id)
}

/**
 * Deletes a membership. The project's actor reads memberships in each turn, so it need not be told: a movement that is
 * committed meanwhile waits for the row here, and fails by its foreign key.
 *
 * @param with_ledger also erases its entries
 * @throws {ChangeRefused} NOT_FOUND
 * @throws {StillHeld} by ledger entries that are not to be erased
 */
export async function removeMembership(database: Database, _id: string, with_ledger: boolean): Promise<void> {
  await database.em().transactional(async (em) => {
    const row = await em.findOne(LoyaltyMembership, { _id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!row) throw new ChangeRefused('NOT_FOUND')
    const before = snapshot(database, LoyaltyMembership, row)
    if (with_ledger) {
      await openLedgers(em)
      await em.execute(sql`delete from loyalty_entry where membership_id = ${_id}`)
    } else mustBeUnheld('membership', { ledger_entries: row.entry_count })
    await em.execute(sql`delete from loyalty_membership where _id = ${_id}`)
    await auditRecord(database, em, LoyaltyMembership, { before })
  })
}

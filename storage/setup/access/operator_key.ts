import type { Database } from '../../database/database.ts'
import { OperatorKey } from '../../entities/mod.ts'
import { newDate } from '../../values/time.ts'
import { ChangeRefused } from '../change_refused.ts'
import { changeRecord, type NewColumns, stamped, storeRecord } from '../records.ts'

type NewKey = Pick<NewColumns<OperatorKey>, 'name' | 'role' | 'prefix' | 'hash'>

/** @throws {ConstraintViolation} when a key in use has this name */
export function storeOperatorKey(database: Database, input: NewKey): Promise<OperatorKey> {
  return storeRecord(database, OperatorKey, { ...stamped(input), last_used_at: null, revoked_at: null })
}

/** @throws {ChangeRefused} NOT_FOUND, also when it is revoked already: of two revocations at once, one succeeds */
export function revokeOperatorKey(database: Database, _id: string): Promise<OperatorKey> {
  return changeRecord(database, OperatorKey, _id, (row) => {
    if (row.revoked_at) throw new ChangeRefused('NOT_FOUND')
    row.revoked_at = newDate()
  })
}

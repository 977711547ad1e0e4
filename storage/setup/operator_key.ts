import type { Database } from '../database.ts'
import { OperatorKey } from '../entities/mod.ts'
import { newDate } from '../time.ts'
import { changeRecord, type Given, stamped, storeRecord } from './records.ts'

type NewKey = Pick<Given<OperatorKey>, 'name' | 'role' | 'prefix' | 'hash'>

/** @throws {ConstraintViolation} when a key in use has this name */
export function storeOperatorKey(database: Database, given: NewKey): Promise<OperatorKey> {
  return storeRecord(database, OperatorKey, { ...stamped(given), last_used_at: null, revoked_at: null })
}

/** A key that is revoked already keeps its time of revocation. @throws {ChangeRefused} NOT_FOUND */
export function revokeOperatorKey(database: Database, _id: string): Promise<OperatorKey> {
  return changeRecord(database, OperatorKey, _id, (row) => {
    row.revoked_at ??= newDate()
  })
}

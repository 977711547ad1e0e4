import { endSessionsOf, isAgent } from '../console_sessions.ts'
import type { Database } from '../database.ts'
import { User } from '../entities/mod.ts'
import { changeRecord, type Given, stamped, storeRecord } from './records.ts'
import { removeRecord } from './removal.ts'

type UserFields = Partial<Pick<User, 'full_name' | 'email' | 'permissions' | 'is_active' | 'password_hash'>>

/** @throws {ConstraintViolation} when the company does not exist, or the address is taken */
export function storeUser(database: Database, given: Given<User>): Promise<User> {
  return storeRecord(database, User, stamped(given))
}

/**
 * Changes a user. A new password, or the loss of the agent's permission, ends the user's sessions. `ended` has the
 * hashes of those sessions.
 *
 * @throws {ChangeRefused} NOT_FOUND
 * @throws {ConstraintViolation} when the address is taken
 */
export async function changeUser(
  database: Database,
  _id: string,
  changes: UserFields,
): Promise<{ user: User; ended: string[] }> {
  let ended: string[] = []
  const user = await changeRecord(database, User, _id, async (row, em) => {
    Object.assign(row, changes)
    if (changes.password_hash !== undefined || !isAgent(row)) ended = await endSessionsOf(em, _id)
  })
  return { user, ended }
}

/** Deletes a user and the user's sessions. @throws {StillHeld} by live tokens */
export function removeUser(database: Database, _id: string): Promise<void> {
  return removeRecord(database, 'user', _id)
}

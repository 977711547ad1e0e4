import type { Database } from '../../database/database.ts'
import { User, UserPhoto } from '../../entities/mod.ts'
import { endSessionsOf, isAgent } from '../../sessions/console_sessions.ts'
import { sql } from '../../sql/sql.ts'
import { newDate } from '../../values/time.ts'
import { ChangeRefused } from '../change_refused.ts'
import { changeRecord, type NewColumns, stamped, storeRecord } from '../records.ts'
import { removeRecord } from '../removal.ts'
import { isOperator, protectOperators } from './protect_operators.ts'
import { endInvitation } from './user_invitation.ts'

/** `content`: base64. `sha256`: hex. */
export type Photo = Pick<UserPhoto, 'mime_type' | 'content' | 'sha256'>

type UserFields = Partial<Pick<User, 'full_name' | 'email' | 'permissions' | 'is_active' | 'password_hash'>>

/**
 * @throws {ChangeRefused} INSUFFICIENT_ROLE
 * @throws {ConstraintViolation} when the company does not exist, or the address is taken
 */
export async function storeUser(database: Database, input: Omit<NewColumns<User>, 'photo_sha256'>): Promise<User> {
  protectOperators(database, input.permissions)
  return storeRecord(database, User, stamped({ ...input, photo_sha256: null }))
}

/**
 * Changes a user. A new password, or the loss of the agent's permission, ends the user's sessions. `ended` has the
 * hashes of those sessions. A `photo` of null removes the photo.
 *
 * @throws {ChangeRefused} NOT_FOUND, INSUFFICIENT_ROLE
 * @throws {ConstraintViolation} when the address is taken
 */
export async function changeUser(
  database: Database,
  _id: string,
  { photo, ...changes }: UserFields & { photo?: Photo | null | undefined },
): Promise<{ user: User; ended: string[] }> {
  let ended: string[] = []
  const user = await changeRecord(database, User, _id, async (row, em) => {
    const was_operator = isOperator(row)
    protectOperators(database, [...row.permissions, ...(changes.permissions ?? [])])
    Object.assign(row, changes)
    if (photo !== undefined) {
      row.photo_sha256 = photo?.sha256 ?? null
      await em.execute(sql`delete from user_photo where user_id = ${_id}`)
      if (photo) await em.insert(UserPhoto, { user_id: _id, ...photo, created_at: newDate() })
    }
    if (changes.password_hash !== undefined || !isAgent(row)) ended = await endSessionsOf(em, _id)
    // An operator who invited an agent may have the link, and could take over the account of an operator with it.
    const becomes_operator = isOperator(row) && !was_operator
    if (changes.password_hash !== undefined || changes.email !== undefined || !isAgent(row) || becomes_operator)
      await endInvitation(em, _id)
  })
  return { user, ended }
}

/**
 * Changes the password of a user who has given the present one, whose hash is `former_hash`. All sessions but `session_hash`
 * end; returns their hashes.
 *
 * @throws {ChangeRefused} NOT_FOUND when the password is another one by now
 */
export async function changeOwnPassword(
  database: Database,
  _id: string,
  { former_hash, password_hash, session_hash }: { former_hash: string; password_hash: string; session_hash: string },
): Promise<string[]> {
  let ended: string[] = []
  await changeRecord(database, User, _id, async (row, em) => {
    if (row.password_hash !== former_hash) throw new ChangeRefused('NOT_FOUND')
    row.password_hash = password_hash
    ended = await endSessionsOf(em, _id, session_hash)
  })
  return ended
}

/** Deletes a user and the user's sessions. @throws {StillHeld} by live tokens */
export function removeUser(database: Database, _id: string): Promise<void> {
  return removeRecord(database, 'user', _id)
}

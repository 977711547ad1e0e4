/**
 * Invitations: a user without a password gets a link, sets the own password once, and is signed in. A user has one
 * invitation; another one, a password, another address, the loss of the agent's permission or the gain of the operator's
 * ends it.
 */
import { LockMode } from '@mikro-orm/core'
import { writeAudit } from '../../audit/write_audit.ts'
import type { Database } from '../../database/database.ts'
import type { EntityManager } from '../../database/entity_manager.ts'
import { Company, User, UserInvitation } from '../../entities/mod.ts'
import { sql } from '../../sql/sql.ts'
import { newDate } from '../../values/time.ts'
import { ChangeRefused } from '../change_refused.ts'
import { changeRecord } from '../records.ts'
import { protectOperators } from './protect_operators.ts'

const LASTS_MS = 72 * 3_600_000
/** Milliseconds after an invitation in which there is no other, so that nobody's mailbox is filled. */
const PAUSE_MS = 60_000

export type Invited = { user: User; company_name: string; expires_at: Date }

/**
 * Invites a user; `hash` is the SHA-256 (hex) of the link's secret.
 *
 * @param check throws when this user cannot be invited
 * @throws {ChangeRefused} NOT_FOUND, INSUFFICIENT_ROLE, INVITATION_THROTTLED
 */
export function inviteUser(
  database: Database,
  _id: string,
  hash: string,
  check: (user: User) => void,
): Promise<Invited> {
  return database.em().transactional(async (em) => {
    const user = await em.findOne(User, { _id }, { lockMode: LockMode.PESSIMISTIC_WRITE })
    if (!user) throw new ChangeRefused('NOT_FOUND')
    protectOperators(database, user.permissions)
    check(user)
    const created_at = newDate()
    const former = await em.findOne(UserInvitation, { user_id: _id })
    const wait_ms = former ? former.created_at.getTime() + PAUSE_MS - created_at.getTime() : 0
    // A longer one is of before the clock was set back.
    if (wait_ms > 0 && wait_ms <= PAUSE_MS) {
      throw new ChangeRefused('INVITATION_THROTTLED', { retry_after: Math.ceil(wait_ms / 1000) })
    }
    const expires_at = new Date(created_at.getTime() + LASTS_MS)
    await endInvitation(em, _id)
    await em.insert(UserInvitation, { user_id: _id, hash, created_at, expires_at })
    const { email, company_id } = user
    const change = { target_kind: 'user', target_id: _id, company_id, after: { email, expires_at } }
    await writeAudit(database, em, change)
    const company = await em.findOneOrFail(Company, { _id: company_id })
    return { user, company_name: company.name, expires_at }
  })
}

/** The user of a valid invitation, who is a different one or none as soon as this is read. */
export async function findInvited(
  database: Database,
  hash: string,
): Promise<Pick<User, '_id' | 'full_name'> | undefined> {
  const [row] = await database.execute<
    Pick<User, '_id' | 'full_name'>
  >(sql`select u._id, u.full_name from user_invitation i join "user" u on u._id = i.user_id
      where i.hash = ${hash} and i.expires_at > ${newDate()}`)
  return row
}

/**
 * Gives an invited user the first password, and ends the invitation.
 *
 * @throws {ChangeRefused} NOT_FOUND when the invitation was used, replaced or ended meanwhile
 */
export async function acceptInvitation(
  database: Database,
  { user_id, hash, password_hash }: { user_id: string; hash: string; password_hash: string },
): Promise<void> {
  await changeRecord(database, User, user_id, async (row, em) => {
    const found = await em.findOne(UserInvitation, { user_id, hash })
    if (!found || found.expires_at <= newDate()) throw new ChangeRefused('NOT_FOUND')
    row.password_hash = password_hash
    await endInvitation(em, user_id)
  })
}

/** Ends the invitation that has this hash, which reached nobody: another one may follow at once. */
export async function takeBackInvitation(database: Database, hash: string): Promise<void> {
  await database.execute(sql`delete from user_invitation where hash = ${hash}`)
}

/** Ends the invitation of a user, in the transaction of `em`. */
export async function endInvitation(em: EntityManager, user_id: string): Promise<void> {
  await em.execute(sql`delete from user_invitation where user_id = ${user_id}`)
}

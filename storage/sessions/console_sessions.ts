/**
 * Begins, renews and ends sessions of the console. A session lasts 12 hours after its last use, and a week in all.
 *
 * A session begins only for the user's present state, under a lock that every change of the user takes, too. So when a
 * change that ends the user's sessions meets a sign-in, either the sign-in fails or its session ends.
 */

import { auditEntry } from '../audit/entry.ts'
import { auditClause } from '../audit/write_audit.ts'
import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import type { User } from '../entities/access/user.ts'
import { type Sql, sql } from '../sql/sql.ts'

/** Permission that a user needs to work in the console. */
const PERMISSION = 'console.agent'
/** Permission, beside it, that opens the operators' part of the console: the whole installation. */
export const OPERATOR_PERMISSION = 'console.operator'
/** The same check in SQL, for a user `u`. */
export const IS_AGENT = sql`u.is_active and ${PERMISSION} = any(u.permissions)`

/** Seconds from the sign-in to the end of a session, even when it is in use. */
export const MAX_SESSION_S = 7 * 24 * 3600

const lasting = (created_at: Sql) =>
  sql`least(now() + interval '12 hours', ${created_at} + ${MAX_SESSION_S} * interval '1 second')`
/** A session that was used within this time needs no renewal. */
export const FRESH = sql`interval '5 minutes'`

export function isAgent({ is_active, permissions }: Pick<User, 'is_active' | 'permissions'>): boolean {
  return is_active && permissions.includes(PERMISSION)
}

/**
 * Begins a session; undefined when the user is not, or no longer, an agent with this `password_hash`. `hash` is the
 * SHA-256 (hex) of a secret value.
 */
export async function beginSession(
  database: Database,
  { hash, user_id, password_hash }: { hash: string; user_id: string; password_hash: string },
): Promise<{ expires_at: Date } | undefined> {
  const [row] = await database.execute<{ expires_at: string }>(sql`with changed as (
      insert into console_session (hash, user_id, expires_at)
      select ${hash}, u._id, ${lasting(sql`now()`)} from "user" u
      where u._id = ${user_id} and u.password_hash = ${password_hash} and ${IS_AGENT} for share
      returning user_id, expires_at
    )${audited(database)} select expires_at from changed`)
  return row && { expires_at: new Date(row.expires_at) }
}

/** Records that these sessions are in use. */
export async function renewSessions(database: Database, hashes: readonly string[]): Promise<void> {
  await database.execute(sql`update console_session set used_at = now(), expires_at = ${lasting(sql`created_at`)}
      where hash in (
        select hash from console_session where hash in (select json_array_elements_text(${JSON.stringify(hashes)}::json))
          and used_at < now() - ${FRESH} and expires_at > now() order by hash for update)`)
}

/** Returns true when there was one. */
export async function endSession(database: Database, hash: string): Promise<boolean> {
  const rows =
    await database.execute(sql`with changed as (delete from console_session where hash = ${hash} returning user_id)${audited(database)}
      select 1 from changed`)
  return rows.length > 0
}

/** The audit entry of a session in `changed`: the caller of the database, if it has one, is the session's user. */
function audited(database: Database): Sql {
  const entry = database.origin && auditEntry(database.origin, { target_kind: 'user', after: {} })
  if (!entry) return sql``
  const columns = {
    actor_id: sql`u._id`,
    actor_name: sql`u.full_name`,
    target_id: sql`u._id`,
    company_id: sql`u.company_id`,
  }
  const clause = auditClause(database, entry, sql`changed join "user" u on u._id = changed.user_id`, columns)
  return sql`, entry as (${clause})`
}

/** Ends all sessions of a user but the one with the hash `kept`, in the transaction of `em`. Returns their hashes. */
export async function endSessionsOf(em: EntityManager, user_id: string, kept = ''): Promise<string[]> {
  const rows = await em.execute<{ hash: string }[]>(
    sql`delete from console_session where user_id = ${user_id} and hash <> ${kept} returning hash`,
  )
  return rows.map(({ hash }) => hash)
}

/** Drops expired sessions. */
export async function dropSessionsOver(database: Database): Promise<void> {
  await database.execute(sql`delete from console_session where expires_at <= now()`)
}

/**
 * Sessions and known visitors of the web chat.
 *
 *  V1 A session that was ended is never accepted again. A session without a row is accepted only for `UNSTORED_S` after
 *     its token was made, and the row of an ended session lives longer than that.
 *  V2 One person of a site is one visitor of its channel, and one visitor is one person of the site at most: two unique
 *     indexes decide, whatever devices do at once.
 *     An erasure therefore keeps the rows of the person for as long, without the person.
 *  V3 When a visitor is identified, the former session ends in the same transaction in which the new one begins.
 */

import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import { type Sql, sql } from '../sql/sql.ts'

/** Seconds for which a token is valid before anything was said with it. */
export const UNSTORED_S = 24 * 3600
const ENDED = sql`${UNSTORED_S + 3600} * interval '1 second'`
/** After its last use. Exact to `FRESH`. */
const ANONYMOUS = sql`interval '180 days'`
const IDENTIFIED = sql`interval '30 days'`
const FRESH = sql`interval '1 hour'`
const LASTING = sql`now() + case when visitor_session.is_identified then ${IDENTIFIED} else ${ANONYMOUS} end`

export type VisitorPlace = { company_id: string; project_id: string; channel_id: string }
/** Facts of the site about a person, by a token that it has signed. */
export type KnownVisitor = { external_id: string; name: string | null; email: string | null; phone: string | null }

type Found = { user_id: string; is_live: boolean; is_fresh: boolean }

/** The session of a token (`hash`); undefined when nothing was said with it yet. */
export async function findVisitorSession(
  database: Database,
  hash: string,
): Promise<{ user_id: string; is_live: boolean; person: KnownVisitor | undefined } | undefined> {
  const [row] = await database.execute<
    Found & { [Key in keyof KnownVisitor]: string | null }
  >(sql`select s.user_id, s.ended_at is null and s.expires_at > now() as is_live, i.external_id, i.name, i.email, i.phone
      from visitor_session s
      left join visitor_identity i on i.channel_id = s.channel_id and i.user_id = s.user_id and s.is_identified
      where s.hash = ${hash}`)
  if (!row) return undefined
  const { user_id, is_live, external_id, name, email, phone } = row
  return { user_id, is_live, person: external_id === null ? undefined : { external_id, name, email, phone } }
}

/** Stores that the session is in use. Returns false when it has ended. */
export async function keepVisitorSession(
  database: Database,
  { hash, user_id, ...place }: VisitorPlace & { hash: string; user_id: string },
): Promise<boolean> {
  const [known] =
    await database.execute<Found>(sql`select ended_at is null and expires_at > now() as is_live, used_at > now() - ${FRESH} as is_fresh
      from visitor_session where hash = ${hash}`)
  if (known && (!known.is_live || known.is_fresh)) return known.is_live
  const { company_id, project_id, channel_id } = place
  const kept =
    await database.execute(sql`insert into visitor_session (hash, company_id, project_id, channel_id, user_id, expires_at)
      values (${hash}, ${company_id}, ${project_id}, ${channel_id}, ${user_id}, now() + ${ANONYMOUS})
      on conflict (hash) do update set used_at = now(), expires_at = ${LASTING}
        where visitor_session.ended_at is null and visitor_session.expires_at > now()
      returning 1`)
  return kept.length > 0
}

/** Ends the session, whether or not something was said with it (V1). */
export async function endVisitorSession(
  database: Database,
  session: VisitorPlace & { hash: string; user_id: string },
): Promise<void> {
  await end(database.em(), session)
}

async function end(
  em: EntityManager,
  { hash, user_id, company_id, project_id, channel_id }: VisitorPlace & { hash: string; user_id: string },
): Promise<void> {
  await em.execute(sql`insert into visitor_session (hash, company_id, project_id, channel_id, user_id, expires_at, ended_at)
      values (${hash}, ${company_id}, ${project_id}, ${channel_id}, ${user_id}, now() + ${ENDED}, now())
      on conflict (hash) do update set expires_at = excluded.expires_at, ended_at = now()
        where visitor_session.ended_at is null`)
}

/** SQL: ends the sessions that match `where`, and forgets whose they were (V1). */
export function endNameless(where: Sql): Sql {
  return sql`update visitor_session set user_id = '', is_identified = false, ended_at = coalesce(ended_at, now()),
    expires_at = now() + ${ENDED} where ${where}`
}

/** Those of these sessions that have ended. */
export async function endedVisitorSessions(database: Database, hashes: readonly string[]): Promise<Set<string>> {
  const rows = await database.execute<{ hash: string }>(
    sql`select hash from visitor_session where hash = any (${hashes}) and ended_at is not null`,
  )
  return new Set(rows.map(({ hash }) => hash))
}

/**
 * The visitor of this session is a person whom the site knows. A person who is new takes over the conversation of the
 * session, unless that is another person's; a person who is known continues the own one. Undefined when the session has
 * ended.
 *
 * @param next a `user_id` for a person who is new, and the hash of the session that replaces the present one
 */
export function identifyVisitor(
  database: Database,
  place: VisitorPlace,
  person: KnownVisitor,
  present: { hash: string; user_id: string },
  next: { user_id: string; hashFor(user_id: string): string },
): Promise<{ user_id: string; is_rotated: boolean } | undefined> {
  return database.em().transactional(async (em) => {
    const [held] = await em.execute<
      { is_identified: boolean; is_live: boolean }[]
    >(sql`select is_identified, ended_at is null and expires_at > now() as is_live from visitor_session
        where hash = ${present.hash} for update`)
    if (held && !held.is_live) return undefined
    const free = held?.is_identified ? [next.user_id] : [present.user_id, next.user_id]
    const user_id = await visitorOf(em, place, person, free)
    if (held?.is_identified && user_id === present.user_id) return { user_id, is_rotated: false }
    await end(em, { ...place, ...present })
    await em.execute(sql`insert into visitor_session (hash, company_id, project_id, channel_id, user_id, is_identified, expires_at)
        values (${next.hashFor(user_id)}, ${place.company_id}, ${place.project_id}, ${place.channel_id}, ${user_id}, true, now() + ${IDENTIFIED})`)
    return { user_id, is_rotated: true }
  })
}

/** The visitor who is this person: the known one, else the first of `free` who is nobody else (V2). */
async function visitorOf(
  em: EntityManager,
  { company_id, project_id, channel_id }: VisitorPlace,
  { external_id, name, email, phone }: KnownVisitor,
  free: string[],
): Promise<string> {
  const update = sql`
    update visitor_identity set name = coalesce(${name}, name), email = coalesce(${email}, email),
      phone = coalesce(${phone}, phone), updated_at = now()
    where channel_id = ${channel_id} and external_id = ${external_id} returning user_id`
  const learn = () => em.execute<{ user_id: string }[]>(update)
  for (const user_id of ['', ...free]) {
    if (user_id !== '') {
      await em.execute(sql`insert into visitor_identity (channel_id, external_id, company_id, project_id, user_id)
          values (${channel_id}, ${external_id}, ${company_id}, ${project_id}, ${user_id}) on conflict do nothing`)
    }
    const [known] = await learn()
    if (known) return known.user_id
  }
  throw new Error('a new visitor is somebody else')
}

/** Drops sessions whose time is over. */
export async function dropVisitorSessionsOver(database: Database): Promise<void> {
  await database.execute(sql`delete from visitor_session where expires_at <= now()`)
}

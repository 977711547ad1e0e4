/** The tokens of all projects by their state, with the names of their owners. Each state has an index of its own. */
import type { Database } from '../../database/database.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type Page, toPage } from '../common/keyset.ts'

/** `expiring`: within 30 days, the soonest first. Others are listed newest first, expired ones by their end. */
export type TokenState = 'active' | 'expiring' | 'expired' | 'revoked'

export type ListedToken = {
  _id: string
  name: string
  prefix: string
  scopes: string[]
  project: { _id: string; name: string }
  company: { _id: string; name: string }
  user: { _id: string; full_name: string; is_active: boolean }
  expires_at: string | null
  revoked_at: string | null
  last_used_at: string | null
  created_at: string
}

/** `end` is the expiry in milliseconds. */
export type TokenCursor = { end: number; _id: string }

type Order = { where: Sql; by: Sql; after(cursor: TokenCursor): Sql }

const since = (end: number) => sql`to_timestamp(${end} / 1000.0)`
const newest = { by: sql`_id desc`, after: ({ _id }: TokenCursor) => sql`_id < ${_id}` }

const ORDERS: Record<TokenState, Order> = {
  active: { where: sql`revoked_at is null and (expires_at is null or expires_at > now())`, ...newest },
  revoked: { where: sql`revoked_at is not null`, ...newest },
  expiring: {
    where: sql`revoked_at is null and expires_at > now() and expires_at <= now() + interval '30 days'`,
    by: sql`expires_at, _id`,
    after: ({ end, _id }) => sql`(expires_at, _id) > (${since(end)}, ${_id})`,
  },
  expired: {
    where: sql`revoked_at is null and expires_at <= now()`,
    by: sql`expires_at desc, _id desc`,
    after: ({ end, _id }) => sql`(expires_at, _id) < (${since(end)}, ${_id})`,
  },
}

export async function listTokensByState(
  database: Database,
  { state, ...owner }: { state: TokenState; project_id?: string | undefined; user_id?: string | undefined },
  { limit, cursor }: { limit: number; cursor?: TokenCursor | undefined },
): Promise<Page<ListedToken>> {
  const { where, by, after } = ORDERS[state]
  const conditions = [where, ...(cursor ? [after(cursor)] : [])]
  for (const [column, id] of Object.entries(owner)) if (id) conditions.push(sql`${sql.id(column)} = ${id}`)
  const rows = await database.execute<ListedToken>(sql`
    select t._id, t.name, t.prefix, t.scopes, t.expires_at, t.revoked_at, t.last_used_at, t.created_at,
      json_build_object('_id', p._id, 'name', p.name) as project,
      json_build_object('_id', m._id, 'name', m.name) as company,
      json_build_object('_id', u._id, 'full_name', u.full_name, 'is_active', u.is_active) as "user"
    from (
      select _id, project_id, user_id, name, prefix, scopes, expires_at, revoked_at, last_used_at, created_at
      from token where ${sql.join(conditions, ' and ')} order by ${by} limit ${limit + 1}
    ) t
    join project p on p._id = t.project_id join company m on m._id = p.company_id join "user" u on u._id = t.user_id
    order by ${state === 'expiring' ? sql`t.expires_at, t._id` : sql`t._id desc`}`)
  const iso = (at: string | null) => at && new Date(at).toISOString()
  const records = rows.map((row) => ({
    ...row,
    expires_at: iso(row.expires_at),
    revoked_at: iso(row.revoked_at),
    last_used_at: iso(row.last_used_at),
    created_at: iso(row.created_at)!,
  }))
  return toPage(records, limit, ({ _id, expires_at }) => `${expires_at ? Date.parse(expires_at) : 0}-${_id}`)
}

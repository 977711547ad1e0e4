/** The users of all companies. */
import type { Database } from '../../database/database.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'

export type UserSearch = {
  /** The beginning of an e-mail address or of a name, in any case. */
  search?: string | undefined
  company_id?: string | undefined
  /** True for users who see the whole installation, false for the others. */
  is_operator?: boolean | undefined
}

export type ListedUser = {
  _id: string
  full_name: string
  email: string
  company: { _id: string; name: string }
  permissions: string[]
  is_active: boolean
  has_password: boolean
  created_at: string
}

/** Users that a search considers for each of address and name. */
const MAX_FOUND = 1000

/** One page, newest first. */
export async function listUsers(
  database: Database,
  { search, company_id, is_operator }: UserSearch,
  { limit, cursor }: PageOptions,
): Promise<Page<ListedUser>> {
  const conditions = [
    search && sql`_id in (${begins('email', search)} union all ${begins('full_name', search)})`,
    company_id && sql`company_id = ${company_id}`,
    is_operator !== undefined && sql`${is_operator ? sql`` : sql`not `}'console.operator' = any(permissions)`,
    cursor && sql`_id < ${cursor}`,
  ].filter((one) => one instanceof Object)
  const where = conditions.length > 0 ? sql`where ${sql.join(conditions, ' and ')}` : sql``
  const rows = await database.execute<ListedUser>(sql`
    select u._id, u.full_name, u.email, u.permissions, u.is_active, u.has_password, u.created_at,
      json_build_object('_id', c._id, 'name', c.name) as company
    from (
      select _id, full_name, email, permissions, is_active, password_hash is not null as has_password, created_at,
        company_id
      from "user" ${where} order by _id desc limit ${limit + 1}
    ) u
    join company c on c._id = u.company_id
    order by u._id desc`)
  const records = rows.map((row) => ({ ...row, created_at: new Date(row.created_at).toISOString() }))
  return toPage(records, limit, ({ _id }) => _id)
}

/** The ids of users whose column begins with the text: a range of the index. */
function begins(column: 'email' | 'full_name', search: string): Sql {
  const text = sql`lower(${search}) collate "C"`
  const key = sql`(lower(${sql.id(column)}) collate "C")`
  return sql`(select _id from "user" where ${key} >= ${text} and ${key} < (${text} || U&'\\+10FFFF')
    order by ${key}, _id limit ${MAX_FOUND})`
}

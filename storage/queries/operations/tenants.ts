/** Companies with their projects, to choose from. */
import type { Database } from '../../database/database.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { contains } from '../common/contains.ts'

export type Tenant = { _id: string; name: string; projects: { _id: string; name: string }[] }

const MAX = 20
const MAX_PROJECTS = 50

/** The newest companies that have the text in their name, or in that of a project. */
export async function searchTenants(database: Database, search: string): Promise<Tenant[]> {
  const matches = (column: Sql) => contains(column, search)
  const where = search
    ? sql`where ${matches(sql`c.name`)} or exists (select from project p where p.company_id = c._id and ${matches(sql`p.name`)})`
    : sql``
  return database.execute<Tenant>(sql`
    select c._id, c.name, coalesce((
        select json_agg(json_build_object('_id', p._id, 'name', p.name) order by p.name, p._id) from (
          select _id, name from project where company_id = c._id order by _id limit ${MAX_PROJECTS}) p
      ), '[]') as projects
    from (select c._id, c.name from company c ${where} order by c._id desc limit ${MAX}) c
    order by c.name, c._id`)
}

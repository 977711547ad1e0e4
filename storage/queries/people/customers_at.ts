import { batched } from '../../database/batcher.ts'
import type { Database } from '../../database/database.ts'
import { type Sql, sql } from '../../sql/sql.ts'

type Lookup = { company_id: string; contact_points: string[] }
type Row = { company_id: string; at: string; _id: string }

/**
 * Customers of a company by phone (E.164) and e-mail address (lower case), as ids. The oldest one where several share a
 * phone or an address. Concurrent projects share the query.
 */
export async function customersAt(
  database: Database,
  company_id: string,
  contact_points: Iterable<string>,
): Promise<Map<string, string>> {
  const all = [...contact_points]
  return all.length === 0 ? new Map() : readTogether(database, { company_id, contact_points: all })
}

const readTogether = batched(async (database: Database, lookups: Lookup[]): Promise<Map<string, string>[]> => {
  const phones = new Map<string, Sql>()
  const emails = new Map<string, Sql>()
  for (const { company_id, contact_points } of lookups) {
    for (const at of contact_points) {
      const pairs = at.includes('@') ? emails : phones
      pairs.set(`${company_id} ${at}`, sql`(${company_id}, ${at})`)
    }
  }
  const oldest = (
    column: Sql,
    pairs: Map<string, Sql>,
  ) => sql`select w.company_id, w.at, min(c._id) as _id from (values ${sql.join([...pairs.values()], ',')}) w (company_id, at)
    join customer c on c.company_id = w.company_id and ${column} = w.at group by 1, 2`
  const parts: Sql[] = []
  if (phones.size > 0) parts.push(oldest(sql`c.phone`, phones))
  if (emails.size > 0) parts.push(oldest(sql`lower(c.email)`, emails))
  const found = new Map<string, string>()
  const keyOf = (company_id: string, at: string) => `${company_id} ${at}`
  for (const row of await database.execute<Row>(sql.join(parts, ' union all '))) {
    found.set(keyOf(row.company_id, row.at), row._id)
  }
  return lookups.map(({ company_id, contact_points }) => {
    const ids = new Map<string, string>()
    for (const at of contact_points) {
      const id = found.get(keyOf(company_id, at))
      if (id) ids.set(at, id)
    }
    return ids
  })
})

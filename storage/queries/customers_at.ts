import { batched } from '../batcher.ts'
import type { Database } from '../database.ts'
import { literal } from '../write_set.ts'

type Wanted = { company_id: string; contact_points: string[] }
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

const readTogether = batched(async (database: Database, wants: Wanted[]): Promise<Map<string, string>[]> => {
  const phones = new Set<string>()
  const emails = new Set<string>()
  for (const { company_id, contact_points } of wants) {
    for (const at of contact_points) {
      const pair = `(${literal(company_id)}, ${literal(at)})`
      if (at.includes('@')) emails.add(pair)
      else phones.add(pair)
    }
  }
  const oldest = (
    column: string,
    pairs: Set<string>,
  ) => `select w.company_id, w.at, min(c._id) as _id from (values ${[...pairs].join()}) w (company_id, at)
    join customer c on c.company_id = w.company_id and ${column} = w.at group by 1, 2`
  const parts: string[] = []
  if (phones.size > 0) parts.push(oldest('c.phone', phones))
  if (emails.size > 0) parts.push(oldest('lower(c.email)', emails))
  const found = new Map<string, string>()
  const keyOf = (company_id: string, at: string) => `${company_id} ${at}`
  for (const row of await database.execute<Row>(parts.join(' union all '))) {
    found.set(keyOf(row.company_id, row.at), row._id)
  }
  return wants.map(({ company_id, contact_points }) => {
    const ids = new Map<string, string>()
    for (const at of contact_points) {
      const id = found.get(keyOf(company_id, at))
      if (id) ids.set(at, id)
    }
    return ids
  })
})

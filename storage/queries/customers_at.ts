import type { Database } from '../database.ts'
import { literal } from '../write_set.ts'

/**
 * Customers of a company by phone (E.164) and e-mail address (lower case), as ids. The oldest one where several share a
 * phone or an address.
 */
export async function customersAt(
  database: Database,
  company_id: string,
  contact_points: Iterable<string>,
): Promise<Map<string, string>> {
  const phones: string[] = []
  const emails: string[] = []
  for (const at of contact_points) (at.includes('@') ? emails : phones).push(literal(at))
  const oldest = (column: string, list: string[]) => `select ${column} as at, min(_id) as _id from customer
    where company_id = ${literal(company_id)} and ${column} in (${list.join()}) group by 1`
  const parts: string[] = []
  if (phones.length > 0) parts.push(oldest('phone', phones))
  if (emails.length > 0) parts.push(oldest('lower(email)', emails))
  if (parts.length === 0) return new Map()
  const rows = await database.execute<{ at: string; _id: string }>(parts.join(' union all '))
  return new Map(rows.map(({ at, _id }) => [at, _id]))
}

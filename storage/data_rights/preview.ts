import type { Database } from '../database/database.ts'
import { sql } from '../sql/sql.ts'
import { answersOf, auditEntriesOf, smallTables } from './erasure/leftovers.ts'
import type { Walk } from './erasure/walk.ts'
import { recordKinds } from './records/list.ts'
import { contactIdentities, type KnownContact, type NamedSubject, resolveSubject } from './subject.ts'

/** Counting stops at this number. */
const MAX = 1000

/** Rows of a table without an index by person that are looked through, the latest first. */
const MAX_VISITED = 20_000

/**
 * The number of records of a subject by kind, for a confirmation; 1001 stands for more than 1000. Rows that name the
 * subject in other tables (audit entries, stored answers) are counted among the latest 20,000 that may. Webhook events
 * are left out: nothing but a walk through all of them finds them.
 */
export async function countSubject(database: Database, named: NamedSubject): Promise<Record<string, number>> {
  const subject = await resolveSubject((query) => database.execute(query), named)
  const counts: Record<string, number> = {}
  const records: string[] = []
  for (const { type, table, entity, person, indexed = person, project, walked, named_by } of recordKinds) {
    const where = (subject.kind === 'project' ? project : indexed)?.(subject)
    if (!entity || where === undefined || walked) continue
    const [row] = await database.execute<{ count: number }>(
      sql`select count(*)::int as count from (select 1 from ${sql.id(table)} where ${where} limit ${MAX + 1}) found`,
    )
    if (row!.count > 0) counts[type] = row!.count
    if (named_by === undefined || subject.kind === 'project') continue
    const ids = await database.execute<{ id: string }>(
      sql`select ${named_by} as id from ${sql.id(table)} where ${where} limit ${MAX + 1}`,
    )
    records.push(...ids.map(({ id }) => id))
  }
  const known = await database.execute<Omit<KnownContact, 'forgotten_at'>>(sql`
    select project_id, ${contactIdentities(sql`contact`)} as identities
    from contact where _id = any (${subject.contacts})`)
  const points = subject.kind === 'customer' ? subject.identities : []
  const all = known.map((one) => ({ ...one, identities: [...one.identities, ...points], forgotten_at: null }))
  const named_subject = { ...subject, records, known: all }
  const walks = [
    answersOf(named_subject),
    { ...auditEntriesOf(named_subject), among: sql`company_id = ${named.company_id}` },
  ]
  if (subject.kind !== 'project') walks.push(...smallTables(named_subject))
  for (const walk of walks) {
    const count = await countHits(database, walk)
    if (count > 0) counts[walk.table] = count
  }
  return counts
}

async function countHits(database: Database, { table, key, among = sql`true`, from, hits }: Walk): Promise<number> {
  const since = from === undefined ? sql`true` : sql`${sql.id(key[0]!)} >= ${from}`
  const [row] = await database.execute<{ count: number }>(sql`
    select count(*)::int as count from (
      select 1 from (
        select * from ${sql.id(table)} where ${among} and ${since}
        order by ${sql.join(
          key.map((column) => sql`${sql.id(column)} desc`),
          ',',
        )} limit ${MAX_VISITED}
      ) ${sql.id(table)} where ${hits} limit ${MAX + 1}
    ) found`)
  return row!.count
}

import type { Database } from '../database.ts'
import { recordKinds } from './records/list.ts'
import { type NamedSubject, resolveSubject } from './subject.ts'

/** Counting stops at this number. */
const MOST = 1000

/**
 * The number of records of a subject by kind, for a confirmation; 1001 stands for more than 1000. Webhook events are
 * left out: nothing but a walk through all of them finds them.
 */
export async function countSubject(database: Database, named: NamedSubject): Promise<Record<string, number>> {
  const subject = await resolveSubject((sql) => database.execute(sql), named)
  const counts: Record<string, number> = {}
  for (const { type, table, entity, person, indexed = person, project, walked } of recordKinds) {
    const where = (subject.kind === 'project' ? project : indexed)?.(subject)
    if (!entity || where === undefined || walked) continue
    const [row] = await database.execute<{ count: number }>(
      `select count(*)::int as count from (select 1 from ${table} where ${where} limit ${MOST + 1}) found`,
    )
    if (row!.count > 0) counts[type] = row!.count
  }
  return counts
}

/** The two ways in which audit entries may end: expiry, and the erasure of personal data (migration 0035). */

import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import { sql } from '../sql/sql.ts'
import { idAt } from './kinds.ts'

const PAGE = 1000

/**
 * Deletes entries that are older than `days` days, in short transactions. Projects with days of their own are left out
 * (`retention/sweep.ts`). Returns their number.
 */
export async function forgetAudit(database: Database, days: number): Promise<number> {
  for (let all = 0; ; ) {
    const rows = await database.em().transactional((em) =>
      through(em, 'retention', () =>
        em.execute(
          sql`delete from audit_entry where _id in (
            select _id from audit_entry where _id < ${idAt('', sql`now() - ${days} * interval '1 day'`)}
              and created_at < now() - ${days} * interval '1 day'
              and coalesce(project_id, '') not in (select project_id from retention where kind = 'audit')
            order by _id limit ${PAGE} for update skip locked) returning 1`,
        ),
      ),
    )
    all += rows.length
    if (rows.length < PAGE) return all
  }
}

/** The entries to erase: those that match any of the lists. */
export type AuditOf = { target_ids?: string[]; actor_ids?: string[]; project_ids?: string[]; company_ids?: string[] }

/**
 * Removes the personal data from entries, in the transaction of `em`: the values before and after, the name and the
 * address of the actor. The time, the action and the ids stay. Returns the number of erased entries.
 */
export async function eraseAudit(em: EntityManager, of: AuditOf): Promise<number> {
  const columns = { target_id: of.target_ids, actor_id: of.actor_ids, project_id: of.project_ids }
  const lists = Object.entries({ ...columns, company_id: of.company_ids }).filter(([, ids]) => ids && ids.length > 0)
  if (lists.length === 0) return 0
  const where = lists.map(([column, ids]) => sql`${sql.id(column)} in (${sql.list(ids!)})`)
  const rows = await through(em, 'erasure', () =>
    em.execute(
      sql`update audit_entry set before = null, after = null, actor_name = null, address = null, erased_at = now()
        where erased_at is null and (${sql.join(where, ' or ')}) returning 1`,
    ),
  )
  return rows.length
}

async function through<Result>(
  em: EntityManager,
  door: 'retention' | 'erasure',
  work: () => Promise<Result>,
): Promise<Result> {
  await em.execute(sql`set local parley.audit_door = ${door}`)
  const result = await work()
  await em.execute(sql`set local parley.audit_door = ''`)
  return result
}

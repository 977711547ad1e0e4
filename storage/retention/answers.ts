import type { Database } from '../database/database.ts'
import { sql } from '../sql/sql.ts'

const PAGE = 5000

/** Drops the stored answers of idempotent requests after 24 hours. Returns how many. */
export function forgetAnswers(database: Database): Promise<number> {
  return dropAfterDay(database, 'idempotency')
}

/** Drops early statuses that no message claimed within 24 hours: they belong to messages of other programs. Returns how many. */
export function forgetEarlyStatuses(database: Database): Promise<number> {
  return dropAfterDay(database, 'early_status')
}

async function dropAfterDay(database: Database, table: 'idempotency' | 'early_status'): Promise<number> {
  for (let all = 0; ; ) {
    const [row] = await database.execute<{ count: number }>(sql`
      with old as (
        delete from ${sql.id(table)} where ctid in (
          select ctid from ${sql.id(table)} where created_at < now() - interval '24 hours' limit ${PAGE}
          for update skip locked
        ) returning 1
      ) select count(*)::int as count from old`)
    all += row!.count
    if (row!.count < PAGE) return all
  }
}

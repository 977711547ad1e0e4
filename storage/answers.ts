import type { Database } from './database.ts'

const PAGE = 5000

/** Drops the answers kept for repeats of requests, once their 24 hours are over. Returns how many. */
export async function forgetAnswers(database: Database): Promise<number> {
  for (let all = 0; ; ) {
    const [row] = await database.execute<{ count: number }>(`
      with old as (
        delete from idempotency where ctid in (
          select ctid from idempotency where created_at < now() - interval '24 hours' limit ${PAGE}
        ) returning 1
      ) select count(*)::int as count from old`)
    all += row!.count
    if (row!.count < PAGE) return all
  }
}

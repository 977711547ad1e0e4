import type { Database } from '../../database/database.ts'
import type { MonthlyCap } from '../../entities/access/project.ts'
import { sql } from '../../sql/sql.ts'

/** Decimals of the rates' currency. `reserved`: by the day (YYYY-MM-DD, UTC) on which the messages were accepted. */
export type Spending = { spent: string; reserved: { day: string; amount: string }[] }

/**
 * The cost of a project's marketing since `month`, and what is reserved for messages that were accepted since
 * `accepted_since` and are not charged yet.
 */
export async function readMarketingSpending(
  database: Database,
  project_id: string,
  { month, accepted_since }: { month: Date; accepted_since: Date },
): Promise<Spending> {
  const [spent] = await database.execute<{ amount: string }>(sql`
    select coalesce(sum(amount), 0)::text as amount from message_cost
    where project_id = ${project_id} and charged_at >= ${month.toISOString()}
      and category in ('marketing', 'marketing_lite')`)
  const reserved = await database.execute<{ day: string; amount: string }>(sql`
    select to_char(created_at at time zone 'UTC', 'YYYY-MM-DD') as day, sum(reserved)::text as amount from message
    where project_id = ${project_id} and reserved is not null and created_at >= ${accepted_since.toISOString()}
    group by 1`)
  return { spent: spent!.amount, reserved }
}

/** The cap of a project on marketing; null without one. */
export async function findMarketingCap(database: Database, project_id: string): Promise<MonthlyCap | null> {
  const [row] = await database.execute<{ cap: MonthlyCap | null }>(
    sql`select monthly_marketing_cap as cap from project where _id = ${project_id}`,
  )
  return row?.cap ?? null
}

/**
 * Tokens and money that assistants spend. A call of a model reserves what it may cost in each of its scopes, in one transaction, and
 * settles it with what it did cost. So calls at the same moment never spend more than a budget together. What a node that died had
 * reserved stays reserved, because the call may have been paid.
 */
import type { Database } from './database/database.ts'
import type { EntityManager } from './database/entity_manager.ts'
import { sql } from './sql/sql.ts'

/** `cost` in trillionths of a unit of the prices' currency. */
export type Spent = { tokens: number; cost: bigint }

/** A sum that has a limit, or may have one later. `period`: a day, a month, or nothing. Null: no limit. */
export type SpendingScope = {
  scope: string
  period: string
  max_tokens: number | null
  max_cost: bigint | null
}

/**
 * Reserves in all scopes, or in none. Returns the first scope without room.
 */
export async function reserveSpending(
  database: Database,
  project_id: string,
  scopes: readonly SpendingScope[],
  { tokens, cost }: Spent,
): Promise<SpendingScope | undefined> {
  return database.em().transactional(async (em) => {
    const rows = await lockRows(em, project_id, scopes)
    const full = scopes.find(({ scope, period, max_tokens, max_cost }) => {
      const row = rows.find((one) => one.scope === scope && one.period === period)!
      if (max_tokens !== null && Number(row.tokens) + Number(row.reserved_tokens) + tokens > max_tokens) return true
      return max_cost !== null && BigInt(row.cost) + BigInt(row.reserved_cost) + cost > max_cost
    })
    if (full) return full
    await em.execute(sql`
      update assistant_spending set reserved_tokens = reserved_tokens + ${tokens},
        reserved_cost = reserved_cost + ${String(cost)}::numeric where ${these(project_id, scopes)}`)
    return undefined
  })
}

/**
 * Replaces a reservation by what was spent; without one, both are added. One statement, because every call of a model ends with it. The
 * rows are written in the order of the keys, so that no two calls wait for each other.
 */
export async function settleSpending(
  database: Database,
  project_id: string,
  scopes: readonly Pick<SpendingScope, 'scope' | 'period'>[],
  reserved: Spent | null,
  spent: Spent,
): Promise<void> {
  const keys = scopes.map(({ scope, period }) => sql`(${scope}::text, ${period}::text)`)
  const { tokens, cost } = reserved ?? { tokens: 0, cost: 0n }
  await database.execute(sql`
    insert into assistant_spending as s (project_id, scope, period, tokens, cost, updated_at)
    select ${project_id}, scope, period, ${spent.tokens}::bigint, ${String(spent.cost)}::numeric, now()
    from (values ${sql.join(keys, ', ')}) as one (scope, period) order by scope, period
    on conflict (project_id, scope, period) do update set tokens = s.tokens + excluded.tokens,
      cost = s.cost + excluded.cost, reserved_tokens = s.reserved_tokens - ${tokens}::bigint,
      reserved_cost = s.reserved_cost - ${String(cost)}::numeric, updated_at = excluded.updated_at`)
}

type Row = {
  scope: string
  period: string
  tokens: string
  cost: string
  reserved_tokens: string
  reserved_cost: string
}

/** Locks the rows in the order of their keys, so that no two calls wait for each other. */
async function lockRows(
  em: EntityManager,
  project_id: string,
  scopes: readonly Pick<SpendingScope, 'scope' | 'period'>[],
): Promise<Row[]> {
  const keys = scopes.map(({ scope, period }) => sql`(${scope}::text, ${period}::text)`)
  return await em.execute<Row[]>(sql`
    insert into assistant_spending as s (project_id, scope, period, updated_at)
    select ${project_id}, scope, period, now() from (values ${sql.join(keys, ', ')}) as one (scope, period)
    order by scope, period
    on conflict (project_id, scope, period) do update set updated_at = excluded.updated_at
    returning scope, period, tokens::text, cost::text, reserved_tokens::text, reserved_cost::text`)
}

function these(project_id: string, scopes: readonly Pick<SpendingScope, 'scope' | 'period'>[]) {
  const keys = scopes.map(({ scope, period }) => sql`(${scope}, ${period})`)
  return sql`project_id = ${project_id} and (scope, period) in (${sql.join(keys, ', ')})`
}

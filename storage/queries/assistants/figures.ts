import type { Database } from '../../database/database.ts'
import { sql } from '../../sql/sql.ts'
import { objectIdAt } from '../../values/ids.ts'

/** Turns in conversations by their outcome. `costs` are decimals by currency, of all turns whose prices are known. */
export type TurnFigures = {
  assistant_id: string
  answered: number
  handed_over: number
  failed: number
  costs: { currency: string; amount: string }[]
}

/** Milliseconds by which the moment of an id may be behind `started_at`. */
const SLACK_MS = 60_000

/** The turns of each assistant of a project that began at or after `since`. Assistants without any are missing. */
export async function sumTurns(database: Database, project_id: string, since: Date): Promise<TurnFigures[]> {
  const first = objectIdAt(new Date(since.getTime() - SLACK_MS))
  // One range of the index for each assistant, which has the project, the assistant and the age.
  const rows = await database.execute<Omit<TurnFigures, 'costs'> & { currency: string | null; amount: string | null }>(
    sql`
    select a._id as assistant_id, sums.* from assistant a cross join lateral (
      select t.cost_currency as currency, sum(t.cost)::text as amount,
        count(*) filter (where t.outcome = 'answered')::int as answered,
        count(*) filter (where t.outcome = 'handed_over')::int as handed_over,
        count(*) filter (where t.outcome = 'failed')::int as failed
      from assistant_turn t
      where t.project_id = a.project_id and t.assistant_id = a._id and t._id >= ${first}
        and t.started_at >= ${since} and t.origin = 'conversation'
      group by t.cost_currency order by t.cost_currency
    ) sums where a.project_id = ${project_id}`,
  )
  return [...Map.groupBy(rows, ({ assistant_id }) => assistant_id)].map(([assistant_id, own]) => ({
    assistant_id,
    answered: sum(own.map(({ answered }) => answered)),
    handed_over: sum(own.map(({ handed_over }) => handed_over)),
    failed: sum(own.map(({ failed }) => failed)),
    costs: own.flatMap(({ currency, amount }) => (currency === null || amount === null ? [] : [{ currency, amount }])),
  }))
}

function sum(counts: number[]): number {
  return counts.reduce((total, count) => total + count, 0)
}

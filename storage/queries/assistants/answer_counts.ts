import type { Database } from '../../database/database.ts'
import { sql } from '../../sql/sql.ts'

/** The number of answers of assistants that these contacts got since a time, by contact. Those without one are missing. */
export async function countAnswers(
  database: Database,
  project_id: string,
  chat_users: readonly string[],
  since: Date,
): Promise<Map<string, number>> {
  const rows = await database.execute<{ chat_user: string; count: number }>(sql`
    select chat_user, count(*)::int as count from assistant_turn
    where project_id = ${project_id} and chat_user in (${sql.list(chat_users)}) and ended_at > ${since}
      and outcome = 'answered' and origin = 'conversation' group by chat_user`)
  return new Map(rows.map(({ chat_user, count }) => [chat_user, count]))
}

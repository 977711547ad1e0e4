/** Records that belong to one agent, or are shared by all agents of a project. */
import { type Sql, sql } from '../../sql/sql.ts'

/** A record with the name of its author. */
export type Authored<Row> = Row & { full_name: string | null }

/** The condition for the records of a project that an agent sees, in SQL. `alias`: that of their table. */
export function visibleTo(
  alias: Sql,
  { project_id, user_id }: { project_id: string; user_id: string },
  is_shared?: boolean,
): Sql {
  const owned = sql`${alias}.owner_id = ${user_id}`
  const shared = sql`${alias}.owner_id is null`
  const whose = is_shared === undefined ? sql`(${shared} or ${owned})` : is_shared ? shared : owned
  return sql`${alias}.project_id = ${project_id} and ${whose}`
}

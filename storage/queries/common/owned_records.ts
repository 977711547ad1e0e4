/** Records that belong to one agent, or are shared by all agents of a project. */
import { type Sql, sql } from '../../sql/sql.ts'

export type Owned = { owner_id?: string | null }
type Author = { id: string; full_name: string } | null

/** The fields that every such record shows. `full_name`: name of the author. */
export function ownershipOf(
  { owner_id, created_by }: Owned & { created_by?: string | null },
  full_name: string | null | undefined,
): { is_shared: boolean; created_by: Author } {
  const author = created_by && full_name ? { id: created_by, full_name } : null
  return { is_shared: owner_id == null, created_by: author }
}

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

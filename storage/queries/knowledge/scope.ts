/** The documents that a search is limited to. */
import type { Database } from '../../database/database.ts'
import { sql } from '../../sql/sql.ts'

export type Scope = {
  /** The numbers of all these documents, when they are few. */
  numbers?: number[]
  /** Otherwise the folders that hold them, and documents that were named themselves. */
  folders?: string[]
  documents: number[]
}

/** Documents whose postings are looked up one by one. */
const FEW = 2_000

/** Active documents among the nodes and below them. */
export async function scopeOf(database: Database, project_id: string, node_ids: readonly string[]): Promise<Scope> {
  const ids = node_ids.length > 0 ? sql.list(node_ids) : sql`null`
  const mine = sql`project_id = ${project_id} and is_active`
  const [row] = await database.execute<{ folders: string[]; documents: number[]; numbers: number[] }>(sql`
    with recursive folder as (
      select _id from knowledge_node where ${mine} and _id in (${ids}) and type = 'folder'
      union
      select child._id from folder join knowledge_node child on child.parent_id = folder._id
      where child.is_active and child.type = 'folder'
    ), named as (
      select number from knowledge_node where ${mine} and _id in (${ids}) and type = 'document'
    ), below as (
      select number from folder join knowledge_node child on child.parent_id = folder._id
      where child.project_id = ${project_id} and child.is_active and child.type = 'document' limit ${FEW + 1}
    )
    select array(select _id from folder) as folders, array(select number from named) as documents,
      array(select number from below union select number from named) as numbers`)
  const { folders, documents, numbers } = row!
  return numbers.length <= FEW ? { numbers, documents } : { folders, documents }
}

/** The ids among these that the project has never had. */
export async function unknownNodes(
  database: Database,
  project_id: string,
  node_ids: readonly string[],
): Promise<string[]> {
  const rows = await database.execute<{ _id: string }>(sql`
    select _id from knowledge_node where project_id = ${project_id} and _id in (${sql.list(node_ids)})`)
  const known = new Set(rows.map(({ _id }) => _id))
  return node_ids.filter((id) => !known.has(id))
}

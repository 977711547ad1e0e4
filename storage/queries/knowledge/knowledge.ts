/** Reads of the knowledge tree. Nodes that are not active do not exist for a reader. */
import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { tableOf } from '../../database/write_set.ts'
import { KnowledgeNode } from '../../entities/knowledge/knowledge_node.ts'
import { type Sql, sql } from '../../sql/sql.ts'

/** The parts of a node that decide about places in the tree. */
export type KnowledgePlace = Pick<KnowledgeNode, '_id' | 'parent_id' | 'type' | 'is_active'>

export type IndexError = { code: string; message: string }

/** The reason of a failure as the API shows it. It is stored as `code: message`; a reason of the index has no code. */
export function toIndexError(stored: string | null | undefined): IndexError | null {
  if (!stored) return null
  const code = /^[a-z0-9_]{1,50}(?=: )/.exec(stored)?.[0]
  return code === undefined
    ? { code: 'not_indexed', message: stored }
    : { code, message: stored.slice(code.length + 2) }
}

/** The active node with this id, or undefined when the project has none. */
export async function findKnowledgeNode(
  database: Database,
  project_id: string,
  _id: string,
): Promise<KnowledgeNode | undefined> {
  const [row] = await readKnowledgeNodes(database, project_id, [_id])
  return row
}

/** Active nodes as stored, with their content. */
export async function readKnowledgeNodes(
  database: Database,
  project_id: string,
  ids: Iterable<string>,
): Promise<KnowledgeNode[]> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, KnowledgeNode)} from knowledge_node
    where project_id = ${project_id} and is_active and ${among(sql`_id`, ids)}`)
  return toRows(database, KnowledgeNode, rows)
}

/** The places of nodes, active or not, and of all folders above them. */
export function readPlacesAbove(
  database: Database,
  project_id: string,
  ids: Iterable<string>,
): Promise<KnowledgePlace[]> {
  const columns = [sql`_id`, sql`parent_id`, sql`type`, sql`is_active`]
  return database.execute<KnowledgePlace>(sql`
    with recursive above as (
      select ${sql.join(columns, ', ')} from knowledge_node where project_id = ${project_id} and ${among(sql`_id`, ids)}
      union
      select ${sql.join(
        columns.map((column) => sql`one.${column}`),
        ', ',
      )} from above join knowledge_node one on one._id = above.parent_id
    )
    select ${sql.join(columns, ', ')} from above`)
}

/** The places of all active folders below these folders. */
export function readFoldersBelow(database: Database, ids: Iterable<string>): Promise<KnowledgePlace[]> {
  const folders = sql`is_active and type = 'folder'`
  return database.execute<KnowledgePlace>(sql`
    with recursive below as (
      select _id, parent_id from knowledge_node where ${folders} and ${among(sql`parent_id`, ids)}
      union
      select one._id, one.parent_id from below join knowledge_node one on one.parent_id = below._id where ${folders}
    )
    select _id, parent_id, 'folder' as type, true as is_active from below`)
}

/** The number of active nodes in each of these folders; null stands for the top. Counting stops at `most`. */
export async function countKnowledgeChildren(
  database: Database,
  project_id: string,
  parents: Iterable<string | null>,
  most: number,
): Promise<Map<string | null, number>> {
  const counts = [...parents].map((parent) => {
    const inside = parent === null ? sql`parent_id is null` : sql`parent_id = ${parent}`
    const id = parent === null ? sql`null` : sql`${parent}`
    return sql`select ${id}::text as parent_id, (select count(*)::integer from (
      select from knowledge_node where project_id = ${project_id} and ${inside} and is_active limit ${most}) held) as count`
  })
  const rows = await database.execute<{ parent_id: string | null; count: number }>(sql.join(counts, ' union all '))
  return new Map(rows.map(({ parent_id, count }) => [parent_id, count]))
}

function among(column: Sql, ids: Iterable<string>): Sql {
  const list = [...ids]
  return list.length === 0 ? sql`false` : sql`${column} in (${sql.list(list)})`
}

export type KnowledgeFilter = {
  project_id?: string | undefined
  parent_id?: string | undefined
  type?: string | undefined
  index_status?: string | undefined
}

/** Active nodes without their contents, newest first, and their total number. */
export async function listKnowledgeNodes(
  database: Database,
  filter: KnowledgeFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ data: Omit<KnowledgeNode, 'content'>[]; total: number }> {
  const conditions = [sql`is_active`]
  for (const [column, value] of Object.entries(filter)) {
    if (value !== undefined) conditions.push(sql`${sql.id(column)} = ${value}`)
  }
  const where = sql.join(conditions, ' and ')
  // Contents stay where they are.
  const columns = sql.join(
    [...tableOf(database.orm, KnowledgeNode).types.keys()].map((name) =>
      name === 'content' ? sql`null as content` : sql.id(name),
    ),
    ', ',
  )
  const rows = await database.execute(
    sql`select ${columns} from knowledge_node where ${where} order by _id desc limit ${limit} offset ${offset}`,
  )
  const [counted] = await database.execute<{ total: number }>(
    sql`select count(*)::integer as total from knowledge_node where ${where}`,
  )
  return { data: toRows(database, KnowledgeNode, rows), total: counted!.total }
}

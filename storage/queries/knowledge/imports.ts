/** Imports of documents. Those of documents that are not active do not exist for a reader. */
import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import { type ImportStatus, KnowledgeImport } from '../../entities/knowledge/knowledge_import.ts'
import type { KnowledgeNode } from '../../entities/knowledge/knowledge_node.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import { type Page, type PageOptions, toPage } from '../common/keyset.ts'

/** An import with the place and the name of its document. */
export type ImportView = KnowledgeImport & Pick<KnowledgeNode, 'parent_id' | 'name'>

/** The import of an active document; undefined when it was not imported. */
export async function findKnowledgeImport(
  database: Database,
  project_id: string,
  node_id: string,
): Promise<ImportView | undefined> {
  return (await readViews(database, project_id, [sql`node_id = ${node_id}`], 1))[0]
}

export type ImportFilter = {
  status?: ImportStatus | undefined
  is_finished?: boolean | undefined
  /** The folder of the documents. */
  parent_id?: string | undefined
}

/** The imports of a project, the latest documents first. */
export async function listKnowledgeImports(
  database: Database,
  project_id: string,
  { status, is_finished, parent_id }: ImportFilter,
  { limit, cursor }: PageOptions,
): Promise<Page<ImportView>> {
  const conditions: Sql[] = []
  if (status !== undefined) conditions.push(sql`status = ${status}`)
  if (is_finished !== undefined)
    conditions.push(sql`status ${is_finished ? sql`not in` : sql`in`} ('waiting', 'running')`)
  if (parent_id !== undefined) conditions.push(sql`parent_id = ${parent_id}`)
  if (cursor !== undefined) conditions.push(sql`node_id < ${cursor}`)
  return toPage(await readViews(database, project_id, conditions, limit + 1), limit, ({ node_id }) => node_id)
}

async function readViews(
  database: Database,
  project_id: string,
  conditions: Sql[],
  most: number,
): Promise<ImportView[]> {
  const project = sql`${project_id}`
  const mine = [
    sql`imported.project_id = ${project}`,
    sql`node.project_id = ${project}`,
    sql`node.is_active`,
    ...conditions,
  ]
  const rows = await database.execute(sql`
    select ${columnsOf(database, KnowledgeImport, sql`imported`)}, node.parent_id, node.name
    from knowledge_import imported join knowledge_node node on node._id = node_id
    where ${sql.join(mine, ' and ')} order by node_id desc limit ${most}`)
  return toRows(database, KnowledgeImport, rows) as ImportView[]
}

const ACTIVE = sql`exists (select from knowledge_node node where node._id = node_id and node.is_active)`

/** Imports as stored. */
export function readKnowledgeImports(
  database: Database,
  project_id: string,
  node_ids: Iterable<string>,
): Promise<KnowledgeImport[]> {
  return read(database, [sql`project_id = ${project_id}`, among(sql`node_id`, node_ids)])
}

/** Imports of these sources into documents that are active. */
export function readImportsOfSources(
  database: Database,
  project_id: string,
  source_hashes: Iterable<string>,
): Promise<KnowledgeImport[]> {
  const conditions = [sql`project_id = ${project_id}`, among(sql`source_hash`, source_hashes), ACTIVE]
  return read(database, conditions, sql`order by node_id`)
}

/** The host and port of an address. Imports of files have none. */
const SITE = sql`case when origin = 'url' then lower(substring(source from '^[^:/]+://(?:[^/?#]*@)?([^/?#]*)')) else '' end`

/**
 * The unfinished imports of a project: those that are due by `now`, the first of each site before the second ones, then the
 * others in the order of their times. Those under way are the first of their site.
 */
export function readUnfinishedImports(
  database: Database,
  project_id: string,
  now: Date,
  most: number,
): Promise<KnowledgeImport[]> {
  const mine = sql`project_id = ${project_id} and status in ('waiting', 'running')`
  const place = sql`case when due_at <= ${now} then row_number() over (partition by ${SITE} order by status, due_at, node_id) end`
  const first = sql`select node_id from (select node_id, due_at, ${place} as place from knowledge_import where ${mine}) placed
    order by place, due_at, node_id limit ${most}`
  return read(database, [mine, sql`node_id = any (array(${first}))`], sql`order by ${place}, due_at, node_id`)
}

/** The number of unfinished imports of a project. Counting stops at `most`. */
export async function countUnfinishedImports(database: Database, project_id: string, most: number): Promise<number> {
  const [row] = await database.execute<{ count: number }>(sql`
    select count(*)::integer as count from (select from knowledge_import
      where project_id = ${project_id} and status in ('waiting', 'running') limit ${most}) unfinished`)
  return row!.count
}

async function read(database: Database, conditions: Sql[], rest = sql``): Promise<KnowledgeImport[]> {
  const rows = await database.execute(sql`
    select ${columnsOf(database, KnowledgeImport)} from knowledge_import
    where ${sql.join(conditions, ' and ')} ${rest}`)
  return toRows(database, KnowledgeImport, rows)
}

function among(column: Sql, values: Iterable<string>): Sql {
  const list = [...values]
  return list.length === 0 ? sql`false` : sql`${column} in (${sql.list(list)})`
}

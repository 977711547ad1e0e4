/** Imports of documents. Those of documents that are not active do not exist for a reader. */
import type { Database } from '../database.ts'
import { type ImportStatus, KnowledgeImport } from '../entities/knowledge_import.ts'
import type { KnowledgeNode } from '../entities/knowledge_node.ts'
import { columnsOf, toRows } from '../read_rows.ts'
import { literal } from '../write_set.ts'
import { type Page, type PageOptions, toPage } from './keyset.ts'

/** An import as the API shows it. */
export type ImportRecord = ReturnType<typeof toImportRecord>

/** With the place and the name of its document. */
type StoredImport = KnowledgeImport & Pick<KnowledgeNode, 'parent_id' | 'name'>

function toImportRecord(row: StoredImport) {
  const { error_code, error_message } = row
  return {
    node_id: row.node_id,
    parent_id: row.parent_id ?? null,
    name: row.name,
    origin: row.origin,
    source: row.source,
    mime_type: row.mime_type ?? null,
    file_size: row.file_size ?? null,
    sha256: row.sha256 ?? null,
    status: row.status,
    attempts: row.attempts,
    warnings: row.warnings,
    error: error_code ? { code: error_code, message: error_message ?? '' } : null,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** The import of an active document; undefined when it was not imported. */
export async function findKnowledgeImport(
  database: Database,
  project_id: string,
  node_id: string,
): Promise<ImportRecord | undefined> {
  return (await readRecords(database, project_id, [`node_id = ${literal(node_id)}`], 1))[0]
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
): Promise<Page<ImportRecord>> {
  const conditions: string[] = []
  if (status !== undefined) conditions.push(`status = ${literal(status)}`)
  if (is_finished !== undefined) conditions.push(`status ${is_finished ? 'not in' : 'in'} ('waiting', 'running')`)
  if (parent_id !== undefined) conditions.push(`parent_id = ${literal(parent_id)}`)
  if (cursor !== undefined) conditions.push(`node_id < ${literal(cursor)}`)
  return toPage(await readRecords(database, project_id, conditions, limit + 1), limit, ({ node_id }) => node_id)
}

async function readRecords(
  database: Database,
  project_id: string,
  conditions: string[],
  most: number,
): Promise<ImportRecord[]> {
  const project = literal(project_id)
  const mine = [`imported.project_id = ${project}`, `node.project_id = ${project}`, 'node.is_active', ...conditions]
  const rows = await database.execute(`
    select ${columnsOf(database, KnowledgeImport, 'imported')}, node.parent_id, node.name
    from knowledge_import imported join knowledge_node node on node._id = node_id
    where ${mine.join(' and ')} order by node_id desc limit ${most}`)
  return toRows(database, KnowledgeImport, rows).map((row) => toImportRecord(row as StoredImport))
}

const ACTIVE = 'exists (select from knowledge_node node where node._id = node_id and node.is_active)'

/** Imports as stored. */
export function readKnowledgeImports(
  database: Database,
  project_id: string,
  node_ids: Iterable<string>,
): Promise<KnowledgeImport[]> {
  return read(database, [`project_id = ${literal(project_id)}`, among('node_id', node_ids)])
}

/** Imports of these sources into documents that are active. */
export function readImportsOfSources(
  database: Database,
  project_id: string,
  source_hashes: Iterable<string>,
): Promise<KnowledgeImport[]> {
  const conditions = [`project_id = ${literal(project_id)}`, among('source_hash', source_hashes), ACTIVE]
  return read(database, conditions, 'order by node_id')
}

/** The unfinished imports of a project that are due first. */
export function readUnfinishedImports(
  database: Database,
  project_id: string,
  most: number,
): Promise<KnowledgeImport[]> {
  const conditions = [`project_id = ${literal(project_id)}`, `status in ('waiting', 'running')`]
  return read(database, conditions, `order by due_at, node_id limit ${most}`)
}

/** The number of unfinished imports of a project. Counting stops at `most`. */
export async function countUnfinishedImports(database: Database, project_id: string, most: number): Promise<number> {
  const [row] = await database.execute<{ count: number }>(`
    select count(*)::integer as count from (select from knowledge_import
      where project_id = ${literal(project_id)} and status in ('waiting', 'running') limit ${most}) unfinished`)
  return row!.count
}

async function read(database: Database, conditions: string[], rest = ''): Promise<KnowledgeImport[]> {
  const rows = await database.execute(`
    select ${columnsOf(database, KnowledgeImport)} from knowledge_import
    where ${conditions.join(' and ')} ${rest}`)
  return toRows(database, KnowledgeImport, rows)
}

function among(column: string, values: Iterable<string>): string {
  const list = [...values].map(literal)
  return list.length === 0 ? 'false' : `${column} in (${list})`
}

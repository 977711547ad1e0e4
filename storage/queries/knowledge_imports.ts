/** Imports of documents. Those of documents that are not active do not exist for a reader. */
import type { Database } from '../database.ts'
import { type ImportStatus, KnowledgeImport } from '../entities/knowledge_import.ts'
import { columnsOf, toRows } from '../read_rows.ts'
import { literal } from '../write_set.ts'
import { type Page, type PageOptions, toPage } from './keyset.ts'

/** An import as the API shows it. */
export type ImportRecord = ReturnType<typeof toImportRecord>

export function toImportRecord(row: KnowledgeImport) {
  const { error_code, error_message } = row
  return {
    node_id: row.node_id,
    origin: row.origin,
    source: row.source,
    mime_type: row.mime_type ?? null,
    file_size: row.file_size ?? null,
    sha256: row.sha256 ?? null,
    status: row.status,
    attempts: row.attempts,
    error: error_code ? { code: error_code, message: error_message ?? '' } : null,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

const ACTIVE = 'exists (select from knowledge_node node where node._id = node_id and node.is_active)'

/** The import of an active document; undefined when it was not imported. */
export async function findKnowledgeImport(
  database: Database,
  project_id: string,
  node_id: string,
): Promise<ImportRecord | undefined> {
  const rows = await read(database, [`project_id = ${literal(project_id)}`, `node_id = ${literal(node_id)}`, ACTIVE])
  return rows[0] && toImportRecord(rows[0])
}

/** The imports of a project, the latest documents first. */
export async function listKnowledgeImports(
  database: Database,
  project_id: string,
  { status }: { status?: ImportStatus | undefined },
  { limit, cursor }: PageOptions,
): Promise<Page<ImportRecord>> {
  const conditions = [`project_id = ${literal(project_id)}`, ACTIVE]
  if (status !== undefined) conditions.push(`status = ${literal(status)}`)
  if (cursor !== undefined) conditions.push(`node_id < ${literal(cursor)}`)
  const rows = await read(database, conditions, `order by node_id desc limit ${limit + 1}`)
  return toPage(rows.map(toImportRecord), limit, ({ node_id }) => node_id)
}

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

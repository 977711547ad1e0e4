import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import { Assistant } from '../../entities/assistant.ts'
import { sql } from '../../sql/sql.ts'
import { contains } from '../common/contains.ts'
import type { CountedPage, Window } from '../common/keyset.ts'
import { listRecords } from '../common/record_list.ts'
import { readHeldTools } from './agent_tools.ts'
import { type AttachedRecord, readAttached } from './blocks.ts'

export type AssistantFilter = {
  /** Text that the name contains. */
  search?: string | undefined
  is_active?: boolean | undefined
  model?: string | undefined
}

/** An assistant as the API shows it. */
export type AssistantRecord = ReturnType<typeof toAssistantRecord>

export function toAssistantRecord(row: Assistant, blocks: AttachedRecord[], tools: string[]) {
  return {
    _id: row._id,
    name: row.name,
    description: row.description ?? null,
    avatar_url: row.avatar_url ?? null,
    avatar_emoji: row.avatar_emoji ?? null,
    model: row.model,
    knowledge_node_ids: row.knowledge_node_ids,
    tools,
    is_active: row.is_active,
    blocks,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

/** The row of an assistant of the project. */
export async function findAssistant(
  database: Database,
  project_id: string,
  _id: string,
): Promise<Assistant | undefined> {
  const [row] = await readRows(database, Assistant, { _id, project_id })
  return row
}

/** Adds their blocks to assistants. */
export async function showAssistants(database: Database, rows: Assistant[]): Promise<AssistantRecord[]> {
  const ids = rows.map(({ _id }) => _id)
  const attached = await readAttached(database, ids)
  const held = ids.length === 0 ? [] : await readHeldTools(database, ids)
  const tools = Map.groupBy(held, ({ assistant_id }) => assistant_id)
  return rows.map((row) => {
    const tool_ids = (tools.get(row._id) ?? []).map(({ tool_id }) => tool_id)
    return toAssistantRecord(row, attached.get(row._id) ?? [], tool_ids)
  })
}

/** Assistants of a project, or of all projects without one, newest first, and their total number. */
export function listAssistants(
  database: Database,
  project_id: string | undefined,
  { search, ...filter }: AssistantFilter,
  window: Window,
): Promise<CountedPage<Assistant>> {
  const conditions = search ? [contains(sql`name`, search)] : []
  return listRecords(database, Assistant, { project_id, ...filter }, window, conditions)
}

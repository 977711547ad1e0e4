import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import { Assistant } from '../../entities/assistants/assistant.ts'
import { sql } from '../../sql/sql.ts'
import { contains } from '../common/contains.ts'
import type { CountedPage, Window } from '../common/keyset.ts'
import { listRecords } from '../common/record_list.ts'
import { readHeldTools } from './agent_tools.ts'
import { type AttachedBlock, readAttached } from './blocks.ts'

export type AssistantFilter = {
  /** Text that the name contains. */
  search?: string | undefined
  is_active?: boolean | undefined
  model?: string | undefined
}

/** An assistant with its blocks in the order of the prompt, and the ids of its tools. */
export type AssistantView = { assistant: Assistant; blocks: AttachedBlock[]; tools: string[] }

/** The row of an assistant of the project. */
export async function findAssistant(
  database: Database,
  project_id: string,
  _id: string,
): Promise<Assistant | undefined> {
  const [row] = await readRows(database, Assistant, { _id, project_id })
  return row
}

/** Adds their blocks and tools to assistants. */
export async function readAssistantViews(database: Database, rows: Assistant[]): Promise<AssistantView[]> {
  const ids = rows.map(({ _id }) => _id)
  const attached = await readAttached(database, ids)
  const held = ids.length === 0 ? [] : await readHeldTools(database, ids)
  const tools = Map.groupBy(held, ({ assistant_id }) => assistant_id)
  return rows.map((assistant) => ({
    assistant,
    blocks: attached.get(assistant._id) ?? [],
    tools: (tools.get(assistant._id) ?? []).map(({ tool_id }) => tool_id),
  }))
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

import type { Database } from '../../database/database.ts'
import { columnsOf, readRows, toRows } from '../../database/read_rows.ts'
import { AgentTool } from '../../entities/assistants/agent_tool.ts'
import { AgentToolCall } from '../../entities/assistants/agent_tool_call.ts'
import { AssistantTool } from '../../entities/assistants/assistant_tool.ts'
import { sql } from '../../sql/sql.ts'
import { contains } from '../common/contains.ts'
import { type CountedPage, type Page, type PageOptions, toPage, type Window } from '../common/keyset.ts'

export type AgentToolFilter = {
  is_active?: boolean | undefined
  /** Text that the name contains. */
  search?: string | undefined
  /** Tools that this agent holds. */
  agent_id?: string | undefined
}

/** The row of a tool of the project. */
export async function findAgentTool(
  database: Database,
  project_id: string,
  _id: string,
): Promise<AgentTool | undefined> {
  const [row] = await readRows(database, AgentTool, { _id, project_id })
  return row
}

/** Tools of the project, newest first, and their total number. */
export async function listAgentTools(
  database: Database,
  project_id: string,
  { is_active, search, agent_id }: AgentToolFilter,
  { limit, offset, cursor }: Window,
): Promise<CountedPage<AgentTool>> {
  const conditions = [sql`t.project_id = ${project_id}`]
  if (is_active !== undefined) conditions.push(is_active ? sql`t.is_active` : sql`not t.is_active`)
  if (search) conditions.push(contains(sql`t.name`, search))
  if (agent_id !== undefined) {
    conditions.push(sql`exists (select from assistant_tool h where h.tool_id = t._id and h.assistant_id = ${agent_id})`)
  }
  const where = sql.join(conditions, ' and ')
  const rows = await database.execute(sql`
    select ${columnsOf(database, AgentTool, sql`t`)} from agent_tool t where ${where}
    ${cursor === undefined ? sql`` : sql`and t._id < ${cursor}`} order by t._id desc limit ${limit + 1} offset ${offset}`)
  const [counted] = await database.execute<{ total: number }>(
    sql`select count(*)::integer as total from agent_tool t where ${where}`,
  )
  const data = toRows<AgentTool>(database, AgentTool, rows)
  return { ...toPage(data, limit, ({ _id }) => _id), total: counted!.total }
}

/** Test calls of a tool, newest first. */
export async function listAgentToolCalls(
  database: Database,
  tool_id: string,
  { limit, cursor }: PageOptions,
): Promise<Page<AgentToolCall>> {
  const conditions = [sql`c.tool_id = ${tool_id}`]
  if (cursor !== undefined) conditions.push(sql`c._id < ${cursor}`)
  const rows = await database.execute(sql`
    select ${columnsOf(database, AgentToolCall, sql`c`)} from agent_tool_call c
    where ${sql.join(conditions, ' and ')} order by c._id desc limit ${limit + 1}`)
  return toPage(toRows<AgentToolCall>(database, AgentToolCall, rows), limit, ({ _id }) => _id)
}

export type ToolHolder = { tool_id: string; _id: string; name: string }

/** Maximum agents that an answer names for each tool. */
const MAX_HOLDERS = 100

/** The agents that hold these tools, oldest first. */
export function listToolHolders(database: Database, company_id: string, tool_ids: string[]): Promise<ToolHolder[]> {
  return database.execute<ToolHolder>(sql`
    select h.tool_id, a._id, a.name from assistant_tool h
    join assistant a on a._id = h.assistant_id
    where h.company_id = ${company_id} and h.tool_id in (${sql.list(tool_ids)})
    order by h.assistant_id limit ${MAX_HOLDERS * tool_ids.length}`)
}

/** The tools that these assistants hold, in the order of each. */
export async function readHeldTools(database: Database, assistant_ids: string[]): Promise<AssistantTool[]> {
  const rows = await readRows(database, AssistantTool, { assistant_id: assistant_ids })
  return rows.sort((one, other) => one.position - other.position)
}

/** The number of tools that the project has. */
export async function countAgentTools(database: Database, project_id: string): Promise<number> {
  const [row] = await database.execute<{ count: number }>(
    sql`select count(*)::integer as count from agent_tool where project_id = ${project_id}`,
  )
  return row!.count
}

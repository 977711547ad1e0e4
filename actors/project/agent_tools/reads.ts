import {
  AgentTool,
  countAgentTools,
  listToolHolders,
  openHeaders,
  readRows,
  type ToolHolder,
  toAgentToolRecord,
} from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Audited } from '../turn/audit.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** Tools of the company by id. Those of other projects can only be deleted. */
export const agentToolReads: ReadKind<Set<string>, Map<string, AgentTool>> = {
  wanted: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { company_id } }) {
    for (const row of await readRows(database, AgentTool, { _id: [...ids], company_id })) found.set(row._id, row)
  },
}

/** The audit entry of a change of a tool. */
export const auditedTool: Audited<{ type: string }> = {
  target: 'agent_tool',
  record(turn, id, database) {
    const row = turn.records.of(agentToolReads).get(id)
    return row && { ...toAgentToolRecord(database, row), headers: openHeaders(database, id, row.headers) }
  },
  projectOf: (turn, id) => turn.records.of(agentToolReads).get(id)?.project_id,
}

/** The tool with this id, when it is one of this project. @throws {Refusal} NOT_FOUND */
export function findOwnTool(turn: ProjectTurn, id: string): AgentTool {
  const row = turn.records.of(agentToolReads).get(id)
  if (row?.project_id !== turn.state.project_id) throw refuse('NOT_FOUND')
  return row
}

/** Agents that hold a tool, by the id of the tool. */
export const holderReads: ReadKind<Set<string>, Map<string, ToolHolder[]>> = {
  wanted: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { company_id } }) {
    for (const id of ids) found.set(id, [])
    for (const holder of await listToolHolders(database, company_id, [...ids])) found.get(holder.tool_id)!.push(holder)
  },
}

/** The number of tools that the project has. */
export const toolCountReads: ReadKind<{ is_wanted: boolean }, { count: number }> = {
  wanted: () => ({ is_wanted: false }),
  found: () => ({ count: 0 }),
  async read(found, { is_wanted }, { database, state: { project_id } }) {
    if (is_wanted) found.count = await countAgentTools(database, project_id)
  },
}

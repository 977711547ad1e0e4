/** Webhook tools of agents. Agents hold them (`assistant_tool`). */
import {
  AgentTool,
  AgentToolCall,
  type AgentToolMethod,
  countAgentTools,
  listToolHolders,
  objectId,
  openHeaders,
  readRows,
  sealHeaders,
  type ToolHolder,
} from '../../../storage/mod.ts'
import type { ToolAnswer } from '../../agent_tools/mod.ts'
import { mergeHeaders } from '../../kept_headers.ts'
import { toAgentToolCallRecord, toAgentToolRecord } from '../../records/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Audited } from '../turn/audit.ts'
import type { Change, Command, Feature } from '../turn/feature.ts'
import type { ReadKind } from '../turn/records.ts'
import type { ProjectTurn } from '../turn/turn.ts'

/** The fields of a tool that clients set. */
type AgentToolFields = {
  name: string
  description: string
  url: string
  method: AgentToolMethod
  headers: Record<string, string>
  /** JSON Schema of the arguments. */
  parameters: Record<string, unknown>
  timeout_ms: number
  is_active: boolean
}

/** Tools of the company by id. Those of other projects can only be deleted. */
const agentToolReads: ReadKind<Set<string>, Map<string, AgentTool>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { company_id } }) {
    for (const row of await readRows(database, AgentTool, { _id: [...ids], company_id })) found.set(row._id, row)
  },
}

/** The audit entry of a change of a tool. */
const auditedTool: Audited<{ type: string }> = {
  target: 'agent_tool',
  record(turn, id, database) {
    const row = turn.records.of(agentToolReads).get(id)
    return row && { ...toAgentToolRecord(database, row), headers: openHeaders(database, id, row.headers) }
  },
  projectOf: (turn, id) => turn.records.of(agentToolReads).get(id)?.project_id,
}

/** The tool with this id, when it is one of this project. @throws {Refusal} NOT_FOUND */
function findOwnTool(turn: ProjectTurn, id: string): AgentTool {
  const row = turn.records.of(agentToolReads).get(id)
  if (row?.project_id !== turn.state.project_id) throw refuse('NOT_FOUND')
  return row
}

/** Agents that hold a tool, by the id of the tool. */
const holderReads: ReadKind<Set<string>, Map<string, ToolHolder[]>> = {
  keys: () => new Set(),
  found: () => new Map(),
  async read(found, ids, { database, state: { company_id } }) {
    for (const id of ids) found.set(id, [])
    for (const holder of await listToolHolders(database, company_id, [...ids])) found.get(holder.tool_id)!.push(holder)
  },
}

/** The number of tools that the project has. */
const toolCountReads: ReadKind<{ is_wanted: boolean }, { count: number }> = {
  keys: () => ({ is_wanted: false }),
  found: () => ({ count: 0 }),
  async read(found, { is_wanted }, { database, state: { project_id } }) {
    if (is_wanted) found.count = await countAgentTools(database, project_id)
  },
}

type CreateAgentTool = { type: 'create_agent_tool' } & AgentToolFields

/** Maximum tools of a project. */
const MAX_TOOLS = 1_000

/** `POST /v1/agents/tools`. @throws {Refusal} TOO_MANY_AGENT_TOOLS, VALIDATION_ERROR */
const createAgentTool = {
  audit: auditedTool,
  reads(reads) {
    reads.of(toolCountReads).is_wanted = true
  },
  run(turn, { type: _, headers, ...fields }, { database }) {
    const counted = turn.records.of(toolCountReads)
    if (counted.count >= MAX_TOOLS) throw refuse('TOO_MANY_AGENT_TOOLS', { most: MAX_TOOLS })
    counted.count += 1
    const { company_id, project_id } = turn.state
    const _id = objectId()
    const sealed = sealHeaders(database, _id, mergeHeaders(database, undefined, headers))
    const times = { created_at: turn.now, updated_at: turn.now }
    const row: AgentTool = { _id, company_id, project_id, ...fields, headers: sealed, ...times }
    turn.insert(AgentTool, row)
    turn.records.of(agentToolReads).set(_id, row)
    return { body: toAgentToolRecord(database, row) }
  },
} satisfies Command<CreateAgentTool>

type DeleteAgentTool = { type: 'delete_agent_tool'; id: string }

/**
 * `DELETE /v1/agents/tools/{id}`, for all projects of the company. A foreign key holds a tool that is given to an agent
 * meanwhile; then the turn fails, reads again and refuses.
 * @throws {Refusal} NOT_FOUND, AGENT_TOOL_IN_USE
 */
const deleteAgentTool = {
  audit: auditedTool,
  reads(reads, { id }) {
    reads.of(agentToolReads).add(id)
    reads.of(holderReads).add(id)
  },
  run(turn, { id }) {
    const tools = turn.records.of(agentToolReads)
    if (!tools.has(id)) throw refuse('NOT_FOUND')
    const holders = turn.records.of(holderReads).get(id) ?? []
    if (holders.length > 0) {
      throw refuse('AGENT_TOOL_IN_USE', { agents: holders.map(({ _id, name }) => ({ _id, name })) })
    }
    turn.remove(AgentTool, { _id: id })
    tools.delete(id)
    return {}
  },
} satisfies Command<DeleteAgentTool>

type RecordToolCall = {
  type: 'record_tool_call'
  id: string
  tool_id: string
  arguments: Record<string, unknown>
} & ToolAnswer

/** A test call was made. The record of a tool deleted meanwhile goes with it. */
const recordToolCall: Change<RecordToolCall> = {
  reads(reads, { tool_id }) {
    reads.of(agentToolReads).add(tool_id)
  },
  apply(turn, { type: _, id, ...call }) {
    const { company_id, project_id } = turn.state
    const row: AgentToolCall = { _id: id, company_id, project_id, ...call, created_at: turn.now }
    const tool = turn.records.of(agentToolReads).get(call.tool_id)
    // Upsert, because a conclusion may be repeated.
    if (tool?.project_id === project_id) turn.upsert(AgentToolCall, row)
    return toAgentToolCallRecord(row)
  },
}

/** Changes only the given fields; `headers` and `parameters` are replaced as a whole. */
type UpdateAgentTool = { type: 'update_agent_tool'; id: string; patch: Partial<AgentToolFields> }

/** `PATCH /v1/agents/tools/{id}`. @throws {Refusal} NOT_FOUND, VALIDATION_ERROR */
const updateAgentTool = {
  audit: auditedTool,
  reads(reads, { id }) {
    reads.of(agentToolReads).add(id)
  },
  run(turn, { id, patch }, { database }) {
    const row = findOwnTool(turn, id)
    const { headers, ...plain } = patch
    const written: Partial<AgentTool> = { ...plain, updated_at: turn.now }
    if (headers) written.headers = sealHeaders(database, id, mergeHeaders(database, row, headers))
    Object.assign(row, written)
    turn.update(AgentTool, { _id: id }, written)
    return { body: toAgentToolRecord(database, row) }
  },
} satisfies Command<UpdateAgentTool>

export const agentTools = {
  commands: {
    create_agent_tool: createAgentTool,
    update_agent_tool: updateAgentTool,
    delete_agent_tool: deleteAgentTool,
  },
  changes: { record_tool_call: recordToolCall },
} satisfies Feature

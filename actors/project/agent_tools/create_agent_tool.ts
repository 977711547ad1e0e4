import { AgentTool, objectId, sealHeaders, toAgentToolRecord } from '../../../storage/mod.ts'
import { mergeHeaders } from '../../kept_headers.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import type { AgentToolFields } from './fields.ts'
import { agentToolReads, auditedTool, toolCountReads } from './reads.ts'

export type CreateAgentTool = { type: 'create_agent_tool' } & AgentToolFields

/** Maximum tools of a project. */
const MAX_TOOLS = 1_000

/** `POST /v1/agents/tools`. @throws {Refusal} TOO_MANY_AGENT_TOOLS, VALIDATION_ERROR */
export const createAgentTool: Command<CreateAgentTool> = {
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
}

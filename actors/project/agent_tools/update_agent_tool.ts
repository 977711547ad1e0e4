import { AgentTool, sealHeaders, toAgentToolRecord } from '../../../storage/mod.ts'
import { mergeHeaders } from '../../kept_headers.ts'
import type { Command } from '../turn/feature.ts'
import type { AgentToolFields } from './fields.ts'
import { agentToolReads, auditedTool, findOwnTool } from './reads.ts'

/** Changes only the given fields; `headers` and `parameters` are replaced as a whole. */
export type UpdateAgentTool = { type: 'update_agent_tool'; id: string; patch: Partial<AgentToolFields> }

/** `PATCH /v1/agents/tools/{id}`. @throws {Refusal} NOT_FOUND, VALIDATION_ERROR */
export const updateAgentTool: Command<UpdateAgentTool> = {
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
}

import { AgentTool } from '../../../storage/mod.ts'
import { refuse } from '../../refuse.ts'
import type { Command } from '../turn/feature.ts'
import { agentToolReads, auditedTool, holderReads } from './reads.ts'

export type DeleteAgentTool = { type: 'delete_agent_tool'; id: string }

/**
 * `DELETE /v1/agents/tools/{id}`, for all projects of the company. A foreign key holds a tool that is given to an agent
 * meanwhile; then the turn fails, reads again and refuses.
 * @throws {Refusal} NOT_FOUND, AGENT_TOOL_IN_USE
 */
export const deleteAgentTool: Command<DeleteAgentTool> = {
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
}

import { AgentToolCall, toAgentToolCallRecord } from '../../../storage/mod.ts'
import type { ToolAnswer } from '../../agent_tools/mod.ts'
import type { Change } from '../turn/feature.ts'
import { agentToolReads } from './reads.ts'

export type RecordToolCall = {
  type: 'record_tool_call'
  id: string
  tool_id: string
  arguments: Record<string, unknown>
} & ToolAnswer

/** A test call was made. The record of a tool deleted meanwhile goes with it. */
export const recordToolCall: Change<RecordToolCall> = {
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

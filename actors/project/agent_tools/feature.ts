/** Webhook tools of agents. Agents hold them (`assistant_tool`). */
import type { Feature } from '../turn/feature.ts'
import { createAgentTool } from './create_agent_tool.ts'
import { deleteAgentTool } from './delete_agent_tool.ts'
import { recordToolCall } from './record_call.ts'
import { updateAgentTool } from './update_agent_tool.ts'

export const agentTools = {
  commands: {
    create_agent_tool: createAgentTool,
    update_agent_tool: updateAgentTool,
    delete_agent_tool: deleteAgentTool,
  },
  changes: { record_tool_call: recordToolCall },
} satisfies Feature

/** Webhook tools of agents. Projects manage them; operators look, and switch off a tool that does harm. */
import * as v from 'valibot'
import { agentToolRecord, named, toAgentToolRecord } from '../../actors/mod.ts'
import type { Database } from '../../storage/mod.ts'
import { AgentTool, switchAgentTool } from '../../storage/mod.ts'
import { objectId } from './fields.ts'
import { operatorRoute } from './operator_route.ts'
import { explained } from './records.ts'
import { resource } from './resource.ts'

const { _id, ...entries } = agentToolRecord.entries
const record = named('OperatorAgentTool', v.object({ _id, company_id: objectId, project_id: objectId, ...entries }))

function show(tool: AgentTool, database: Database) {
  const { company_id, project_id } = tool
  return { company_id, project_id, ...toAgentToolRecord(database, tool) }
}

export const agentToolAdminRoutes = [
  ...resource({
    path: '/admin/v1/agent-tools',
    entity: AgentTool,
    record,
    show,
    list: {
      operation: 'list_agent_tools_of_projects',
      summary: 'List tools of agents, newest first; the values of their headers are not shown',
      filter: { company_id: v.optional(objectId), project_id: v.optional(objectId) },
    },
    get: { operation: 'get_agent_tool_of_project', summary: 'Get a tool of agents' },
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/agent-tools/:id',
    operation: 'switch_agent_tool',
    example: { body: { is_active: false } },
    role: 'support',
    summary: 'Switch a tool off or on; agents do not call a tool that is off',
    status: 200,
    body: v.strictObject({ is_active: v.boolean() }),
    response: record,
    errors: ['NOT_FOUND'],
    async change({ params, body }, { database }) {
      return show(await explained(switchAgentTool(database, params.id, body.is_active)), database)
    },
  }),
]

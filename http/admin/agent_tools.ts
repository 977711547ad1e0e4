/** Webhook tools of agents. Projects manage them; operators look, and switch off a tool that does harm. */
import * as v from 'valibot'
import type { Database } from '../../storage/mod.ts'
import { AgentTool, switchAgentTool, toAgentToolRecord } from '../../storage/mod.ts'
import { listRecords } from '../server/list_records.ts'
import { named } from '../server/schema/named.ts'
import { objectId, recordList, recordsOf, timestamp } from './fields.ts'
import { operatorRoute } from './operator_route.ts'
import { explained, findRecord } from './records.ts'

const record = named(
  'OperatorAgentTool',
  v.object({
    _id: objectId,
    company_id: objectId,
    project_id: objectId,
    name: v.string(),
    description: v.string(),
    url: v.string(),
    method: v.string(),
    headers: v.record(v.string(), v.string()),
    parameters: v.record(v.string(), v.unknown()),
    timeout_ms: v.number(),
    is_active: v.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

function show(database: Database, tool: AgentTool) {
  const { company_id, project_id } = tool
  return { company_id, project_id, ...toAgentToolRecord(database, tool) }
}

export const agentToolAdminRoutes = [
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/agent-tools',
    operation: 'list_agent_tools_of_projects',
    summary: 'List tools of agents, newest first; the values of their headers are not shown',
    status: 200,
    query: recordList({ company_id: v.optional(objectId), project_id: v.optional(objectId) }),
    response: recordsOf(record),
    read: ({ query: { limit, offset, cursor, ...filter } }, { database }) =>
      listRecords(database, AgentTool, filter, { limit, offset, cursor }, (tool) => show(database, tool)),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/agent-tools/:id',
    operation: 'get_agent_tool_of_project',
    summary: 'Get a tool of agents',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    read: async ({ params }, { database }) => show(database, await findRecord(database, AgentTool, params.id)),
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
      return show(database, await explained(switchAgentTool(database, params.id, body.is_active)))
    },
  }),
]

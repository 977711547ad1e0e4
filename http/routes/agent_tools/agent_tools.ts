/** Webhook tools that agents may call. */
import * as v from 'valibot'
import {
  agentToolCallRecord,
  agentToolFields,
  agentToolRecord,
  dictionary,
  plainIdPattern,
  recordId,
  toAgentToolCallRecord,
  toAgentToolRecord,
} from '../../../actors/mod.ts'
import { listAgentToolCalls, listAgentTools } from '../../../storage/mod.ts'
import type { RequestContext, Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import {
  beginOnce,
  flagQuery,
  followedPageOf,
  limit,
  offset,
  pageOf,
  recordCursor,
  search,
} from '../../server/schema/fields.ts'
import { type AllowUrl, headers, url } from '../outbound_fields.ts'
import { AgentToolTests, examineParameters, type ToolHooks, toolOf } from './work.ts'

const NO_PARAMETERS = { type: 'object', properties: {} }

const reads = { auth: 'token', scope: 'agents:read' } as const
const writes = { auth: 'token', scope: 'agents:write' } as const
const one = { params: { id: plainIdPattern }, errors: ['NOT_FOUND'] } satisfies Partial<Route>

export function agentToolRoutes(hooks: ToolHooks, allow_url: AllowUrl): Route[] {
  const { name, description, method, parameters, timeout_ms } = agentToolFields
  const fields = { name, url: url(allow_url) }
  const tests = new AgentToolTests(hooks)
  const examine = ({ parameters }: { parameters?: Record<string, unknown> }, { project_id }: RequestContext) =>
    parameters && examineParameters(hooks.client, parameters, project_id)
  return [
    route({
      ...writes,
      method: 'POST',
      path: '/v1/agents/tools',
      operation: 'create_agent_tool',
      example: {
        body: {
          name: 'find_order',
          description: 'Finds an order by its number.',
          url: 'https://shop.example.com/orders',
          method: 'POST',
          parameters: { type: 'object', properties: { number: { type: 'string' } }, required: ['number'] },
        },
      },
      audited: true,
      summary: 'Create a webhook tool that agents may call',
      body: v.strictObject({
        ...fields,
        description: v.optional(description, ''),
        method: v.optional(method, 'POST'),
        headers: v.optional(headers, {}),
        parameters: v.optional(parameters, NO_PARAMETERS),
        timeout_ms: v.optional(timeout_ms, 10_000),
        is_active: v.optional(v.boolean(), true),
      }),
      status: 201,
      response: agentToolRecord,
      errors: ['TOO_MANY_AGENT_TOOLS'],
      examine,
      command: ({ body }) => ({ type: 'create_agent_tool', ...body }),
    }),
    route({
      ...reads,
      method: 'GET',
      path: '/v1/agents/tools',
      operation: 'list_agent_tools',
      summary: 'List the tools of the project, newest first; agent_id selects those that an agent holds',
      query: v.pipe(
        v.strictObject({
          is_active: v.optional(flagQuery),
          search,
          agent_id: v.optional(recordId),
          limit,
          offset,
          cursor: recordCursor,
        }),
        beginOnce(),
      ),
      status: 200,
      response: followedPageOf(agentToolRecord),
      async read({ query: { limit, offset, cursor, ...filter } }, { database, project_id }) {
        const page = await listAgentTools(database, project_id, filter, { limit, offset, cursor })
        return { ...page, data: page.data.map((row) => toAgentToolRecord(database, row)), limit, offset }
      },
    }),
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/agents/tools/:id',
      operation: 'get_agent_tool',
      summary: 'Get a tool; the values of its headers are not shown',
      status: 200,
      response: agentToolRecord,
      read: async ({ params }, context) => toAgentToolRecord(context.database, await toolOf(context, params.id)),
    }),
    route({
      ...writes,
      ...one,
      method: 'PATCH',
      path: '/v1/agents/tools/:id',
      operation: 'update_agent_tool',
      example: { body: { timeout_ms: 3000 } },
      audited: true,
      summary: 'Change a tool; headers and parameters are replaced as a whole, and is_active switches it off and on',
      body: v.partial(
        v.strictObject({ ...fields, description, method, headers, parameters, timeout_ms, is_active: v.boolean() }),
      ),
      status: 200,
      response: agentToolRecord,
      examine,
      command: ({ params, body }) => ({ type: 'update_agent_tool', id: params.id, patch: body }),
    }),
    route({
      ...writes,
      ...one,
      method: 'DELETE',
      path: '/v1/agents/tools/:id',
      operation: 'delete_agent_tool',
      audited: true,
      summary: 'Delete a tool of the company for good; a tool that an agent holds stays',
      status: 204,
      errors: ['NOT_FOUND', 'AGENT_TOOL_IN_USE'],
      command: ({ params }) => ({ type: 'delete_agent_tool', id: params.id }),
    }),
    route({
      ...writes,
      ...one,
      method: 'POST',
      path: '/v1/agents/tools/:id/test',
      operation: 'test_agent_tool',
      example: { body: { arguments: { number: 'A-1001' } } },
      summary: 'Call a tool once with these arguments, even when it is switched off, and record the call',
      body: v.strictObject({ arguments: v.optional(dictionary(v.unknown()), {}) }),
      status: 200,
      response: agentToolCallRecord,
      errors: ['NOT_FOUND', 'AGENT_TOOL_ARGUMENTS_INVALID', 'AGENT_TOOL_PARAMETERS_UNUSABLE', 'SERVICE_UNAVAILABLE'],
      act: ({ params, body }, context, operation) => tests.test(context, params.id, body.arguments, operation),
    }),
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/agents/tools/:id/calls',
      operation: 'list_agent_tool_calls',
      summary: 'List the test calls of a tool, newest first; calls are kept as long as events',
      query: v.strictObject({ limit, cursor: recordCursor }),
      status: 200,
      response: pageOf(agentToolCallRecord),
      async read({ params, query: { limit, cursor } }, context) {
        const { _id } = await toolOf(context, params.id)
        const { data, ...page } = await listAgentToolCalls(context.database, _id, { limit, cursor })
        return { ...page, data: data.map(toAgentToolCallRecord) }
      },
    }),
  ]
}

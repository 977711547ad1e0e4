/** Webhook tools that agents may call. */
import * as v from 'valibot'
import {
  across,
  composedText,
  dictionary,
  fieldsOf,
  maxCharacters,
  minCharacters,
  named,
  parameterViolations,
  plainIdPattern,
  recordId,
  timestamp,
} from '../../../actors/mod.ts'
import { listAgentToolCalls, listAgentTools, toAgentToolRecord } from '../../../storage/mod.ts'
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

const method = v.picklist(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'])
const name = v.pipe(
  v.string(),
  composedText(),
  minCharacters(1),
  maxCharacters(120),
  v.check((text) => text.trim() !== '', 'must not be blank'),
  v.check((text) => !/\p{Cc}/u.test(text), 'must be one line, without control characters'),
)
const description = v.pipe(
  v.string(),
  maxCharacters(2000),
  v.description('Tells the model when and how to use the tool'),
)
const parameters = v.pipe(
  dictionary(v.unknown()),
  across((value, say) => {
    for (const { path, message } of parameterViolations(fieldsOf(value))) say(message, path)
  }),
  v.description('JSON Schema of the arguments, an object; draft 2020-12, or draft 7 when $schema names it'),
)
const timeout_ms = v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(15_000))
const NO_PARAMETERS = { type: 'object', properties: {} }

const tool = named(
  'AgentTool',
  v.object({
    _id: recordId,
    name: v.string(),
    description: v.string(),
    url: v.string(),
    method,
    headers: v.pipe(v.record(v.string(), v.string()), v.description('The values are never shown')),
    parameters: v.record(v.string(), v.unknown()),
    timeout_ms: v.number(),
    is_active: v.boolean(),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

const call = named(
  'AgentToolCall',
  v.object({
    _id: recordId,
    tool_id: recordId,
    arguments: v.record(v.string(), v.unknown()),
    succeeded: v.boolean(),
    status_code: v.nullable(v.number()),
    duration_ms: v.number(),
    error: v.nullable(v.string()),
    response: v.pipe(v.nullable(v.string()), v.description('The beginning of the response, at most 16 KiB')),
    is_truncated: v.boolean(),
    created_at: timestamp,
  }),
)

const reads = { auth: 'token', scope: 'agents:read' } as const
const writes = { auth: 'token', scope: 'agents:write' } as const
const one = { params: { id: plainIdPattern }, errors: ['NOT_FOUND'] } satisfies Partial<Route>

export function agentToolRoutes(hooks: ToolHooks, allow_url: AllowUrl): Route[] {
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
      response: tool,
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
      response: followedPageOf(tool),
      async read({ query: { limit, offset, cursor, ...filter } }, { database, project_id }) {
        const page = await listAgentTools(database, project_id, filter, { limit, offset, cursor })
        return { ...page, limit, offset }
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
      response: tool,
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
      response: tool,
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
      response: call,
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
      response: pageOf(call),
      async read({ params, query: { limit, cursor } }, context) {
        const { _id } = await toolOf(context, params.id)
        return listAgentToolCalls(context.database, _id, { limit, cursor })
      },
    }),
  ]
}

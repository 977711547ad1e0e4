/** Agents: assistants as the holders of tools. */
import * as v from 'valibot'
import {
  across,
  assistantRecord,
  exampleIds,
  itemsOf,
  plainIdPattern,
  recordId,
  repeated,
} from '../../../actors/mod.ts'
import { UNIQUE } from '../../server/parse/validation.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { type AssistantHooks, answerOfAssistant, changeAssistants } from './work.ts'

const agent = v.object({ assistant: v.object(assistantRecord.entries) })
const one = { params: { id: plainIdPattern }, status: 200, response: agent } as const

/** More tools than this make a model choose badly. */
const MAX_TOOLS = 50

const tools = v.pipe(
  v.array(v.unknown()),
  v.maxLength(MAX_TOOLS),
  v.array(recordId),
  across((list, say) => {
    for (const at of repeated(itemsOf(list))) say('is listed twice', [at], UNIQUE)
  }),
)

export function agentRoutes(hooks: AssistantHooks): Route[] {
  return [
    route({
      ...one,
      auth: 'token',
      scope: 'agents:read',
      method: 'GET',
      path: '/v1/agents/:id',
      operation: 'get_agent',
      summary: 'Get an agent, which is an assistant, with the ids of its tools',
      errors: ['NOT_FOUND'],
      read: async ({ params }, context) => ({ assistant: await answerOfAssistant(context, params.id) }),
    }),
    route({
      ...one,
      auth: 'token',
      scope: 'agents:write',
      method: 'PATCH',
      path: '/v1/agents/:id',
      operation: 'update_agent',
      example: { body: { tools: [exampleIds.tool] } },
      audited: true,
      summary: 'Replace the tools of an agent; a tool that is left out is taken off it',
      body: v.strictObject({ tools }),
      errors: ['NOT_FOUND', 'AGENT_TOOL_NOT_FOUND', 'ASSISTANTS_UPSTREAM_ERROR'],
      outside: true,
      act: ({ params, body }, context, operation) =>
        changeAssistants(hooks, context, { type: 'set_tools', id: params.id, tools: body.tools }, operation),
    }),
  ]
}

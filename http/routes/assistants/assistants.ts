/** AI assistants, the blocks that are attached to them, and the prompt that results. */
import * as v from 'valibot'
import {
  assistantPatch,
  assistantRecord,
  attachedBlock,
  exampleIds,
  newAssistant,
  plainIdPattern,
  toAssistantRecord,
  toAttachedBlockRecord,
  triedBlocks,
  triedHeld,
} from '../../../actors/mod.ts'
import { listAssistants, readAssistantViews, readAttached } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { beginOnce, followedPageOf, pageAmong, recordCursor, uncountedPageOf } from '../../server/schema/fields.ts'
import { deploymentRoutes } from './deployments.ts'
import { assistantFilter, attachment, creationOf, prompt, storedFields, targets, window } from './fields.ts'
import { promptOf } from './prompt.ts'
import { replyRoutes } from './reply.ts'
import { summaryRoutes } from './summary.ts'
import { instructionsTried, TRIAL_BODY_LIMIT } from './tried_turns.ts'
import { turnRoutes } from './turns.ts'
import {
  type AssistantHooks,
  answerOfAssistant,
  assistantOf,
  changeAssistants,
  mustBeSupported,
  mustHavePrices,
} from './work.ts'

const single = v.object({ assistant: assistantRecord })

const reads = { auth: 'token', scope: 'assistants:read' } as const
const writes = { auth: 'token', scope: 'assistants:write' } as const
const one = { params: { id: plainIdPattern } } as const

/** Answers of any change. */
const upstream = ['ASSISTANTS_UPSTREAM_ERROR'] as const

export function assistantRoutes(hooks: AssistantHooks): Route[] {
  return [
    route({
      ...writes,
      method: 'POST',
      path: '/v1/assistants',
      operation: 'create_assistant',
      example: { body: { name: 'Front desk', description: 'Answers the first questions.', avatar_emoji: '🙂' } },
      audited: true,
      summary: 'Create an assistant, with an empty personification block and an empty response policy; it is active',
      body: newAssistant,
      status: 201,
      response: single,
      errors: [
        'INVALID_MODEL',
        'KNOWLEDGE_NODE_NOT_FOUND',
        ...targets,
        'ASSISTANT_LIMIT_REACHED',
        'BLOCK_LIMIT_REACHED',
        ...upstream,
      ],
      outside: true,
      async act({ body }, context, operation) {
        mustBeSupported(hooks, body.model)
        mustHavePrices(hooks, 'budget', body.budget)
        return changeAssistants(hooks, context, creationOf(body, hooks.models), operation)
      },
    }),
    route({
      ...reads,
      method: 'GET',
      path: '/v1/assistants',
      operation: 'list_assistants',
      summary: 'List assistants, newest first; search matches any part of a name',
      query: v.pipe(v.strictObject({ ...assistantFilter, ...window, cursor: recordCursor }), beginOnce()),
      status: 200,
      response: followedPageOf(assistantRecord),
      async read({ query: { limit, offset, cursor, ...filter } }, { database, project_id }) {
        const { data, ...page } = await listAssistants(database, project_id, filter, { limit, offset, cursor })
        return { ...page, data: (await readAssistantViews(database, data)).map(toAssistantRecord), limit, offset }
      },
    }),
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/assistants/:id',
      operation: 'get_assistant',
      summary: 'Get an assistant with its blocks',
      status: 200,
      response: single,
      errors: ['NOT_FOUND'],
      read: async ({ params }, context) => ({ assistant: await answerOfAssistant(context, params.id) }),
    }),
    route({
      ...writes,
      ...one,
      method: 'PATCH',
      path: '/v1/assistants/:id',
      operation: 'update_assistant',
      example: { body: { description: 'Answers questions about orders.' } },
      audited: true,
      summary: 'Change an assistant; only the fields in the request change, and is_active false switches it off',
      body: assistantPatch,
      status: 200,
      response: single,
      errors: [
        'NOT_FOUND',
        'INVALID_MODEL',
        'KNOWLEDGE_NODE_NOT_FOUND',
        ...targets,
        'ASSISTANT_LIMIT_REACHED',
        ...upstream,
      ],
      outside: true,
      async act({ params, body }, context, operation) {
        mustBeSupported(hooks, body.model)
        mustHavePrices(hooks, 'budget', body.budget)
        const change = { type: 'update_assistant' as const, id: params.id, patch: storedFields(body) }
        return changeAssistants(hooks, context, change, operation)
      },
    }),
    route({
      ...writes,
      ...one,
      method: 'POST',
      path: '/v1/assistants/:id/blocks',
      operation: 'attach_block',
      example: { body: { block_id: exampleIds.block, order: 2 } },
      audited: true,
      summary: 'Attach a block of the catalogue to an assistant, or move one that is attached',
      body: attachment,
      status: 201,
      response: v.object({ block: attachedBlock }),
      errors: [
        'NOT_FOUND',
        'BLOCK_NOT_FOUND',
        'ASSISTANT_DUPLICATE_IDENTITY_BLOCK',
        'BLOCK_LIMIT_REACHED',
        ...upstream,
      ],
      outside: true,
      act: ({ params, body }, context, operation) =>
        changeAssistants(hooks, context, { type: 'attach_block', id: params.id, ...body }, operation),
    }),
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/assistants/:id/blocks',
      operation: 'list_assistant_blocks',
      summary: 'List the blocks of an assistant in the order of its prompt, archived ones included',
      query: v.strictObject(window),
      status: 200,
      response: uncountedPageOf(attachedBlock),
      errors: ['NOT_FOUND'],
      async read({ params, query: page }, context) {
        const { _id } = await assistantOf(context, params.id)
        const blocks = (await readAttached(context.database, [_id])).get(_id) ?? []
        return pageAmong(blocks.map(toAttachedBlockRecord), page)
      },
    }),
    route({
      ...writes,
      method: 'DELETE',
      path: '/v1/assistants/:id/blocks/:block_id',
      operation: 'detach_block',
      audited: true,
      summary: 'Take a block off an assistant; it stays in the catalogue',
      params: { id: plainIdPattern, block_id: plainIdPattern },
      status: 204,
      errors: ['NOT_FOUND', 'ASSISTANTS_UPSTREAM_ERROR'],
      outside: true,
      act: ({ params }, context, operation) =>
        changeAssistants(
          hooks,
          context,
          { type: 'detach_block', id: params.id, block_id: params.block_id },
          operation,
          {},
        ),
    }),
    ...deploymentRoutes,
    ...replyRoutes(hooks),
    ...summaryRoutes(hooks),
    ...turnRoutes,
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/assistants/:id/prompt',
      operation: 'get_assistant_prompt',
      summary: 'Render the blocks of an assistant, archived ones included, into the text of its prompt',
      status: 200,
      response: prompt,
      errors: ['NOT_FOUND'],
      read: ({ params }, context) => promptOf(context, params.id),
    }),
    route({
      ...reads,
      ...one,
      method: 'POST',
      path: '/v1/assistants/:id/prompt',
      operation: 'preview_assistant_prompt',
      example: { body: { blocks: [{ block_id: exampleIds.block, content: '1. Ask for the order number.' }] } },
      summary: 'Render the prompt of an assistant with contents that are not saved',
      body: v.strictObject({ blocks: v.optional(triedBlocks), held: v.optional(triedHeld) }),
      body_limit: TRIAL_BODY_LIMIT,
      status: 200,
      response: prompt,
      errors: ['NOT_FOUND', 'BLOCK_NOT_FOUND'],
      read: ({ params, body }, context) => promptOf(context, params.id, instructionsTried(body)),
    }),
  ]
}

/** The catalogue of instruction blocks, and the versions of their content. */
import * as v from 'valibot'
import {
  assistantName,
  blockRecord,
  blockVersionRecord,
  blockVersionSummary,
  plainIdPattern,
  toBlockRecord,
} from '../../../actors/mod.ts'
import { type BlockType, listVersions, objectId, pageBlocks } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { beginOnce, recordCursor, uncountedPageOf } from '../../server/schema/fields.ts'
import { blockFilter, CONTENT_BODY_LIMIT, content, savedContent, saveOf, versionFrom, window } from './fields.ts'
import { heldVersionRoutes } from './held_versions.ts'
import { type AssistantHooks, blockOf, changeAssistants, contentOf, versionOf } from './work.ts'

const single = v.object({ block: blockRecord })

const reads = { auth: 'token', scope: 'assistants:read' } as const
const writes = { auth: 'token', scope: 'assistants:write' } as const
const one = { params: { id: plainIdPattern } } as const
const upstream = ['ASSISTANTS_UPSTREAM_ERROR'] as const

/** The types that the API creates, by the last part of the path. */
const creatable = {
  'response-format': 'response_format',
  steps: 'steps',
  objective: 'objective',
  'cases-possible': 'cases_possible',
} as const satisfies Record<string, BlockType>

export function blockRoutes(hooks: AssistantHooks): Route[] {
  return [
    ...Object.entries(creatable).map(([path, type]) => creation(hooks, path, type)),
    route({
      ...reads,
      method: 'GET',
      path: '/v1/blocks',
      operation: 'list_blocks',
      summary: 'List the blocks of the project without their content, newest first; archived ones only on demand',
      query: v.pipe(v.strictObject({ ...blockFilter, ...window, cursor: recordCursor }), beginOnce()),
      status: 200,
      response: v.object({ ...uncountedPageOf(blockRecord).entries, next_cursor: v.nullable(v.string()) }),
      async read({ query: { limit, offset, cursor, ...filter } }, { database, project_id }) {
        const { data, ...page } = await pageBlocks(database, project_id, filter, { limit, offset, cursor })
        return { ...page, data: data.map(toBlockRecord), limit, offset }
      },
    }),
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/blocks/:id',
      operation: 'get_block',
      summary: 'Get a block without its content',
      status: 200,
      response: single,
      errors: ['NOT_FOUND'],
      read: async ({ params }, context) => ({ block: toBlockRecord(await blockOf(context, params.id)) }),
    }),
    route({
      ...writes,
      ...one,
      method: 'PATCH',
      path: '/v1/blocks/:id',
      operation: 'update_block',
      example: { body: { name: 'Returns and refunds' } },
      audited: true,
      summary: 'Rename a block',
      body: v.strictObject({ name: v.optional(assistantName) }),
      status: 200,
      response: single,
      errors: ['NOT_FOUND', 'ASSISTANTS_UPSTREAM_ERROR'],
      outside: true,
      act: ({ params, body }, context, operation) =>
        changeAssistants(hooks, context, { type: 'update_block', id: params.id, patch: body }, operation),
    }),
    ...(['archive', 'unarchive'] as const).map((verb) => archival(hooks, verb)),
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/blocks/:id/content',
      operation: 'get_block_content',
      summary: 'Get the current content of a block',
      status: 200,
      response: blockVersionRecord,
      errors: ['NOT_FOUND', 'BLOCK_CONTENT_NOT_FOUND'],
      read: ({ params }, context) => contentOf(context, params.id),
    }),
    route({
      ...writes,
      ...one,
      method: 'PUT',
      path: '/v1/blocks/:id/content',
      operation: 'save_block_content',
      example: { body: { content: '1. Ask for the number of the order.' } },
      audited: true,
      summary:
        'Save the content of a block as a new version, as text or as a payload of items; with hold it waits for its release',
      body: savedContent,
      body_limit: CONTENT_BODY_LIMIT,
      status: 200,
      response: blockVersionRecord,
      errors: ['NOT_FOUND', 'BLOCK_CONTENT_NOT_WRITABLE', 'TEST_SET_NOT_FOUND', 'ASSISTANTS_UPSTREAM_ERROR'],
      outside: true,
      act: ({ params, body }, context, operation) =>
        changeAssistants(hooks, context, { ...saveOf(params.id, body), by_operator: false }, operation),
    }),
    ...heldVersionRoutes(hooks),
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/blocks/:id/versions',
      operation: 'list_block_versions',
      summary: 'List the versions of a block without their content, newest first',
      query: v.strictObject(window),
      status: 200,
      response: uncountedPageOf(blockVersionSummary),
      errors: ['NOT_FOUND'],
      async read({ params, query: { limit, offset } }, context) {
        const { database, project_id } = context
        const { _id } = await blockOf(context, params.id)
        return { ...(await listVersions(database, project_id, _id, { limit, offset })), limit, offset }
      },
    }),
    route({
      ...reads,
      ...one,
      method: 'GET',
      path: '/v1/blocks/:id/versions/:version_id',
      operation: 'get_block_version',
      summary: 'Get a version of a block; versions are kept for ever',
      status: 200,
      response: blockVersionRecord,
      errors: ['NOT_FOUND', 'BLOCK_VERSION_NOT_FOUND'],
      read: ({ params }, context) => versionOf(context, params.id, params.version_id),
    }),
  ]
}

function creation(hooks: AssistantHooks, path: string, block_type: BlockType): Route {
  return route({
    ...writes,
    method: 'POST',
    path: `/v1/blocks/${path}`,
    operation: `create_${block_type}_block`,
    example: { body: { name: 'Returns', content: '1. Ask for the number of the order.\n2. Explain the next step.' } },
    audited: true,
    summary: `Create a block of the type ${block_type}, attached to nothing`,
    body: v.strictObject({ name: assistantName, content: v.optional(content) }),
    body_limit: CONTENT_BODY_LIMIT,
    status: 201,
    response: single,
    errors: ['BLOCK_LIMIT_REACHED', ...upstream],
    outside: true,
    act({ body: { name, content } }, context, operation) {
      const change = {
        type: 'create_block' as const,
        id: objectId(),
        name,
        block_type,
        version: versionFrom({ content }),
      }
      return changeAssistants(hooks, context, change, operation)
    },
  })
}

function archival(hooks: AssistantHooks, verb: 'archive' | 'unarchive'): Route {
  const is_archived = verb === 'archive'
  return route({
    ...writes,
    ...one,
    method: 'POST',
    path: `/v1/blocks/:id/${verb}`,
    operation: `${verb}_block`,
    audited: true,
    summary: is_archived ? 'Hide a block from lists; prompts that have it keep it' : 'Show an archived block again',
    status: 200,
    response: single,
    errors: is_archived ? ['NOT_FOUND', ...upstream] : ['NOT_FOUND', 'BLOCK_LIMIT_REACHED', ...upstream],
    outside: true,
    act: ({ params }, context, operation) =>
      changeAssistants(hooks, context, { type: 'update_block', id: params.id, patch: { is_archived } }, operation),
  })
}

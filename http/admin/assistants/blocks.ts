/** The blocks of all projects. Operators write the content of every type, and create blocks of every type. */
import * as v from 'valibot'
import {
  assistantName,
  type BlockRecord,
  type BlockVersionRecord,
  blockRecord,
  blockType,
  blockVersionRecord,
  blockVersionSummary,
  exampleIds,
  named,
  toBlockRecord,
} from '../../../actors/mod.ts'
import { Block, listBlocks, listVersions, objectId as newId } from '../../../storage/mod.ts'
import {
  blockFilter,
  CONTENT_BODY_LIMIT,
  contentEntries,
  fitsMode,
  savedContent,
  saveOf,
  versionFrom,
} from '../../routes/assistants/fields.ts'
import { heldIn, releaseBody } from '../../routes/assistants/held_versions.ts'
import { type AssistantHooks, contentOf, versionOf } from '../../routes/assistants/work.ts'
import type { Route } from '../../server/route/route.ts'
import { limit, offset, uncountedPageOf } from '../../server/schema/fields.ts'
import { flag, objectId, recordList, recordsOf } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'
import { findRecord } from '../records.ts'
import { changeAsOperator, owned, projectNamed } from './work.ts'

const { _id, ...entries } = blockRecord.entries
const record = named('OperatorBlock', v.object({ _id, company_id: objectId, project_id: objectId, ...entries }))

type Answer = { block: BlockRecord }

const show = (row: Block) => owned(toBlockRecord(row), row)

export const blockRoutes = (hooks: AssistantHooks): Route[] => [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/blocks',
    operation: 'create_block_of_project',
    example: {
      body: {
        project_id: exampleIds.project,
        type: 'steps',
        name: 'Returns',
        content: '1. Ask for the number of the order.',
      },
    },
    summary: 'Create a block of any type in the catalogue of a project',
    status: 201,
    body_limit: CONTENT_BODY_LIMIT,
    body: v.pipe(
      v.strictObject({ project_id: objectId, type: blockType, name: assistantName, ...contentEntries }),
      fitsMode({ needed: false }),
    ),
    response: record,
    errors: ['PROJECT_NOT_FOUND', 'BLOCK_LIMIT_REACHED', 'ASSISTANTS_UPSTREAM_ERROR'],
    async change({ body: { project_id, type: block_type, name, ...content } }, context) {
      const owner = await projectNamed(context.database, project_id)
      const change = { type: 'create_block' as const, id: newId(), name, block_type, version: versionFrom(content) }
      return owned((await changeAsOperator<Answer>(hooks, context, owner, change)).block, owner)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/blocks',
    operation: 'list_blocks_of_projects',
    summary: 'List blocks without their content, newest first; archived ones only on demand',
    status: 200,
    query: recordList({ project_id: v.optional(objectId), ...blockFilter }),
    response: recordsOf(record),
    async read({ query: { limit, offset, cursor, project_id, ...filter } }, { database }) {
      const { data, ...page } = await listBlocks(database, project_id, filter, { limit, offset, cursor })
      return { ...page, data: data.map(show), limit, offset }
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/blocks/:id',
    operation: 'get_block_record',
    summary: 'Get a block without its content',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    read: async ({ params }, { database }) => show(await findRecord(database, Block, params.id)),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/blocks/:id',
    operation: 'update_block_record',
    example: { body: { name: 'Returns and refunds' } },
    summary: 'Rename, archive or unarchive a block',
    status: 200,
    body: v.strictObject({ name: v.optional(assistantName), is_archived: v.optional(flag) }),
    response: record,
    errors: ['NOT_FOUND', 'BLOCK_LIMIT_REACHED', 'ASSISTANTS_UPSTREAM_ERROR'],
    async change({ params, body }, context) {
      const owner = await findRecord(context.database, Block, params.id)
      const change = { type: 'update_block' as const, id: owner._id, patch: body }
      return owned((await changeAsOperator<Answer>(hooks, context, owner, change)).block, owner)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/blocks/:id/content',
    operation: 'get_content_of_block',
    summary: 'Get the current content of a block',
    status: 200,
    response: blockVersionRecord,
    errors: ['NOT_FOUND', 'BLOCK_CONTENT_NOT_FOUND'],
    async read({ params }, { database }) {
      const { _id, project_id } = await findRecord(database, Block, params.id)
      return contentOf({ database, project_id }, _id)
    },
  }),
  operatorRoute({
    method: 'PUT',
    path: '/admin/v1/blocks/:id/content',
    operation: 'save_content_of_block',
    example: { body: { content: '1. Ask for the number of the order.' } },
    summary: 'Save the content of a block of any type as a new version',
    status: 200,
    body: savedContent,
    body_limit: CONTENT_BODY_LIMIT,
    response: blockVersionRecord,
    errors: ['NOT_FOUND', 'TEST_SET_NOT_FOUND', 'ASSISTANTS_UPSTREAM_ERROR'],
    async change({ params, body }, context) {
      const owner = await findRecord(context.database, Block, params.id)
      const change = { ...saveOf(owner._id, body), by_operator: true }
      return changeAsOperator<BlockVersionRecord>(hooks, context, owner, change)
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/blocks/:id/held-version/release',
    operation: 'release_held_version_of_block',
    summary: 'Make the version that a block holds its current one',
    status: 200,
    body: releaseBody,
    optional_body: true,
    response: record,
    errors: ['NOT_FOUND', 'HELD_VERSION_NOT_FOUND', 'ASSISTANTS_UPSTREAM_ERROR'],
    async change({ params, body }, context) {
      const owner = await findRecord(context.database, Block, params.id)
      const change = {
        type: 'release_held_version' as const,
        id: owner._id,
        version_id: heldIn(owner, body.version_id),
        by_operator: true,
      }
      return owned((await changeAsOperator<Answer>(hooks, context, owner, change)).block, owner)
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/blocks/:id/held-version',
    operation: 'discard_held_version_of_block',
    summary: 'Hold no version of a block any more; the version stays in the history',
    status: 204,
    errors: ['NOT_FOUND', 'HELD_VERSION_NOT_FOUND', 'ASSISTANTS_UPSTREAM_ERROR'],
    async change({ params }, context) {
      const owner = await findRecord(context.database, Block, params.id)
      const change = {
        type: 'discard_held_version' as const,
        id: owner._id,
        version_id: heldIn(owner),
        by_operator: true,
      }
      await changeAsOperator(hooks, context, owner, change)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/blocks/:id/versions',
    operation: 'list_versions_of_block',
    summary: 'List the versions of a block without their content, newest first',
    status: 200,
    query: v.strictObject({ limit, offset }),
    response: uncountedPageOf(blockVersionSummary),
    errors: ['NOT_FOUND'],
    async read({ params, query: { limit, offset } }, { database }) {
      const { _id, project_id } = await findRecord(database, Block, params.id)
      return { ...(await listVersions(database, project_id, _id, { limit, offset })), limit, offset }
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/blocks/:id/versions/:version_id',
    operation: 'get_version_of_block',
    summary: 'Get a version of a block',
    status: 200,
    response: blockVersionRecord,
    errors: ['NOT_FOUND', 'BLOCK_VERSION_NOT_FOUND'],
    async read({ params }, { database }) {
      const { _id, project_id } = await findRecord(database, Block, params.id)
      return versionOf({ database, project_id }, _id, params.version_id)
    },
  }),
]

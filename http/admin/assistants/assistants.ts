/** The assistants of all projects. */
import * as v from 'valibot'
import {
  type AssistantRecord,
  type AttachedBlockRecord,
  assistantPatch,
  assistantRecord,
  attachedBlock,
  exampleIds,
  named,
  newAssistant,
  toAssistantRecord,
  toAttachedBlockRecord,
} from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { Assistant, type Database, listAssistants, readAssistantViews, readAttached } from '../../../storage/mod.ts'
import {
  assistantFilter,
  attachment,
  creationOf,
  prompt,
  storedFields,
  targets,
} from '../../routes/assistants/fields.ts'
import { promptOf } from '../../routes/assistants/prompt.ts'
import { type AssistantHooks, mustBeSupported, mustHavePrices } from '../../routes/assistants/work.ts'
import type { Route } from '../../server/route/route.ts'
import { pageAmong } from '../../server/schema/fields.ts'
import { listOf, objectId, paging, recordList, recordsOf } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'
import { findRecord } from '../records.ts'
import { atWorkRoutes } from './at_work.ts'
import { changeAsOperator, owned, projectNamed } from './work.ts'

const { _id, ...entries } = assistantRecord.entries
const record = named('OperatorAssistant', v.object({ _id, company_id: objectId, project_id: objectId, ...entries }))

type Answer = { assistant: AssistantRecord }

async function show(database: Database, rows: Assistant[]) {
  const views = await readAssistantViews(database, rows)
  return views.map((view) => owned(toAssistantRecord(view), view.assistant))
}

/** @throws {Refusal} NOT_FOUND */
async function attachedTo(database: Database, id: string | undefined): Promise<AttachedBlockRecord[]> {
  const { _id } = await findRecord(database, Assistant, id)
  return ((await readAttached(database, [_id])).get(_id) ?? []).map(toAttachedBlockRecord)
}

export const assistantRoutes = (hooks: AssistantHooks): Route[] => [
  ...atWorkRoutes,
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/assistants',
    operation: 'create_assistant_of_project',
    example: { body: { project_id: exampleIds.project, name: 'Front desk' } },
    summary: 'Create an assistant of a project, with its two empty blocks',
    status: 201,
    body: v.strictObject({ project_id: objectId, ...newAssistant.entries }),
    response: record,
    errors: [
      'PROJECT_NOT_FOUND',
      'INVALID_MODEL',
      'KNOWLEDGE_NODE_NOT_FOUND',
      ...targets,
      'ASSISTANT_LIMIT_REACHED',
      'BLOCK_LIMIT_REACHED',
      'ASSISTANTS_UPSTREAM_ERROR',
    ],
    async change({ body: { project_id, ...fields } }, context) {
      mustBeSupported(hooks, fields.model)
      mustHavePrices(hooks, 'budget', fields.budget)
      const owner = await projectNamed(context.database, project_id)
      const { assistant } = await changeAsOperator<Answer>(hooks, context, owner, creationOf(fields, hooks.models))
      return owned(assistant, owner)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/assistants',
    operation: 'list_assistants_of_projects',
    summary: 'List assistants, newest first; search matches any part of a name',
    status: 200,
    query: recordList({ project_id: v.optional(objectId), ...assistantFilter }),
    response: recordsOf(record),
    async read({ query: { limit, offset, cursor, project_id, ...filter } }, { database }) {
      const { data, ...page } = await listAssistants(database, project_id, filter, { limit, offset, cursor })
      return { ...page, data: await show(database, data), limit, offset }
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/assistants/:id',
    operation: 'get_assistant_record',
    summary: 'Get an assistant with its blocks',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    async read({ params }, { database }) {
      const [answer] = await show(database, [await findRecord(database, Assistant, params.id)])
      if (!answer) throw new Refusal('NOT_FOUND')
      return answer
    },
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/assistants/:id',
    operation: 'update_assistant_record',
    example: { body: { name: 'Reception' } },
    summary: 'Change an assistant; is_active false switches it off',
    status: 200,
    body: assistantPatch,
    response: record,
    errors: [
      'NOT_FOUND',
      'INVALID_MODEL',
      'KNOWLEDGE_NODE_NOT_FOUND',
      ...targets,
      'ASSISTANT_LIMIT_REACHED',
      'ASSISTANTS_UPSTREAM_ERROR',
    ],
    async change({ params, body }, context) {
      mustBeSupported(hooks, body.model)
      mustHavePrices(hooks, 'budget', body.budget)
      const owner = await findRecord(context.database, Assistant, params.id)
      const change = { type: 'update_assistant' as const, id: owner._id, patch: storedFields(body) }
      const { assistant } = await changeAsOperator<Answer>(hooks, context, owner, change)
      return owned(assistant, owner)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/assistants/:id/prompt',
    operation: 'get_prompt_of_assistant',
    summary: 'Render the blocks of an assistant into the text of its prompt',
    status: 200,
    response: prompt,
    errors: ['NOT_FOUND'],
    async read({ params }, { database }) {
      const { _id, project_id } = await findRecord(database, Assistant, params.id)
      return promptOf({ database, project_id }, _id)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/assistants/:id/blocks',
    operation: 'list_blocks_of_assistant',
    summary: 'List the blocks of an assistant in the order of its prompt',
    status: 200,
    query: v.strictObject(paging),
    response: listOf(attachedBlock),
    errors: ['NOT_FOUND'],
    async read({ params, query: page }, { database }) {
      const all = await attachedTo(database, params.id)
      return { ...pageAmong(all, page), total: all.length }
    },
  }),
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/assistants/:id/blocks',
    operation: 'attach_block_to_assistant',
    example: { body: { block_id: exampleIds.block } },
    summary: 'Attach a block of the same project to an assistant, or move one that is attached',
    status: 201,
    body: attachment,
    response: attachedBlock,
    errors: [
      'NOT_FOUND',
      'BLOCK_NOT_FOUND',
      'ASSISTANT_DUPLICATE_IDENTITY_BLOCK',
      'BLOCK_LIMIT_REACHED',
      'ASSISTANTS_UPSTREAM_ERROR',
    ],
    async change({ params, body }, context) {
      const owner = await findRecord(context.database, Assistant, params.id)
      const change = { type: 'attach_block' as const, id: owner._id, ...body }
      return (await changeAsOperator<{ block: AttachedBlockRecord }>(hooks, context, owner, change)).block
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/assistants/:id/blocks/:block_id',
    operation: 'detach_block_from_assistant',
    summary: 'Take a block off an assistant; it stays in the catalogue',
    status: 204,
    errors: ['NOT_FOUND', 'ASSISTANTS_UPSTREAM_ERROR'],
    async change({ params }, context) {
      const owner = await findRecord(context.database, Assistant, params.id)
      const block_id = params.block_id.toLowerCase()
      await changeAsOperator(hooks, context, owner, { type: 'detach_block', id: owner._id, block_id })
    },
  }),
]

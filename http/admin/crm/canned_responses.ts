/** Texts that all agents of a project insert by a shortcut. Those of single agents are theirs alone. */
import * as v from 'valibot'
import { cannedResponseFields, exampleIds, operatorCannedResponse, valuesOf } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { CannedResponse, type Database } from '../../../storage/mod.ts'
import { listRecords } from '../../server/list_records.ts'
import { search } from '../../server/schema/fields.ts'
import { objectId, recordList, recordsOf } from '../fields.ts'
import { operate } from '../operate.ts'
import { operatorRoute } from '../operator_route.ts'
import { findRecord } from '../records.ts'

const { shortcut, content, title } = cannedResponseFields.entries

function show(row: CannedResponse) {
  return valuesOf(operatorCannedResponse, row)
}

/** @throws {Refusal} NOT_FOUND, also for one of a single agent */
async function shared(database: Database, id: string | undefined): Promise<CannedResponse> {
  const row = await findRecord(database, CannedResponse, id)
  if (row.owner_id != null) throw new Refusal('NOT_FOUND')
  return row
}

export const cannedResponseRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/canned-responses',
    operation: 'create_shared_canned_response',
    example: {
      body: { project_id: exampleIds.project, shortcut: 'thanks', content: 'Thank you, {{contact.first_name}}!' },
    },
    summary: 'Create a canned response for all agents of a project',
    status: 201,
    body: v.strictObject({ project_id: objectId, shortcut, content, title: v.optional(title, null) }),
    response: operatorCannedResponse,
    errors: ['PROJECT_NOT_FOUND', 'SHORTCUT_ALREADY_EXISTS', 'CANNED_RESPONSE_LIMIT_REACHED'],
    async change({ body: { project_id, ...input } }, context) {
      const fields = { ...input, is_shared: true }
      const { body } = await operate(context, project_id, {
        type: 'create_canned_response',
        user_id: null,
        fields,
      })
      return show(await shared(context.database, body._id))
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/canned-responses',
    operation: 'list_shared_canned_responses',
    summary: 'List canned responses that agents share, newest first',
    status: 200,
    query: recordList({ project_id: v.optional(objectId), search }),
    response: recordsOf(operatorCannedResponse),
    read: ({ query: { limit, offset, cursor, ...filter } }, { database }) =>
      listRecords(database, CannedResponse, { ...filter, owner_id: null }, { limit, offset, cursor }, show),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/canned-responses/:id',
    operation: 'get_shared_canned_response',
    summary: 'Get a canned response that agents share',
    status: 200,
    response: operatorCannedResponse,
    errors: ['NOT_FOUND'],
    read: async ({ params }, { database }) => show(await shared(database, params.id)),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/canned-responses/:id',
    operation: 'update_shared_canned_response',
    example: { body: { title: 'Thanks' } },
    summary: 'Change the given fields of a canned response; agents see it at once',
    status: 200,
    body: v.partial(cannedResponseFields),
    response: operatorCannedResponse,
    errors: ['NOT_FOUND', 'SHORTCUT_ALREADY_EXISTS'],
    async change({ params, body: patch }, context) {
      const { project_id, _id: id } = await shared(context.database, params.id)
      await operate(context, project_id, { type: 'update_canned_response', id, user_id: null, patch })
      return show(await shared(context.database, id))
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/canned-responses/:id',
    operation: 'delete_shared_canned_response',
    summary: 'Delete a canned response that agents share',
    status: 204,
    errors: ['NOT_FOUND'],
    async change({ params }, context) {
      const { project_id, _id: id } = await shared(context.database, params.id)
      await operate(context, project_id, { type: 'delete_canned_response', id, user_id: null })
    },
  }),
]

/** Canned responses: texts that agents insert by a shortcut. */
import * as v from 'valibot'
import { cannedResponseFields, cannedResponseRecord, plainIdPattern, toCannedResponseRecord } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import { cannedCursor, findCannedResponse, listCannedResponses } from '../../storage/mod.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { flagQuery, limit, pageOf, search } from '../server/schema/fields.ts'

const LIST = '/console/projects/:project_id/canned_responses'
const common = { auth: 'agent', pool: 'exempt' } as const
const one = { path: `${LIST}/:id`, params: { id: plainIdPattern } } as const

const { shortcut, content, title } = cannedResponseFields.entries

export const cannedResponseRoutes: Route[] = [
  route({
    ...common,
    method: 'GET',
    path: LIST,
    operation: 'list_canned_responses',
    summary: 'List the shared canned responses and those of the agent',
    query: v.strictObject({
      search,
      is_shared: v.optional(flagQuery),
      limit,
      cursor: v.optional(v.pipe(v.string(), v.regex(cannedCursor, 'must be the next_cursor of a page'))),
    }),
    status: 200,
    response: pageOf(cannedResponseRecord),
    errors: ['NOT_FOUND'],
    async read({ query: { limit, cursor, ...filter } }, { database, project_id, user_id }) {
      const page = await listCannedResponses(database, { project_id, user_id }, filter, { limit, cursor })
      return { ...page, data: page.data.map(toCannedResponseRecord) }
    },
  }),
  route({
    ...common,
    ...one,
    method: 'GET',
    operation: 'get_canned_response',
    summary: 'Get a canned response',
    status: 200,
    response: cannedResponseRecord,
    errors: ['NOT_FOUND'],
    async read({ params }, { database, project_id, user_id }) {
      const found = await findCannedResponse(database, { project_id, user_id }, params.id)
      if (!found) throw new Refusal('NOT_FOUND')
      return toCannedResponseRecord(found)
    },
  }),
  route({
    ...common,
    method: 'POST',
    path: LIST,
    operation: 'create_canned_response',
    summary: 'Create a canned response, for the agent alone or for all agents of the project',
    body: v.strictObject({
      shortcut,
      content,
      title: v.optional(title, null),
      is_shared: v.optional(v.boolean(), false),
    }),
    status: 201,
    response: cannedResponseRecord,
    errors: ['NOT_FOUND', 'SHORTCUT_ALREADY_EXISTS', 'CANNED_RESPONSE_LIMIT_REACHED'],
    command: ({ body }, { user_id }) => ({ type: 'create_canned_response', user_id, fields: body }),
  }),
  route({
    ...common,
    ...one,
    method: 'PATCH',
    operation: 'update_canned_response',
    summary: "Change the given fields; one that is no longer shared becomes the agent's own",
    body: v.partial(v.strictObject({ ...cannedResponseFields.entries, is_shared: v.boolean() })),
    status: 200,
    response: cannedResponseRecord,
    errors: ['NOT_FOUND', 'SHORTCUT_ALREADY_EXISTS', 'CANNED_RESPONSE_LIMIT_REACHED'],
    command: ({ params, body }, { user_id }) => ({
      type: 'update_canned_response',
      id: params.id,
      user_id,
      patch: body,
    }),
  }),
  route({
    ...common,
    ...one,
    method: 'DELETE',
    operation: 'delete_canned_response',
    summary: 'Delete a canned response',
    status: 204,
    errors: ['NOT_FOUND'],
    command: ({ params }, { user_id }) => ({ type: 'delete_canned_response', id: params.id, user_id }),
  }),
]

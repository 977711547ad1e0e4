/** Saved views of the inbox: filters with a name. */
import * as v from 'valibot'
import {
  LAST_POSITION,
  line,
  plainIdPattern,
  recordId,
  savedViewRecord,
  toSavedViewRecord,
} from '../../../actors/mod.ts'
import { countSavedViews, listSavedViews, MAX_VIEW_TICKETS } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { inboxFilter } from './list.ts'

const LIST = '/console/projects/:project_id/inbox/views'
const common = { auth: 'agent', pool: 'exempt' } as const
const one = { path: `${LIST}/:id`, params: { id: plainIdPattern } } as const

const name = line(60)
const position = v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(LAST_POSITION))

const filter = v.strictObject({
  ...inboxFilter,
  sort: v.optional(v.picklist(['last_activity', 'waiting'])),
})

const count = v.pipe(v.nullable(v.number()), v.description(`${MAX_VIEW_TICKETS} stands for that many or more`))

export const viewRoutes: Route[] = [
  route({
    ...common,
    method: 'GET',
    path: LIST,
    operation: 'list_views',
    summary: 'List the shared views and those of the agent, in their order',
    status: 200,
    response: v.object({ data: v.array(savedViewRecord) }),
    errors: ['NOT_FOUND'],
    async read(_, { database, project_id, user_id }) {
      const views = await listSavedViews(database, { project_id, user_id })
      return { data: views.map(toSavedViewRecord) }
    },
  }),
  route({
    ...common,
    method: 'GET',
    path: `${LIST}/counts`,
    operation: 'count_views',
    summary: 'Count the tickets of the views, and those with messages that the agent has not read',
    status: 200,
    response: v.object({ data: v.array(v.object({ _id: recordId, tickets: count, unread: count })) }),
    errors: ['NOT_FOUND'],
    read: async (_, { database, project_id, user_id }) => ({
      data: await countSavedViews(database, { project_id, user_id }),
    }),
  }),
  route({
    ...common,
    method: 'POST',
    path: LIST,
    operation: 'create_view',
    summary: 'Save a filter of the inbox, for the agent alone or for all agents of the project',
    body: v.strictObject({
      name,
      filter,
      is_shared: v.optional(v.boolean(), false),
      position: v.optional(position),
    }),
    status: 201,
    response: savedViewRecord,
    errors: ['NOT_FOUND', 'VIEW_LIMIT_REACHED'],
    command: ({ body }, { user_id }) => ({ type: 'create_view', user_id, fields: body }),
  }),
  route({
    ...common,
    ...one,
    method: 'PATCH',
    operation: 'update_view',
    summary: "Change the given fields; a view that is no longer shared becomes the agent's own",
    body: v.strictObject({
      name: v.optional(name),
      filter: v.optional(filter),
      is_shared: v.optional(v.boolean()),
      position: v.optional(position),
    }),
    status: 200,
    response: savedViewRecord,
    errors: ['NOT_FOUND', 'VIEW_LIMIT_REACHED'],
    command: ({ params, body }, { user_id }) => ({ type: 'update_view', id: params.id, user_id, patch: body }),
  }),
  route({
    ...common,
    ...one,
    method: 'DELETE',
    operation: 'delete_view',
    summary: 'Delete a saved view',
    status: 204,
    errors: ['NOT_FOUND'],
    command: ({ params }, { user_id }) => ({ type: 'delete_view', id: params.id, user_id }),
  }),
]

/** The token's identity, and its revocation by itself. No scope is needed. */
import * as v from 'valibot'
import { recordId, timestamp } from '../../../actors/mod.ts'
import { listProjects } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { offset, pageAmong, uncountedPageOf, wholeLimit } from '../../server/schema/fields.ts'

export const meRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/me',
    operation: 'get_me',
    summary: 'Get the user, project, company and scopes of the token',
    auth: 'token',
    status: 200,
    response: v.object({
      token: v.object({ id: recordId, name: v.string(), prefix: v.string(), expires_at: v.nullable(timestamp) }),
      company: v.object({ id: recordId, name: v.string() }),
      project: v.object({ id: recordId, name: v.string() }),
      user: v.object({ id: recordId, full_name: v.string(), email: v.string() }),
      scopes: v.array(v.string()),
    }),
    // Answered by the project's actor and not from a cache of this node: names and scopes can change at any time, and
    // only the actor is told. The actor keeps the finished text beside the token and drops it with the change. The
    // answer is as fresh as the admission, and costs no query.
    command: () => readIdentity,
  }),
  route({
    method: 'GET',
    path: '/v1/me/projects',
    operation: 'list_my_projects',
    summary: "List the projects of the token's company, in the order of their creation",
    auth: 'token',
    query: v.strictObject({ limit: wholeLimit, offset }),
    status: 200,
    response: uncountedPageOf(v.object({ id: recordId, name: v.string(), is_current: v.boolean() })),
    read: async ({ query: page }, { database, company_id, project_id }) =>
      pageAmong(await listProjects(database, company_id, project_id), page),
  }),
  route({
    method: 'DELETE',
    path: '/v1/me/token',
    operation: 'revoke_my_token',
    audited: true,
    summary: 'Revoke the token of this request; every later request with it gets 401',
    auth: 'token',
    status: 204,
    command: () => ({ type: 'revoke_token' }),
  }),
]

const readIdentity = { type: 'read_identity' } as const

/** Who the token is, and the one thing it may do to itself. No scope is needed. */
import * as v from 'valibot'
import { listProjects } from '../../storage/mod.ts'
import type { Route } from '../server/route.ts'
import { recordId, timestamp } from '../server/schema/fields.ts'

export const meRoutes: Route[] = [
  {
    method: 'GET',
    path: '/v1/me',
    operation: 'get_me',
    summary: 'What the token may do, and for whom',
    auth: 'token',
    status: 200,
    response: v.object({
      token: v.object({ id: recordId, name: v.string(), prefix: v.string(), expires_at: v.nullable(timestamp) }),
      company: v.object({ id: recordId, name: v.string() }),
      project: v.object({ id: recordId, name: v.string() }),
      user: v.object({ id: recordId, full_name: v.string(), email: v.string() }),
      scopes: v.array(v.string()),
    }),
    // Not a cache of this node: names and scopes can change at any time, and only the project's actor is told of it. It
    // keeps the finished text beside the token it admits, and drops it with the change; so the answer is as fresh as
    // the admission it comes with, and costs no query.
    command: () => readIdentity,
  },
  {
    method: 'GET',
    path: '/v1/me/projects',
    operation: 'list_my_projects',
    summary: "The projects of the token's company",
    auth: 'token',
    status: 200,
    response: v.object({ data: v.array(v.object({ id: recordId, name: v.string(), is_current: v.boolean() })) }),
    read: async (_, { database, company_id, project_id }) => ({
      data: await listProjects(database, company_id, project_id),
    }),
  },
  {
    method: 'DELETE',
    path: '/v1/me/token',
    operation: 'revoke_my_token',
    summary: 'Revoke the token this request is made with; every later one with it gets 401',
    auth: 'token',
    status: 204,
    command: () => ({ type: 'revoke_token' }),
  },
]

const readIdentity = { type: 'read_identity' } as const

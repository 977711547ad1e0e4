import * as v from 'valibot'
import { exampleIds } from '../../actors/mod.ts'
import { changeProject, Project, type ProjectLimits, removeProject, storeProject } from '../../storage/mod.ts'
import { listRecords } from '../server/list_records.ts'
import { search } from '../server/schema/fields.ts'
import { named } from '../server/schema/named.ts'
import { name, objectId, recordList, recordsOf, timestamp } from './fields.ts'
import { once } from './once.ts'
import { operatorRoute } from './operator_route.ts'
import { explained, findRecord } from './records.ts'
import { refreshProject } from './refresh.ts'

const budget = v.optional(
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
    v.maxValue(1_000_000_000, 'must be at most 1000000000'),
  ),
)
const limits = v.strictObject({ minute: budget, hour: budget, day: budget, ingest_minute: budget })

const record = named(
  'Project',
  v.object({
    _id: objectId,
    company_id: objectId,
    name: v.string(),
    limits: v.object({ minute: v.number(), hour: v.number(), day: v.number(), ingest_minute: v.number() }),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

function show(project: Project) {
  const { _id, company_id, created_at, updated_at } = project
  const { minute, hour, day, ingest_minute } = project.limits
  return { _id, company_id, name: project.name, limits: { minute, hour, day, ingest_minute }, created_at, updated_at }
}

/** `default_limits`: limits of a project that names none (`PARLEY_LIMIT_*`). */
export const projectRoutes = (default_limits: ProjectLimits) => [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/projects',
    operation: 'create_project',
    example: {
      body: {
        company_id: exampleIds.company,
        name: 'Support',
        limits: { minute: 120, hour: 2000, day: 20_000, ingest_minute: 6000 },
      },
    },
    summary: 'Create a project in a company; limits not given take their defaults',
    status: 201,
    body: v.strictObject({ company_id: objectId, name, limits: v.optional(limits, {}) }),
    response: record,
    errors: ['COMPANY_NOT_FOUND'],
    async change({ body: { company_id, name, limits } }, context) {
      const given = { company_id, name, limits: { ...default_limits, ...limits } }
      return show(await explained(once(context, (database) => storeProject(database, given), show)))
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/projects',
    operation: 'list_projects_of_companies',
    summary: 'List projects, newest first',
    status: 200,
    query: recordList({ company_id: v.optional(objectId), search }),
    response: recordsOf(record),
    read: ({ query: { limit, offset, cursor, ...filter } }, { database }) =>
      listRecords(database, Project, filter, { limit, offset, cursor }, show),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/projects/:id',
    operation: 'get_project',
    summary: 'Get a project',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    read: async ({ params }, { database }) => show(await findRecord(database, Project, params.id)),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/projects/:id',
    operation: 'update_project',
    example: { body: { name: 'Customer support' } },
    summary: 'Rename a project or change some of its limits; new limits apply from the next request on',
    status: 200,
    body: v.strictObject({ name: v.optional(name), limits: v.optional(limits) }),
    response: record,
    errors: ['NOT_FOUND'],
    async change({ params, body }, context) {
      const project = await explained(changeProject(context.database, params.id, body))
      await refreshProject(context, project._id, 'limits', project._id)
      return show(project)
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/projects/:id',
    operation: 'delete_project',
    summary: 'Delete a project without tokens, channels, subscriptions and records',
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE'],
    async change({ params }, { database }) {
      const { _id } = await findRecord(database, Project, params.id)
      await explained(removeProject(database, _id))
    },
  }),
]

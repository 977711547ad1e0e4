import * as v from 'valibot'
import { exampleIds, named, newOfficeHours, officeHoursRecord } from '../../actors/mod.ts'
import { changeProject, Project, type ProjectLimits, removeProject, storeProject } from '../../storage/mod.ts'
import { search } from '../server/schema/fields.ts'
import { name, objectId, timestamp } from './fields.ts'
import { refreshProject } from './refresh.ts'
import { resource } from './resource.ts'

const budget = v.optional(
  v.pipe(
    v.number('must be a number'),
    v.integer('must be a whole number'),
    v.minValue(1, 'must be at least 1'),
    v.maxValue(1_000_000_000, 'must be at most 1000000000'),
  ),
)
const limits = v.strictObject({ minute: budget, hour: budget, day: budget, ingest_minute: budget })

const hours = v.optional(v.nullable(newOfficeHours))

const record = named(
  'Project',
  v.object({
    _id: objectId,
    company_id: objectId,
    name: v.string(),
    limits: v.object({ minute: v.number(), hour: v.number(), day: v.number(), ingest_minute: v.number() }),
    office_hours: v.pipe(v.nullable(officeHoursRecord), v.description('When people answer; null: always')),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

function show(project: Project) {
  const { _id, company_id, office_hours = null, created_at, updated_at } = project
  const { minute, hour, day, ingest_minute } = project.limits
  const limits = { minute, hour, day, ingest_minute }
  return { _id, company_id, name: project.name, limits, office_hours, created_at, updated_at }
}

/** `default_limits`: limits of a project that names none (`PARLEY_LIMIT_*`). */
export const projectRoutes = (default_limits: ProjectLimits) =>
  resource({
    path: '/admin/v1/projects',
    entity: Project,
    record,
    show,
    create: {
      operation: 'create_project',
      summary: 'Create a project in a company; limits not given take their defaults',
      example: {
        body: {
          company_id: exampleIds.company,
          name: 'Support',
          limits: { minute: 120, hour: 2000, day: 20_000, ingest_minute: 6000 },
        },
      },
      body: v.strictObject({ company_id: objectId, name, limits: v.optional(limits, {}), office_hours: hours }),
      errors: ['COMPANY_NOT_FOUND'],
      store: (database, { limits, ...given }) =>
        storeProject(database, { ...given, limits: { ...default_limits, ...limits } }),
    },
    list: {
      operation: 'list_projects_of_companies',
      summary: 'List projects, newest first',
      filter: { company_id: v.optional(objectId), search },
    },
    get: { operation: 'get_project', summary: 'Get a project' },
    update: {
      operation: 'update_project',
      summary:
        'Rename a project, change some of its limits or its office hours; new limits apply from the next request on',
      example: { body: { name: 'Customer support' } },
      fields: { name: v.optional(name), limits: v.optional(limits), office_hours: hours },
      change: changeProject,
      refresh: (context, { _id }) => refreshProject(context, _id, 'limits', _id),
    },
    delete: {
      operation: 'delete_project',
      summary: 'Delete a project without tokens, channels, subscriptions and records',
      errors: ['IN_USE'],
      remove: removeProject,
    },
  })

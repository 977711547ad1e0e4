/** Labels for the tickets of a project. */
import * as v from 'valibot'
import { exampleIds } from '../../../actors/mod.ts'
import { changeTag, removeTag, storeTag, Tag } from '../../../storage/mod.ts'
import { listRecords } from '../../server/list_records.ts'
import { search } from '../../server/schema/fields.ts'
import { named } from '../../server/schema/named.ts'
import { name, objectId, recordList, recordsOf, timestamp } from '../fields.ts'
import { once } from '../once.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained, findRecord } from '../records.ts'
import { refreshProject } from '../refresh.ts'

const color = v.nullable(
  v.pipe(
    v.string('must be a string, or null for none'),
    v.regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #1f883d'),
    v.toLowerCase(),
  ),
)

const record = named(
  'Tag',
  v.object({
    _id: objectId,
    company_id: objectId,
    project_id: objectId,
    name: v.string(),
    color: v.nullable(v.string()),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

function show({ _id, company_id, project_id, name, color, created_at, updated_at }: Tag) {
  return { _id, company_id, project_id, name, color: color ?? null, created_at, updated_at }
}

export const tagRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/tags',
    operation: 'create_tag',
    example: { body: { project_id: exampleIds.project, name: 'urgent', color: '#cc0000' } },
    summary: 'Create a tag of a project; names are compared without case',
    status: 201,
    body: v.strictObject({ project_id: objectId, name, color: v.optional(color, null) }),
    response: record,
    errors: ['PROJECT_NOT_FOUND', 'TAG_ALREADY_EXISTS'],
    async change({ body }, context) {
      const tag = await explained(once(context, (database) => storeTag(database, body), show))
      await refreshProject(context, tag.project_id, 'crm', tag.project_id)
      return show(tag)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/tags',
    operation: 'list_tags',
    summary: 'List tags, newest first',
    status: 200,
    query: recordList({ project_id: v.optional(objectId), search }),
    response: recordsOf(record),
    read: ({ query: { limit, offset, cursor, ...filter } }, { database }) =>
      listRecords(database, Tag, filter, { limit, offset, cursor }, show),
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/tags/:id',
    operation: 'get_tag',
    summary: 'Get a tag',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    read: async ({ params }, { database }) => show(await findRecord(database, Tag, params.id)),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/tags/:id',
    operation: 'update_tag',
    example: { body: { color: '#990000' } },
    summary: 'Change the name or the colour of a tag; tickets show it at once',
    status: 200,
    body: v.strictObject({ name: v.optional(name), color: v.optional(color) }),
    response: record,
    errors: ['NOT_FOUND', 'TAG_ALREADY_EXISTS'],
    async change({ params, body }, context) {
      const tag = await explained(changeTag(context.database, params.id, body))
      await refreshProject(context, tag.project_id, 'crm', tag.project_id)
      return show(tag)
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/tags/:id',
    operation: 'delete_tag',
    summary: 'Delete a tag that no rule of a stage adds; tickets no longer show it',
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE'],
    async change({ params }, context) {
      const { project_id } = await explained(removeTag(context.database, params.id))
      await refreshProject(context, project_id, 'crm', project_id)
    },
  }),
]

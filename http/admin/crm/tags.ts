/** Labels for the tickets of a project. */
import * as v from 'valibot'
import { exampleIds, operatorTag } from '../../../actors/mod.ts'
import { changeTag, removeTag, storeTag, Tag } from '../../../storage/mod.ts'
import { search } from '../../server/schema/fields.ts'
import { name, objectId } from '../fields.ts'
import { refreshProject } from '../operations/refresh.ts'
import { resource } from '../resource.ts'

const color = v.nullable(
  v.pipe(
    v.string('must be a string, or null for none'),
    v.regex(/^#[0-9a-f]{6}$/i, 'must be a colour such as #1f883d'),
    v.toLowerCase(),
  ),
)

export const tagRoutes = resource({
  path: '/admin/v1/tags',
  entity: Tag,
  record: operatorTag,
  refresh: (context, { project_id }) => refreshProject(context, project_id, 'crm', project_id),
  create: {
    operation: 'create_tag',
    summary: 'Create a tag of a project; names are compared without case',
    example: { body: { project_id: exampleIds.project, name: 'urgent', color: '#cc0000' } },
    body: v.strictObject({ project_id: objectId, name, color: v.optional(color, null) }),
    errors: ['PROJECT_NOT_FOUND', 'TAG_ALREADY_EXISTS'],
    store: storeTag,
  },
  list: {
    operation: 'list_tags',
    summary: 'List tags, newest first',
    filter: { project_id: v.optional(objectId), search },
  },
  get: { operation: 'get_tag', summary: 'Get a tag' },
  update: {
    operation: 'update_tag',
    summary: 'Change the name or the colour of a tag; tickets show it at once',
    example: { body: { color: '#990000' } },
    fields: { name: v.optional(name), color: v.optional(color) },
    errors: ['TAG_ALREADY_EXISTS'],
    change: changeTag,
  },
  delete: {
    operation: 'delete_tag',
    summary: 'Delete a tag that no rule of a stage adds; tickets no longer show it',
    errors: ['IN_USE'],
    remove: removeTag,
  },
})

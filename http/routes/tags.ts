/** The tags of a project, which operators set up. */
import * as v from 'valibot'
import { listRecords, Tag } from '../../storage/mod.ts'
import type { Route } from '../server/route.ts'
import { countedPage, countedPageOf, limit, offset, recordId, search, timestamp } from '../server/schema/fields.ts'
import { named } from '../server/schema/named.ts'

const tag = named(
  'ProjectTag',
  v.object({
    _id: recordId,
    name: v.string(),
    color: v.nullable(v.string()),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

export const tagRoutes: Route[] = [
  {
    method: 'GET',
    path: '/v1/crm/tags',
    operation: 'list_tags',
    summary: 'List the tags that tickets may have, newest first',
    auth: 'token',
    scope: 'crm:tickets:read',
    query: v.strictObject({ search, limit, offset }),
    status: 200,
    response: countedPageOf(tag),
    async read({ query: { limit, offset, ...filter } }, { database, project_id }) {
      const { rows, total } = await listRecords(database, Tag, { ...filter, project_id }, { limit, offset })
      const data = rows.map(({ _id, name, color, created_at, updated_at }) => {
        return { _id, name, color: color ?? null, created_at, updated_at }
      })
      return countedPage(data, total, { limit, offset })
    },
  },
]

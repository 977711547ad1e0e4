/** The tags of a project, which operators set up. */

import * as v from 'valibot'
import { tagRecord, toTagRecord } from '../../actors/mod.ts'
import { Tag } from '../../storage/mod.ts'
import { listRecords } from '../server/list_records.ts'
import type { Route } from '../server/route/route.ts'
import { route } from '../server/route/typed_route.ts'
import { beginOnce, followedPageOf, limit, offset, recordCursor, search } from '../server/schema/fields.ts'

export const tagRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/crm/tags',
    operation: 'list_tags',
    summary: 'List the tags that tickets may have, newest first',
    auth: 'token',
    scope: 'crm:tickets:read',
    query: v.pipe(v.strictObject({ search, limit, offset, cursor: recordCursor }), beginOnce()),
    status: 200,
    response: followedPageOf(tagRecord),
    read: ({ query: { limit, offset, cursor, ...filter } }, { database, project_id }) =>
      listRecords(database, Tag, { ...filter, project_id }, { limit, offset, cursor }, toTagRecord),
  }),
]

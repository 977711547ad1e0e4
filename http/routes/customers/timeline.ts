/** The timeline of a ticket. */
import * as v from 'valibot'
import { plainIdPattern, timelineItem, toTimelineItem } from '../../../actors/mod.ts'
import { Refusal } from '../../../runtime/mod.ts'
import { listTimeline, timelineCursor } from '../../../storage/mod.ts'
import { pageOfRecords } from '../../server/route/page_of_records.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { limit, pageOf } from '../../server/schema/fields.ts'

export const timelineQuery = v.strictObject({
  kind: v.optional(timelineItem.entries.kind),
  limit,
  cursor: v.optional(v.pipe(v.string(), v.regex(timelineCursor, 'must be the next_cursor of a page'), v.toLowerCase())),
})

export const timelineRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/crm/tickets/:id/timeline',
    operation: 'list_ticket_timeline',
    summary: 'List the notes, events and messages of a ticket in one order, newest first',
    auth: 'token',
    scope: 'crm:tickets:read',
    params: { id: plainIdPattern },
    query: timelineQuery,
    status: 200,
    response: pageOf(timelineItem),
    errors: ['NOT_FOUND'],
    async read({ params, query }, { database, project_id }) {
      const page = await listTimeline(database, project_id, params.id, query)
      if (!page) throw new Refusal('NOT_FOUND')
      return pageOfRecords(page, (item) => toTimelineItem(item))
    },
  }),
]

/** The pipelines of a project, which operators set up. */
import * as v from 'valibot'
import { listRecords, listStages, Pipeline } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { beginOnce, followedPageOf, limit, offset, recordCursor } from '../../server/schema/fields.ts'
import { publicPipeline, showPipeline } from './pipeline_fields.ts'

export const pipelineRoutes: Route[] = [
  route({
    method: 'GET',
    path: '/v1/crm/pipelines',
    operation: 'list_pipelines',
    summary: 'List the pipelines with their stages in order, newest pipeline first',
    auth: 'token',
    scope: 'crm:tickets:read',
    query: v.pipe(v.strictObject({ limit, offset, cursor: recordCursor }), beginOnce()),
    status: 200,
    response: followedPageOf(publicPipeline),
    async read({ query: { limit, offset, cursor } }, { database, project_id }) {
      const { data: rows, ...found } = await listRecords(database, Pipeline, { project_id }, { limit, offset, cursor })
      const ids = rows.map(({ _id }) => _id)
      const stages = await listStages(database, ids)
      const data = rows.map((row) => showPipeline(row, stages.get(row._id)))
      return { ...found, data, limit, offset }
    },
  }),
]

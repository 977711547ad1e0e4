/** The pipelines of a project, which operators set up. */
import * as v from 'valibot'
import { named, recordId, timestamp } from '../../../actors/mod.ts'
import { listRecords, listStages, Pipeline } from '../../../storage/mod.ts'
import type { Route } from '../../server/route/route.ts'
import { route } from '../../server/route/typed_route.ts'
import { beginOnce, followedPageOf, limit, offset, recordCursor } from '../../server/schema/fields.ts'
import { publicStage, showStage } from './stage_fields.ts'

const pipeline = named(
  'ProjectPipeline',
  v.object({
    _id: recordId,
    name: v.string(),
    is_default: v.pipe(v.boolean(), v.description('New tickets start in the first stage of this one')),
    stages: v.array(publicStage),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)

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
    response: followedPageOf(pipeline),
    async read({ query: { limit, offset, cursor } }, { database, project_id }) {
      const { data: rows, ...found } = await listRecords(database, Pipeline, { project_id }, { limit, offset, cursor })
      const ids = rows.map(({ _id }) => _id)
      const stages = await listStages(database, ids)
      const data = rows.map(({ _id, name, is_default, created_at, updated_at }) => {
        return { _id, name, is_default, stages: (stages.get(_id) ?? []).map(showStage), created_at, updated_at }
      })
      return { ...found, data, limit, offset }
    },
  }),
]

/** Pipelines: the stages of a project's tickets. New tickets start in the first stage of the default pipeline. */
import * as v from 'valibot'
import { exampleIds, named } from '../../../actors/mod.ts'
import {
  changePipeline,
  type Database,
  listStages,
  Pipeline,
  type PipelineStage,
  removePipeline,
  storePipeline,
} from '../../../storage/mod.ts'
import { publicPipeline, showPipeline } from '../../routes/tickets/pipeline_fields.ts'
import { listRecords } from '../../server/list_records.ts'
import { search } from '../../server/schema/fields.ts'
import { flag, name, objectId, recordList, recordsOf } from '../fields.ts'
import { once } from '../once.ts'
import { refreshProject } from '../operations/refresh.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained, findRecord } from '../records.ts'
import { mustFit } from './stage_rules.ts'
import { keptStages, newStages } from './stage_schemas.ts'

const record = named(
  'Pipeline',
  v.object({ ...publicPipeline.entries, company_id: objectId, project_id: objectId, is_default: flag }),
)

function show(pipeline: Pipeline, stages?: PipelineStage[]) {
  const { company_id, project_id } = pipeline
  return { ...showPipeline(pipeline, stages), company_id, project_id }
}

const rulesMustFit = mustFit((at) => `stages.${at}.rules`)

export const pipelineRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/pipelines',
    operation: 'create_pipeline',
    example: {
      body: { project_id: exampleIds.project, name: 'Returns', stages: [{ name: 'New' }, { name: 'Paid back' }] },
    },
    summary: 'Create a pipeline with its stages; a new default pipeline replaces the former one as default',
    status: 201,
    body: v.strictObject({ project_id: objectId, name, is_default: v.optional(flag, false), stages: newStages }),
    response: record,
    errors: ['PROJECT_NOT_FOUND', 'ASSIGNEE_NOT_FOUND', 'TAG_NOT_FOUND'],
    async change({ body }, context) {
      const store = (database: Database) => storePipeline(database, body, rulesMustFit)
      const { pipeline, stages } = await explained(once(context, store, (row) => show(row.pipeline, row.stages)))
      await refreshProject(context, pipeline.project_id, 'crm', pipeline.project_id)
      return show(pipeline, stages)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/pipelines',
    operation: 'list_pipelines',
    summary: 'List pipelines with their stages, newest first',
    status: 200,
    query: recordList({ project_id: v.optional(objectId), search }),
    response: recordsOf(record),
    async read({ query: { limit, offset, cursor, ...filter } }, { database }) {
      const list = await listRecords(database, Pipeline, filter, { limit, offset, cursor }, (pipeline) => pipeline)
      const ids = list.data.map(({ _id }) => _id)
      const stages = await listStages(database, ids)
      return { ...list, data: list.data.map((pipeline) => show(pipeline, stages.get(pipeline._id))) }
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/pipelines/:id',
    operation: 'get_pipeline',
    summary: 'Get a pipeline with its stages',
    status: 200,
    response: record,
    errors: ['NOT_FOUND'],
    async read({ params }, { database }) {
      const pipeline = await findRecord(database, Pipeline, params.id)
      const stages = await listStages(database, [pipeline._id])
      return show(pipeline, stages.get(pipeline._id))
    },
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/pipelines/:id',
    operation: 'update_pipeline',
    example: { body: { name: 'Returns and refunds' } },
    summary:
      'Change a pipeline; stages with _id are kept and changed, those without are new, those left out are deleted',
    status: 200,
    body: v.strictObject({
      name: v.optional(name),
      is_default: v.optional(flag),
      stages: v.optional(keptStages),
    }),
    response: record,
    errors: ['NOT_FOUND', 'PIPELINE_IS_DEFAULT', 'IN_USE', 'STAGE_NOT_FOUND', 'ASSIGNEE_NOT_FOUND', 'TAG_NOT_FOUND'],
    async change({ params, body }, context) {
      const { pipeline, stages } = await explained(changePipeline(context.database, params.id, body, rulesMustFit))
      await refreshProject(context, pipeline.project_id, 'crm', pipeline.project_id)
      return show(pipeline, stages)
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/pipelines/:id',
    operation: 'delete_pipeline',
    summary:
      'Delete a pipeline that is not the default and has no open tickets; closed ones keep the id of their stage',
    status: 204,
    errors: ['NOT_FOUND', 'PIPELINE_IS_DEFAULT', 'IN_USE'],
    async change({ params }, context) {
      const { project_id } = await explained(removePipeline(context.database, params.id))
      await refreshProject(context, project_id, 'crm', project_id)
    },
  }),
]

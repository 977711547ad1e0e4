/** What the tickets of a project go through. Tickets are opened in the first stage of its default pipeline. */
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import * as v from 'valibot'
import { Refusal } from '../../../runtime/mod.ts'
import { newDate, objectId as newId, Pipeline, PipelineStage, readRows } from '../../../storage/mod.ts'
import { flag, listOf, name, objectId, paging, timestamp } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'
import { arranged, findRecord, listRecords, referencedProject } from '../records.ts'
import { removeStages, setStages, settle, stagesOf } from './pipeline_stages.ts'
import { keptStages, newStages, shownStage, showStage } from './stage_schemas.ts'

const record = v.object({
  _id: objectId,
  company_id: objectId,
  project_id: objectId,
  name: v.string(),
  is_default: flag,
  stages: v.array(shownStage),
  created_at: timestamp,
  updated_at: timestamp,
})

function show(pipeline: Pipeline, stages: PipelineStage[]) {
  const { _id, company_id, project_id, name, is_default, created_at, updated_at } = pipeline
  return { _id, company_id, project_id, name, is_default, stages: stages.map(showStage), created_at, updated_at }
}

/** Takes the rank from the one that has it; a unique index lets a project have one only. */
async function takeDefault(em: SqlEntityManager, project_id: string): Promise<void> {
  await em.nativeUpdate(Pipeline, { project_id, is_default: true }, { is_default: false, updated_at: newDate() })
}

export const pipelineRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/pipelines',
    operation: 'create_pipeline',
    summary: 'Create a pipeline with its stages; one that becomes the default takes that from the other',
    status: 201,
    body: v.strictObject({ project_id: objectId, name, is_default: v.optional(flag, false), stages: newStages }),
    response: record,
    errors: ['PROJECT_NOT_FOUND', 'ASSIGNEE_NOT_FOUND', 'TAG_NOT_FOUND'],
    async change({ body: { project_id, name, is_default, stages: given } }, context) {
      const { company_id } = await referencedProject(context.database, project_id)
      const now = newDate()
      const { pipeline, stages } = await arranged(context.database, company_id, async (em) => {
        if (is_default) await takeDefault(em, project_id)
        const own = { _id: newId(), company_id, project_id, name, is_default, created_at: now, updated_at: now }
        await em.insert(Pipeline, own)
        return { pipeline: own, ...(await setStages(em, own, given)) }
      })
      await settle(context, pipeline)
      return show(pipeline, stages)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/pipelines',
    operation: 'list_pipelines',
    summary: 'List pipelines with their stages, newest first',
    status: 200,
    query: v.strictObject({ ...paging, project_id: v.optional(objectId) }),
    response: listOf(record),
    async read({ query: { limit, offset, ...filter } }, { database }) {
      const list = await listRecords(database, Pipeline, filter, { limit, offset }, (pipeline) => pipeline)
      const ids = list.data.map(({ _id }) => _id)
      const stages = await readRows(database, PipelineStage, { pipeline_id: ids })
      stages.sort((a, b) => a.position - b.position)
      const own = Map.groupBy(stages, ({ pipeline_id }) => pipeline_id)
      return { ...list, data: list.data.map((pipeline) => show(pipeline, own.get(pipeline._id) ?? [])) }
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
      return show(pipeline, await stagesOf(database.em(), pipeline._id))
    },
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/pipelines/:id',
    operation: 'update_pipeline',
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
    async change({ params, body: { stages: given, ...fields } }, context) {
      const { _id, company_id, project_id } = await findRecord(context.database, Pipeline, params.id)
      const { pipeline, stages, removed } = await arranged(context.database, company_id, async (em) => {
        if (fields.is_default) await takeDefault(em, project_id)
        const row = await em.findOne(Pipeline, { _id })
        if (!row) throw new Refusal('NOT_FOUND')
        if (fields.is_default === false && row.is_default) throw new Refusal('PIPELINE_IS_DEFAULT')
        Object.assign(row, fields, { updated_at: newDate() })
        const stages = given ? await setStages(em, row, given) : { stages: await stagesOf(em, _id), removed: [] }
        return { pipeline: row, ...stages }
      })
      await settle(context, pipeline, removed)
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
      const { _id, company_id } = await findRecord(context.database, Pipeline, params.id)
      const { pipeline, removed } = await arranged(context.database, company_id, async (em) => {
        const row = await em.findOne(Pipeline, { _id })
        if (!row) throw new Refusal('NOT_FOUND')
        if (row.is_default) throw new Refusal('PIPELINE_IS_DEFAULT')
        const removed = await stagesOf(em, _id)
        await removeStages(em, removed, 'pipeline')
        em.remove(row)
        return { pipeline: row, removed }
      })
      await settle(context, pipeline, removed, pipeline)
    },
  }),
]

/** Single stages of a pipeline. */
import * as v from 'valibot'
import { Refusal } from '../../../runtime/mod.ts'
import { Pipeline, PipelineStage } from '../../../storage/mod.ts'
import { name } from '../fields.ts'
import { operatorRoute } from '../operator_route.ts'
import { arranged, findRecord } from '../records.ts'
import { changeStage, makeStage, removeStages, settle, stagesOf } from './pipeline_stages.ts'
import { mustFit, stageRules } from './stage_rules.ts'
import { newStage, position, showStage, stageRecord } from './stage_schemas.ts'

function show(stage: PipelineStage) {
  const { pipeline_id, project_id, created_at, updated_at } = stage
  return { ...showStage(stage), pipeline_id, project_id, created_at, updated_at }
}

/** Puts one among the others, at the end where no place is given. */
function place(stage: PipelineStage, others: PipelineStage[], at = others.length): void {
  countAnew(others.toSpliced(at, 0, stage))
}

function countAnew(stages: PipelineStage[]): void {
  stages.forEach((stage, position) => {
    if (stage.position !== position) changeStage(stage, { position })
  })
}

export const stageRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/pipelines/:id/stages',
    operation: 'create_stage',
    summary: 'Add a stage to a pipeline, at the end or at its position; those behind it move on',
    status: 201,
    body: newStage,
    response: stageRecord,
    errors: ['NOT_FOUND', 'ASSIGNEE_NOT_FOUND', 'TAG_NOT_FOUND'],
    async change({ params, body: { name, position, rules } }, context) {
      const pipeline = await findRecord(context.database, Pipeline, params.id)
      const stage = await arranged(context.database, pipeline.company_id, async (em) => {
        const others = await stagesOf(em, pipeline._id)
        await mustFit(em, pipeline, [{ path: 'rules', rules }])
        const made = makeStage(em, pipeline, name, others.length, rules)
        place(made, others, position)
        return made
      })
      await settle(context, pipeline)
      return show(stage)
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/admin/v1/stages/:id',
    operation: 'get_stage',
    summary: 'Get a stage',
    status: 200,
    response: stageRecord,
    errors: ['NOT_FOUND'],
    read: async ({ params }, { database }) => show(await findRecord(database, PipelineStage, params.id)),
  }),
  operatorRoute({
    method: 'PATCH',
    path: '/admin/v1/stages/:id',
    operation: 'update_stage',
    summary: 'Change the name, the position or the rules of a stage',
    status: 200,
    body: v.strictObject({
      name: v.optional(name),
      position: v.optional(position),
      rules: v.optional(stageRules),
    }),
    response: stageRecord,
    errors: ['NOT_FOUND', 'ASSIGNEE_NOT_FOUND', 'TAG_NOT_FOUND'],
    async change({ params, body: { position, ...fields } }, context) {
      const { _id, pipeline_id } = await findRecord(context.database, PipelineStage, params.id)
      const pipeline = await findRecord(context.database, Pipeline, pipeline_id)
      const stage = await arranged(context.database, pipeline.company_id, async (em) => {
        const stages = await stagesOf(em, pipeline_id)
        const found = stages.find((stage) => stage._id === _id)
        if (!found) throw new Refusal('NOT_FOUND')
        const { rules } = fields
        if (rules) await mustFit(em, pipeline, [{ path: 'rules', rules, assigned_before: found.rules.assign_to }])
        changeStage(found, fields)
        if (position !== undefined) {
          const others = stages.filter((stage) => stage !== found)
          place(found, others, position)
        }
        return found
      })
      await settle(context, pipeline)
      return show(stage)
    },
  }),
  operatorRoute({
    method: 'DELETE',
    path: '/admin/v1/stages/:id',
    operation: 'delete_stage',
    summary: 'Delete a stage that has no open tickets and is not the last one; closed tickets keep its id',
    status: 204,
    errors: ['NOT_FOUND', 'IN_USE', 'LAST_STAGE'],
    async change({ params }, context) {
      const { _id, pipeline_id } = await findRecord(context.database, PipelineStage, params.id)
      const pipeline = await findRecord(context.database, Pipeline, pipeline_id)
      const removed = await arranged(context.database, pipeline.company_id, async (em) => {
        const stages = await stagesOf(em, pipeline_id)
        const found = stages.find((stage) => stage._id === _id)
        if (!found) throw new Refusal('NOT_FOUND')
        if (stages.length === 1) throw new Refusal('LAST_STAGE')
        await removeStages(em, [found])
        countAnew(stages.filter((stage) => stage !== found))
        return [found]
      })
      await settle(context, pipeline, removed)
    },
  }),
]

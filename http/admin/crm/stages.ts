/** Single stages of a pipeline. */
import * as v from 'valibot'
import { changeStage, PipelineStage, removeStage, storeStage } from '../../../storage/mod.ts'
import { showStage, stageRules } from '../../routes/tickets/stage_fields.ts'
import { name } from '../fields.ts'
import { once } from '../once.ts'
import { refreshProject } from '../operations/refresh.ts'
import { operatorRoute } from '../operator_route.ts'
import { explained, findRecord } from '../records.ts'
import { mustFit } from './stage_rules.ts'
import { newStage, position, stageRecord } from './stage_schemas.ts'

function show(stage: PipelineStage) {
  const { pipeline_id, project_id, created_at, updated_at } = stage
  return { ...showStage(stage), pipeline_id, project_id, created_at, updated_at }
}

const rulesMustFit = mustFit(() => 'rules')

export const stageRoutes = [
  operatorRoute({
    method: 'POST',
    path: '/admin/v1/pipelines/:id/stages',
    operation: 'create_stage',
    example: { body: { name: 'Waiting' } },
    summary: 'Add a stage to a pipeline, at the end or at its position; later stages move back by one',
    status: 201,
    body: newStage,
    response: stageRecord,
    errors: ['NOT_FOUND', 'ASSIGNEE_NOT_FOUND', 'TAG_NOT_FOUND'],
    async change({ params, body }, context) {
      const stage = await explained(
        once(context, (database) => storeStage(database, params.id, body, rulesMustFit), show),
      )
      await refreshProject(context, stage.project_id, 'crm', stage.project_id)
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
    example: { body: { name: 'Waiting for the parcel' } },
    summary: 'Change the name, the position or the rules of a stage',
    status: 200,
    body: v.strictObject({
      name: v.optional(name),
      position: v.optional(position),
      rules: v.optional(stageRules),
    }),
    response: stageRecord,
    errors: ['NOT_FOUND', 'ASSIGNEE_NOT_FOUND', 'TAG_NOT_FOUND'],
    async change({ params, body }, context) {
      const stage = await explained(changeStage(context.database, params.id, body, rulesMustFit))
      await refreshProject(context, stage.project_id, 'crm', stage.project_id)
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
      const { project_id } = await explained(removeStage(context.database, params.id))
      await refreshProject(context, project_id, 'crm', project_id)
    },
  }),
]

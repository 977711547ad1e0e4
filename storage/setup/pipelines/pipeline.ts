import { auditRecord, snapshot } from '../../audit/audit_record.ts'
import type { Database } from '../../database/database.ts'
import type { EntityManager } from '../../database/entity_manager.ts'
import { readRows } from '../../database/read_rows.ts'
import { Pipeline, PipelineStage, Project } from '../../entities/mod.ts'
import { newDate } from '../../values/time.ts'
import { arrange, arrangeOne } from '../arrange.ts'
import { ChangeRefused } from '../change_refused.ts'
import { findRecord, type NewColumns, stamped } from '../records.ts'
import type { CheckRules } from './rule_facts.ts'
import { removeStages, type StageInput, setStages, stagesOf } from './stage_order.ts'

export type PipelineWithStages = { pipeline: Pipeline; stages: PipelineStage[] }

type NewPipeline = Omit<NewColumns<Pipeline>, 'company_id'> & { stages: StageInput[] }
type PipelineChanges = Partial<Pick<Pipeline, 'name' | 'is_default'>> & { stages?: StageInput[] | undefined }

/** Stages by pipeline, in their order. */
export async function listStages(database: Database, pipeline_ids: string[]): Promise<Map<string, PipelineStage[]>> {
  const stages = await readRows(database, PipelineStage, { pipeline_id: pipeline_ids })
  stages.sort((a, b) => a.position - b.position || (a._id < b._id ? -1 : 1))
  return Map.groupBy(stages, ({ pipeline_id }) => pipeline_id)
}

/** A new default pipeline replaces the former one as default. @throws {ChangeRefused} PROJECT_NOT_FOUND */
export async function storePipeline(
  database: Database,
  { stages: inputs, ...fields }: NewPipeline,
  check: CheckRules,
): Promise<PipelineWithStages> {
  const { project_id } = fields
  const project = await findRecord(database, Project, project_id)
  if (!project) throw new ChangeRefused('PROJECT_NOT_FOUND', { project_id })
  const { company_id } = project
  return arrange(database, company_id, async (em) => {
    if (fields.is_default) await takeDefault(em, project_id)
    const pipeline = stamped({ ...fields, company_id })
    await em.insert(Pipeline, pipeline)
    const made = { pipeline, stages: await setStages(em, pipeline, inputs, check) }
    await auditRecord(database, em, Pipeline, { after: view(database, made) })
    return made
  })
}

/**
 * @throws {ChangeRefused} NOT_FOUND, PIPELINE_IS_DEFAULT, STAGE_NOT_FOUND
 * @throws {StillHeld} when open tickets are in stages that the change removes
 */
export function changePipeline(
  database: Database,
  _id: string,
  { stages: inputs, ...fields }: PipelineChanges,
  check: CheckRules,
): Promise<PipelineWithStages> {
  return arrangeOne(database, Pipeline, _id, async (pipeline, em) => {
    if (fields.is_default === false && pipeline.is_default) throw new ChangeRefused('PIPELINE_IS_DEFAULT')
    if (fields.is_default && !pipeline.is_default) await takeDefault(em, pipeline.project_id)
    const before = view(database, { pipeline, stages: await stagesOf(em, _id) })
    Object.assign(pipeline, fields, { updated_at: newDate() })
    const stages = inputs ? await setStages(em, pipeline, inputs, check) : await stagesOf(em, _id)
    await auditRecord(database, em, Pipeline, { before, after: view(database, { pipeline, stages }) })
    return { pipeline, stages }
  })
}

/**
 * Removes the pipeline with its stages; closed tickets keep the ids of their stages.
 * @throws {ChangeRefused} NOT_FOUND, PIPELINE_IS_DEFAULT
 * @throws {StillHeld} by open tickets
 */
export function removePipeline(database: Database, _id: string): Promise<Pipeline> {
  return arrangeOne(database, Pipeline, _id, async (pipeline, em) => {
    if (pipeline.is_default) throw new ChangeRefused('PIPELINE_IS_DEFAULT')
    const stages = await stagesOf(em, _id)
    const before = view(database, { pipeline, stages })
    await removeStages(em, stages, 'pipeline')
    em.remove(pipeline)
    await auditRecord(database, em, Pipeline, { before })
    return pipeline
  })
}

/** The pipeline as its audit entries show it. */
function view(database: Database, { pipeline, stages }: PipelineWithStages) {
  const stage_facts = stages.map(({ _id, name, position, rules }) => ({ _id, name, position, rules }))
  return snapshot(database, Pipeline, pipeline) && { ...snapshot(database, Pipeline, pipeline), stages: stage_facts }
}

/** Clears the mark of the present default pipeline; a unique index allows one per project. */
async function takeDefault(em: EntityManager, project_id: string): Promise<void> {
  await em.nativeUpdate(Pipeline, { project_id, is_default: true }, { is_default: false, updated_at: newDate() })
}

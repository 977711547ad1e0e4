import { auditRecord, snapshot } from '../../audit/audit_record.ts'
import type { Database } from '../../database/database.ts'
import type { EntityManager } from '../../database/entity_manager.ts'
import { Pipeline, PipelineStage } from '../../entities/mod.ts'
import { arrangeOne } from '../arrange.ts'
import { ChangeRefused } from '../change_refused.ts'
import { findRecord } from '../records.ts'
import { type CheckRules, readRuleFacts } from './rule_facts.ts'
import {
  changeStageRow,
  countAnew,
  makeStage,
  placeStage,
  removeStages,
  type StageChanges,
  type StageInput,
  stagesOf,
} from './stage_order.ts'

/** Later stages move back by one. @throws {ChangeRefused} NOT_FOUND when the pipeline does not exist */
export function storeStage(
  database: Database,
  pipeline_id: string,
  { name, position, rules = {} }: Omit<StageInput, '_id'> & { name: string },
  check: CheckRules,
): Promise<PipelineStage> {
  return arrangeOne(database, Pipeline, pipeline_id, async (pipeline, em) => {
    const others = await stagesOf(em, pipeline_id)
    const all = [{ at: 0, rules, assigned_before: [] }]
    check(all, await readRuleFacts(em, pipeline, all))
    const made = makeStage(em, pipeline, name, others.length, rules)
    placeStage(made, others, position)
    await auditStage(database, em, pipeline, { after: snapshot(database, PipelineStage, made) })
    return made
  })
}

/** @throws {ChangeRefused} NOT_FOUND */
export function changeStage(
  database: Database,
  _id: string,
  { position, ...changes }: StageChanges,
  check: CheckRules,
): Promise<PipelineStage> {
  return arrangeStage(database, _id, async ({ stage, stages, pipeline, em }) => {
    const { rules } = changes
    if (rules) {
      const all = [{ at: 0, rules, assigned_before: stage.rules.assign_to ?? [] }]
      check(all, await readRuleFacts(em, pipeline, all))
    }
    const before = snapshot(database, PipelineStage, stage)
    changeStageRow(stage, changes)
    const others = stages.filter((one) => one !== stage)
    if (position !== undefined) placeStage(stage, others, position)
    await auditStage(database, em, pipeline, { before, after: snapshot(database, PipelineStage, stage) })
    return stage
  })
}

/**
 * Closed tickets keep the stage's id.
 * @throws {ChangeRefused} NOT_FOUND, LAST_STAGE
 * @throws {StillHeld} by open tickets
 */
export function removeStage(database: Database, _id: string): Promise<PipelineStage> {
  return arrangeStage(database, _id, async ({ stage, stages, pipeline, em }) => {
    if (stages.length === 1) throw new ChangeRefused('LAST_STAGE')
    const before = snapshot(database, PipelineStage, stage)
    await removeStages(em, [stage])
    await auditStage(database, em, pipeline, { before })
    countAnew(stages.filter((one) => one !== stage))
    return stage
  })
}

/** A stage has no column of its company. */
function auditStage(
  database: Database,
  em: EntityManager,
  { company_id }: Pipeline,
  { before, after }: { before?: object | null; after?: object | null },
): Promise<void> {
  const placed = (stage: object | null | undefined) => (stage ? { ...stage, company_id } : null)
  return auditRecord(database, em, PipelineStage, { before: placed(before), after: placed(after) })
}

type Place = { stage: PipelineStage; stages: PipelineStage[]; pipeline: Pipeline; em: EntityManager }

async function arrangeStage(
  database: Database,
  _id: string,
  work: (place: Place) => Promise<PipelineStage>,
): Promise<PipelineStage> {
  const found = await findRecord(database, PipelineStage, _id)
  if (!found) throw new ChangeRefused('NOT_FOUND')
  return arrangeOne(database, Pipeline, found.pipeline_id, async (pipeline, em) => {
    const stages = await stagesOf(em, pipeline._id)
    const stage = stages.find((one) => one._id === _id)
    if (!stage) throw new ChangeRefused('NOT_FOUND')
    return work({ stage, stages, pipeline, em })
  })
}

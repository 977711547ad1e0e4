/** The stages of a pipeline in a transaction of its company (`arrange`): their order, creation, change and removal. */

import type { EntityManager } from '../../database/entity_manager.ts'
import { type Pipeline, PipelineStage, type StageRules, Ticket } from '../../entities/mod.ts'
import { sql } from '../../sql/sql.ts'
import { newDate } from '../../values/time.ts'
import { ChangeRefused, mustBeUnheld } from '../change_refused.ts'
import { stamped } from '../records.ts'
import { type CheckRules, readRuleFacts } from './rule_facts.ts'

export type StageInput = {
  /** The id of an existing stage; missing for a new one. */
  _id?: string | undefined
  /** Required for a new stage. */
  name?: string | undefined
  position?: number | undefined
  rules?: StageRules | undefined
}

export type StageChanges = Partial<Pick<PipelineStage, 'name' | 'position' | 'rules'>>

/** The stages of a pipeline in their order. */
export function stagesOf(em: EntityManager, pipeline_id: string): Promise<PipelineStage[]> {
  return em.find(PipelineStage, { pipeline_id }, { orderBy: { position: 'asc', _id: 'asc' } })
}

/**
 * Sets the stages of a pipeline: keeps and changes stages with an `_id`, creates those without, removes all others.
 * @throws {ChangeRefused} STAGE_NOT_FOUND
 * @throws {StillHeld} by open tickets
 */
export async function setStages(
  em: EntityManager,
  pipeline: Pick<Pipeline, '_id' | 'company_id' | 'project_id'>,
  inputs: StageInput[],
  check: CheckRules,
): Promise<PipelineStage[]> {
  const present = new Map((await stagesOf(em, pipeline._id)).map((stage) => [stage._id, stage]))
  const strange = inputs.filter(({ _id }) => _id !== undefined && !present.has(_id)).map(({ _id }) => _id)
  if (strange.length > 0) throw new ChangeRefused('STAGE_NOT_FOUND', { stage_ids: strange })
  const all = inputs.flatMap(({ _id, rules }, at) => {
    return rules ? [{ at, rules, assigned_before: present.get(_id ?? '')?.rules.assign_to ?? [] }] : []
  })
  check(all, await readRuleFacts(em, pipeline, all))
  const stages = inOrder(inputs).map(({ _id, name, rules }, position) => {
    const kept = _id === undefined ? undefined : present.get(_id)
    if (!kept) return makeStage(em, pipeline, name!, position, rules)
    return changeStageRow(kept, { ...(name !== undefined && { name }), ...(rules && { rules }), position })
  })
  const removed = [...present.values()].filter((stage) => !stages.includes(stage))
  await removeStages(em, removed)
  return stages
}

/** Orders stages by their positions; a stage without one uses its place in the list. */
function inOrder(inputs: StageInput[]): StageInput[] {
  const placed = inputs.map((stage, at) => ({ stage, at: stage.position ?? at }))
  return placed.sort((a, b) => a.at - b.at).map(({ stage }) => stage)
}

export function makeStage(
  em: EntityManager,
  { _id: pipeline_id, project_id }: Pick<Pipeline, '_id' | 'project_id'>,
  name: string,
  position: number,
  rules: StageRules = {},
): PipelineStage {
  return em.create(PipelineStage, stamped({ pipeline_id, project_id, name, position, rules, assigned_count: 0 }))
}

/** Changes these columns only: the project's actor counts the next assignee. */
export function changeStageRow(stage: PipelineStage, changes: StageChanges): PipelineStage {
  return Object.assign(stage, changes, { updated_at: newDate() })
}

/** Inserts a stage among the others, by default at the end. */
export function placeStage(stage: PipelineStage, others: PipelineStage[], at = others.length): void {
  countAnew(others.toSpliced(at, 0, stage))
}

export function countAnew(stages: PipelineStage[]): void {
  stages.forEach((stage, position) => {
    if (stage.position !== position) changeStageRow(stage, { position })
  })
}

/**
 * Removes stages that have no open tickets. A ticket that enters a stage locks the stage's row until its commit ends
 * (migration 0027). The rows are locked here before tickets are counted, so no ticket can enter in between.
 *
 * @throws {StillHeld} by open tickets
 */
export async function removeStages(em: EntityManager, stages: PipelineStage[], noun = 'stage'): Promise<void> {
  if (stages.length === 0) return
  const ids = stages.map(({ _id }) => _id)
  await em.execute(sql`select 1 from pipeline_stage where _id in (${sql.list(ids)}) order by _id for update`)
  const open_tickets = await em.count(Ticket, { stage_id: ids, is_closed: false })
  mustBeUnheld(noun, { open_tickets })
  for (const stage of stages) em.remove(stage)
}

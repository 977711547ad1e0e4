/** The stages of a pipeline: their order, and what happens when some are given and others are left out. */
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import { Refusal } from '../../../runtime/mod.ts'
import {
  newDate,
  objectId as newId,
  type Pipeline,
  PipelineStage,
  type StageRules,
  Ticket,
} from '../../../storage/mod.ts'
import type { RequestContext } from '../../server/route.ts'
import { arranged, refuseHeld } from '../records.ts'
import { refreshProject } from '../refresh.ts'
import { mustFit } from './stage_rules.ts'

export function stagesOf(em: SqlEntityManager, pipeline_id: string): Promise<PipelineStage[]> {
  return em.find(PipelineStage, { pipeline_id }, { orderBy: { position: 'asc', _id: 'asc' } })
}

type Given = { _id?: string | undefined; name?: string | undefined; position?: number | undefined; rules?: StageRules }

/** Those with an `_id` are kept and changed, those without are new, those left out are gone. */
export async function setStages(
  em: SqlEntityManager,
  pipeline: Pick<Pipeline, '_id' | 'company_id' | 'project_id'>,
  given: Given[],
): Promise<{ stages: PipelineStage[]; removed: PipelineStage[] }> {
  const present = new Map((await stagesOf(em, pipeline._id)).map((stage) => [stage._id, stage]))
  const strange = given.filter(({ _id }) => _id !== undefined && !present.has(_id)).map(({ _id }) => _id)
  if (strange.length > 0) throw new Refusal('STAGE_NOT_FOUND', { details: { stage_ids: strange } })
  const all = given.flatMap(({ _id, rules }, at) => {
    const assigned_before = present.get(_id ?? '')?.rules.assign_to
    return rules ? [{ path: `stages.${at}.rules`, rules, assigned_before }] : []
  })
  await mustFit(em, pipeline, all)
  const stages = inOrder(given).map(({ _id, name, rules }, position) => {
    const kept = _id === undefined ? undefined : present.get(_id)
    if (!kept) return makeStage(em, pipeline, name!, position, rules)
    return changeStage(kept, { ...(name !== undefined && { name }), ...(rules && { rules }), position })
  })
  const removed = [...present.values()].filter((stage) => !stages.includes(stage))
  await removeStages(em, removed)
  return { stages, removed }
}

/** By position, where one is given; the others stand where they are in the list. */
function inOrder(given: Given[]): Given[] {
  const placed = given.map((stage, at) => ({ stage, at: stage.position ?? at }))
  return placed.sort((a, b) => a.at - b.at).map(({ stage }) => stage)
}

export function makeStage(
  em: SqlEntityManager,
  { _id: pipeline_id, project_id }: Pick<Pipeline, '_id' | 'project_id'>,
  name: string,
  position: number,
  rules: StageRules = {},
): PipelineStage {
  const now = newDate()
  const own = { _id: newId(), pipeline_id, project_id, name, position, rules, assigned_count: 0 }
  return em.create(PipelineStage, { ...own, created_at: now, updated_at: now })
}

/** Only these columns: whose turn it is next is counted by the project's actor. */
export function changeStage(
  stage: PipelineStage,
  changes: Partial<Pick<PipelineStage, 'name' | 'position' | 'rules'>>,
): PipelineStage {
  return Object.assign(stage, changes, { updated_at: newDate() })
}

/** @throws {Refusal} IN_USE when open tickets are in them */
export async function removeStages(em: SqlEntityManager, stages: PipelineStage[], noun = 'stage'): Promise<void> {
  if (stages.length === 0) return
  refuseHeld(noun, { open_tickets: await openTicketsIn(em, stages) }, 'Move or close them first.')
  for (const stage of stages) em.remove(stage)
}

function openTicketsIn(em: SqlEntityManager, stages: PipelineStage[]): Promise<number> {
  return em.count(Ticket, { stage_id: stages.map(({ _id }) => _id), is_closed: false })
}

/**
 * Tells the project of what was changed. Until then it may have moved a ticket into a stage that is gone: such stages come
 * back, and the change is refused as it would have been a moment later.
 * @throws {Refusal} IN_USE
 */
export async function settle(
  context: RequestContext,
  { company_id, project_id }: { company_id: string; project_id: string },
  removed: PipelineStage[] = [],
  pipeline?: Pipeline,
): Promise<void> {
  await refreshProject(context, project_id, 'crm', project_id)
  if (removed.length === 0) return
  const open_tickets = await openTicketsIn(context.database.em(), removed)
  if (open_tickets === 0) return
  await arranged(context.database, company_id, async (em) => {
    if (pipeline) await em.insert(pipeline)
    return em.insertMany(removed)
  })
  await refreshProject(context, project_id, 'crm', project_id)
  refuseHeld(pipeline ? 'pipeline' : 'stage', { open_tickets }, 'Move or close them first.')
}

import type { FilterQuery } from '@mikro-orm/core'
import type { EntityManager } from '../../database/entity_manager.ts'
import { PipelineStage, Project, type StageRules } from '../../entities/mod.ts'

/** Number of stages of a project, or of all projects of a company, whose rules match. */
export async function stagesThat(
  em: EntityManager,
  of: { project_id: string } | { company_id: string },
  match: (rules: StageRules) => boolean | undefined,
): Promise<number> {
  const where: FilterQuery<PipelineStage> =
    'project_id' in of ? of : { project_id: (await em.find(Project, of)).map(({ _id }) => _id) }
  const stages = await em.find(PipelineStage, where)
  return stages.filter(({ rules }) => match(rules)).length
}

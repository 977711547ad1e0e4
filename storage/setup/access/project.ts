import { auditRecord, snapshot } from '../../audit/audit_record.ts'
import type { Database } from '../../database/database.ts'
import type { EntityManager } from '../../database/entity_manager.ts'
import type { MonthlyCap, ProjectAssistantBudget, ProjectLimits } from '../../entities/access/project.ts'
import { Pipeline, PipelineStage, Project } from '../../entities/mod.ts'
import { objectId } from '../../values/ids.ts'
import type { OfficeHours } from '../../values/office_hours.ts'
import { ChangeRefused } from '../change_refused.ts'
import { changeRecord, type NewColumns, named, stamped } from '../records.ts'
import { removeRecord } from '../removal.ts'

/** Stages of the first pipeline, until an operator creates others. */
const DEFAULT_STAGES = ['New', 'In progress', 'Done']

/** A project with a default pipeline, in the transaction of `em`. */
export async function foundProject(em: EntityManager, project: Project): Promise<void> {
  const { _id: project_id, company_id, created_at, updated_at } = project
  const stamps = { created_at, updated_at }
  await em.insert(Project, project)
  const pipeline_id = objectId()
  await em.insert(Pipeline, { _id: pipeline_id, company_id, project_id, name: 'Default', is_default: true, ...stamps })
  const stages = DEFAULT_STAGES.map((name, position) => {
    return { _id: objectId(), pipeline_id, project_id, name, position, rules: {}, assigned_count: 0, ...stamps }
  })
  await em.insertMany(PipelineStage, stages)
}

type Optional = 'office_hours' | 'monthly_marketing_cap' | 'assistant_budget' | 'unread_mail_minutes'
type NewProject = Omit<NewColumns<Project>, Optional> & Partial<Pick<Project, Optional>>

/** @throws {ConstraintViolation} when there is no such company */
export async function storeProject(database: Database, input: NewProject): Promise<Project> {
  const {
    office_hours = null,
    monthly_marketing_cap = null,
    assistant_budget = null,
    unread_mail_minutes = null,
  } = input
  const project = stamped({ ...input, office_hours, monthly_marketing_cap, assistant_budget, unread_mail_minutes })
  await named(() =>
    database.em().transactional(async (em) => {
      await foundProject(em, project)
      await auditRecord(database, em, Project, { after: snapshot(database, Project, project) })
    }),
  )
  return project
}

type ProjectPatch = {
  name?: string | undefined
  limits?: Partial<ProjectLimits> | undefined
  office_hours?: OfficeHours | null | undefined
  /** Null removes it. */
  monthly_marketing_cap?: MonthlyCap | null | undefined
  assistant_budget?: ProjectAssistantBudget | null | undefined
  /** Null: never. */
  unread_mail_minutes?: number | null | undefined
}

/** Limits that are not given stay. @throws {ChangeRefused} NOT_FOUND */
export function changeProject(
  database: Database,
  _id: string,
  { name, limits, office_hours, monthly_marketing_cap, assistant_budget, unread_mail_minutes }: ProjectPatch,
): Promise<Project> {
  return changeRecord(database, Project, _id, (row) => {
    if (name !== undefined) row.name = name
    if (limits) row.limits = { ...row.limits, ...limits }
    if (office_hours !== undefined) row.office_hours = office_hours
    if (assistant_budget !== undefined) row.assistant_budget = assistant_budget
    if (monthly_marketing_cap !== undefined) row.monthly_marketing_cap = monthly_marketing_cap
    if (unread_mail_minutes !== undefined) row.unread_mail_minutes = unread_mail_minutes
  })
}

/** @throws {StillHeld} by any record of the project */
export function removeProject(database: Database, _id: string): Promise<void> {
  return removeRecord(database, 'project', _id)
}

/**
 * The project of a new record.
 * @throws {ChangeRefused} PROJECT_NOT_FOUND
 */
export async function projectNamed(em: EntityManager, _id: string): Promise<Project> {
  const project = await em.findOne(Project, { _id })
  if (!project) throw new ChangeRefused('PROJECT_NOT_FOUND', { project_id: _id })
  return project
}

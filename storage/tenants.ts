/** Companies and projects come with what they are never without, in one transaction. */
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Database } from './database.ts'
import { Company, CrmEventType, Pipeline, PipelineStage, Project } from './entities/mod.ts'
import { objectId } from './ids.ts'
import { named } from './records.ts'

/** Timeline events that the service itself records, and those that clients may. */
const SYSTEM_TYPES: Record<string, string> = {
  'ticket.created': 'Ticket created',
  'ticket.stage_changed': 'Ticket moved to another stage',
  'ticket.assigned': 'Ticket assigned',
  'ticket.closed': 'Ticket closed',
  'ticket.reopened': 'Ticket reopened',
  'message.template_sent': 'Template sent',
  'flow.response_received': 'Flow answered',
  'appointment.created': 'Appointment created',
  'appointment.confirmed': 'Appointment confirmed',
  'appointment.cancelled': 'Appointment cancelled',
  'appointment.completed': 'Appointment completed',
  'payment.link_sent': 'Payment link sent',
  'payment.confirmed': 'Payment confirmed',
}

/** Until an operator makes a pipeline of the project's own. */
const DEFAULT_STAGES = ['New', 'In progress', 'Done']

/** A company with its system event types, in the transaction of `em`. */
export async function foundCompany(em: SqlEntityManager, company: Company): Promise<void> {
  const { _id: company_id, created_at, updated_at } = company
  await em.insert(Company, company)
  const types = Object.entries(SYSTEM_TYPES).map(([key, name]) => {
    return { _id: objectId(), company_id, key, name, is_system: true, fields: [], created_at, updated_at }
  })
  await em.insertMany(CrmEventType, types)
}

/** A project with a default pipeline, in the transaction of `em`. */
export async function foundProject(em: SqlEntityManager, project: Project): Promise<void> {
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

export async function storeCompany(database: Database, company: Company): Promise<Company> {
  await named(() => database.em().transactional((em) => foundCompany(em, company)))
  return company
}

/** @throws {ConstraintViolation} when there is no such company */
export async function storeProject(database: Database, project: Project): Promise<Project> {
  await named(() => database.em().transactional((em) => foundProject(em, project)))
  return project
}

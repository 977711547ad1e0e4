import type { EntityName, RequiredEntityData } from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { ErrorCode } from '../../actors/mod.ts'
import { Refusal } from '../../runtime/mod.ts'
import {
  arrange,
  ConstraintViolation,
  type Database,
  isObjectId,
  Project,
  type RemovableKind,
  findRecord as readRecord,
  listRecords as readRecords,
  removeRecord,
  User,
  changeRecord as writeChange,
  storeRecord as writeRecord,
} from '../../storage/mod.ts'

/** The storage room's work on single records, with what operators are told when the tables say no. */
type Identified = { _id: string }

/** One page of a list, in the shape all operator lists have. */
export async function listRecords<Row extends Identified, Shown>(
  database: Database,
  entity: EntityName<Row>,
  filter: Partial<Row>,
  page: { limit: number; offset: number },
  show: (row: Row) => Shown,
): Promise<{ data: Shown[]; total: number; limit: number; offset: number }> {
  const { rows, total } = await readRecords(database, entity, filter, page)
  return { data: rows.map(show), total, limit: page.limit, offset: page.offset }
}

/**
 * The record a path names.
 * @throws {Refusal} NOT_FOUND when the id is malformed or unknown
 */
export async function findRecord<Row extends Identified>(
  database: Database,
  entity: EntityName<Row>,
  _id: string | undefined,
): Promise<Row> {
  const row = _id && isObjectId(_id) ? await readRecord(database, entity, _id) : undefined
  if (!row) throw new Refusal('NOT_FOUND')
  return row
}

/** @throws {Refusal} that names the reference that is unknown or the value that is taken */
export function storeRecord<Row extends Identified>(
  database: Database,
  entity: EntityName<Row>,
  values: RequiredEntityData<Row>,
): Promise<Row> {
  return explained(writeRecord(database, entity, values))
}

/**
 * Changes the record a path names, alone: two changes of different fields at once both survive. `em` is that of the
 * transaction, for what has to change with it.
 * @throws {Refusal} NOT_FOUND, or what is wrong with the change, or what `change` throws; nothing is written then
 */
export async function changeRecord<Row extends Identified & { updated_at: Date }>(
  database: Database,
  entity: EntityName<Row>,
  _id: string | undefined,
  change: (row: Row, em: SqlEntityManager) => void | Promise<void>,
): Promise<Row> {
  const row = _id && isObjectId(_id) ? await explained(writeChange(database, entity, _id, change)) : undefined
  if (!row) throw new Refusal('NOT_FOUND')
  return row
}

/**
 * `advice` ends the message of a refusal: what to do first.
 * @throws {Refusal} IN_USE with `details.held_by`: how many records of each kind still need it
 */
export async function deleteUnheld(
  database: Database,
  kind: RemovableKind,
  _id: string,
  advice = 'Delete or revoke them first.',
): Promise<void> {
  const held_by = await removeRecord(database, kind, _id)
  if (held_by) throw inUse(kind, held_by, advice)
}

/** @throws {Refusal} IN_USE when not all counts are 0 */
export function refuseHeld(noun: string, counts: Record<string, number>, advice: string): void {
  const held = Object.entries(counts).filter(([, count]) => count > 0)
  if (held.length > 0) throw inUse(noun, Object.fromEntries(held), advice)
}

function inUse(noun: string, held_by: Record<string, number>, advice: string): Refusal {
  const nouns = Object.entries(held_by).map(([noun, count]) => `${count} ${noun.replaceAll('_', ' ')}`)
  const message = `This ${noun} still has ${nouns.join(', ') || 'records that need it'}. ${advice}`
  return new Refusal('IN_USE', { message, details: { held_by } })
}

/**
 * Work on what a company has set up, one at a time for each company and in one transaction (`arrange` of storage).
 * @throws {Refusal} COMPANY_NOT_FOUND, or what is wrong with the change, or what `work` throws; nothing is written then
 */
export async function arranged<Result extends object>(
  database: Database,
  company_id: string,
  work: (em: SqlEntityManager) => Promise<Result>,
): Promise<Result> {
  const done = await explained(arrange(database, company_id, work))
  if (!done) throw new Refusal('COMPANY_NOT_FOUND')
  return done
}

/** @throws {Refusal} PROJECT_NOT_FOUND */
export async function referencedProject(database: Database, project_id: string): Promise<Project> {
  const project = await readRecord(database, Project, project_id)
  if (!project) throw new Refusal('PROJECT_NOT_FOUND', { details: { project_id } })
  return project
}

/** @throws {Refusal} USER_NOT_FOUND */
export async function referencedUser(database: Database, user_id: string): Promise<User> {
  const user = await readRecord(database, User, user_id)
  if (!user) throw new Refusal('USER_NOT_FOUND', { details: { user_id } })
  return user
}

/** @throws {Refusal} in place of a constraint that was broken, where it has a code */
export async function explained<Row>(write: Promise<Row>): Promise<Row> {
  try {
    return await write
  } catch (error) {
    const code = error instanceof ConstraintViolation ? meanings[error.constraint] : undefined
    throw code ? new Refusal(code) : error
  }
}

const meanings: Record<string, ErrorCode> = {
  project_company_id_fkey: 'COMPANY_NOT_FOUND',
  user_company_id_fkey: 'COMPANY_NOT_FOUND',
  token_project_id_fkey: 'PROJECT_NOT_FOUND',
  token_user_id_fkey: 'USER_NOT_FOUND',
  channel_project_id_fkey: 'PROJECT_NOT_FOUND',
  user_email: 'USER_ALREADY_EXISTS',
  channel_account: 'CHANNEL_ALREADY_EXISTS',
  customer_company_id_fkey: 'COMPANY_NOT_FOUND',
  tag_project_id_fkey: 'PROJECT_NOT_FOUND',
  pipeline_project_id_fkey: 'PROJECT_NOT_FOUND',
  event_type_key: 'EVENT_TYPE_ALREADY_EXISTS',
  custom_field_key: 'CUSTOM_FIELD_ALREADY_EXISTS',
  tag_name: 'TAG_ALREADY_EXISTS',
}

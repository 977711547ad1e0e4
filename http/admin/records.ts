import {
  type EntityName,
  type FilterQuery,
  ForeignKeyConstraintViolationException,
  LockMode,
  type RequiredEntityData,
  UniqueConstraintViolationException,
} from '@mikro-orm/core'
import { Refusal } from '../../runtime/mod.ts'
import { type Database, isObjectId, Project, User } from '../../storage/mod.ts'

type Identified = { _id: string }

/** One page of a table, newest first. */
export async function listRecords<Row extends Identified, Shown>(
  database: Database,
  entity: EntityName<Row>,
  filter: Partial<Row>,
  { limit, offset }: { limit: number; offset: number },
  show: (row: Row) => Shown,
): Promise<{ data: Shown[]; total: number; limit: number; offset: number }> {
  const [rows, total] = await database.em().findAndCount(entity, filter as FilterQuery<Row>, {
    orderBy: { _id: 'desc' } as never,
    limit,
    offset,
    disableIdentityMap: true,
  })
  return { data: (rows as Row[]).map(show), total, limit, offset }
}

/**
 * The record a path names.
 * @throws {Refusal} NOT_FOUND when the id is malformed or unknown
 */
export async function findRecord<Row extends Identified>(
  database: Database,
  entity: EntityName<Row>,
  id: string | undefined,
): Promise<Row> {
  const row = id && isObjectId(id) ? await database.em().findOne(entity, { _id: id } as FilterQuery<Row>) : null
  if (!row) throw new Refusal('NOT_FOUND')
  return row as Row
}

/**
 * Changes the record a path names, alone: two changes of different fields at once both survive.
 * @returns the record as it is afterwards
 * @throws {Refusal} NOT_FOUND, and whatever `change` throws (nothing is written then)
 */
export async function changeRecord<Row extends Identified & { updated_at: Date }>(
  database: Database,
  entity: EntityName<Row>,
  id: string | undefined,
  change: (row: Row) => void | Promise<void>,
): Promise<Row> {
  if (!id || !isObjectId(id)) throw new Refusal('NOT_FOUND')
  return explained(() =>
    database.em().transactional(async (em) => {
      const row = (await em.findOne(entity, { _id: id } as FilterQuery<Row>, {
        lockMode: LockMode.PESSIMISTIC_WRITE,
      })) as Row | null
      if (!row) throw new Refusal('NOT_FOUND')
      await change(row)
      row.updated_at = new Date()
      return row
    }),
  )
}

/**
 * Stores a new record.
 * @throws {Refusal} when a record it refers to is gone, or when one like it exists
 */
export async function storeRecord<Row extends Identified>(
  database: Database,
  entity: EntityName<Row>,
  values: RequiredEntityData<Row>,
): Promise<Row> {
  const em = database.em()
  const row = em.create(entity, values)
  await explained(() => em.flush())
  return row as Row
}

/** @throws {Refusal} PROJECT_NOT_FOUND */
export async function referencedProject(database: Database, project_id: string): Promise<Project> {
  const project = await database.em().findOne(Project, project_id)
  if (!project) throw new Refusal('PROJECT_NOT_FOUND', { details: { project_id } })
  return project
}

/** @throws {Refusal} USER_NOT_FOUND */
export async function referencedUser(database: Database, user_id: string): Promise<User> {
  const user = await database.em().findOne(User, user_id)
  if (!user) throw new Refusal('USER_NOT_FOUND', { details: { user_id } })
  return user
}

/** What a broken constraint of the tables means to the operator. The tables decide, so that no race slips past a check. */
const meanings: Record<string, string> = {
  project_company_id_fkey: 'COMPANY_NOT_FOUND',
  user_company_id_fkey: 'COMPANY_NOT_FOUND',
  token_project_id_fkey: 'PROJECT_NOT_FOUND',
  token_user_id_fkey: 'USER_NOT_FOUND',
  channel_project_id_fkey: 'PROJECT_NOT_FOUND',
  user_email: 'USER_ALREADY_EXISTS',
  channel_account: 'CHANNEL_ALREADY_EXISTS',
}

async function explained<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    const known =
      error instanceof ForeignKeyConstraintViolationException || error instanceof UniqueConstraintViolationException
    const code = known ? meanings[(error as { constraint?: string }).constraint ?? ''] : undefined
    throw code ? new Refusal(code) : error
  }
}

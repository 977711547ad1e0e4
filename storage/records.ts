import {
  type EntityName,
  type FilterQuery,
  ForeignKeyConstraintViolationException,
  LockMode,
  type RequiredEntityData,
  UniqueConstraintViolationException,
} from '@mikro-orm/core'
import type { SqlEntityManager } from '@mikro-orm/postgresql'
import type { Database } from './database.ts'
import { newDate } from './time.ts'

/** Reading and writing of single records by operators: companies, projects, users, tokens, channels. */
type Identified = { _id: string }

/**
 * A reference or a unique value did not hold. The tables decide, and not a look-up before the write, so that no race
 * slips through; `constraint` is its name in the migrations.
 */
export class ConstraintViolation extends Error {
  override name = 'ConstraintViolation'
  readonly constraint: string

  constructor(constraint: string) {
    super(`the write breaks the constraint ${constraint}`)
    this.constraint = constraint
  }
}

/** One page of a table, newest first, and the number of all its rows that fit the filter. */
export async function listRecords<Row extends Identified>(
  database: Database,
  entity: EntityName<Row>,
  filter: Partial<Row>,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: Row[]; total: number }> {
  const [rows, total] = await database.em().findAndCount(entity, filter as FilterQuery<Row>, {
    orderBy: { _id: 'desc' } as never,
    limit,
    offset,
  })
  return { rows: rows as Row[], total }
}

export async function findRecord<Row extends Identified>(
  database: Database,
  entity: EntityName<Row>,
  _id: string,
): Promise<Row | undefined> {
  const row = await database.em().findOne(entity, { _id } as FilterQuery<Row>)
  return (row as Row | null) ?? undefined
}

/** @throws {ConstraintViolation} when a record it refers to is missing, or when one like it exists */
export async function storeRecord<Row extends Identified>(
  database: Database,
  entity: EntityName<Row>,
  values: RequiredEntityData<Row>,
): Promise<Row> {
  const em = database.em()
  const row = em.create(entity, values)
  await named(() => em.flush())
  return row as Row
}

/**
 * Changes one record under a lock, so that two changes of different fields at once both survive. `em` is that of the
 * transaction, for what has to change with it.
 *
 * @returns the record as it is afterwards, or undefined when there is none
 * @throws {ConstraintViolation}, and whatever `change` throws; nothing is written then
 */
export async function changeRecord<Row extends Identified & { updated_at: Date }>(
  database: Database,
  entity: EntityName<Row>,
  _id: string,
  change: (row: Row, em: SqlEntityManager) => void | Promise<void>,
): Promise<Row | undefined> {
  return named(() =>
    database.em().transactional(async (em) => {
      const found = await em.findOne(entity, { _id } as FilterQuery<Row>, { lockMode: LockMode.PESSIMISTIC_WRITE })
      const row = found as Row | null
      if (!row) return undefined
      await change(row, em)
      row.updated_at = newDate()
      return row
    }),
  )
}

/** A write whose broken constraints are told by their names. */
export async function named<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    const isConstraint =
      error instanceof ForeignKeyConstraintViolationException || error instanceof UniqueConstraintViolationException
    throw isConstraint ? new ConstraintViolation((error as { constraint?: string }).constraint ?? '') : error
  }
}

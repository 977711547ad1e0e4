/**
 * Single records that operators read and change: companies, projects, users, tokens, channels and the definitions of a
 * CRM.
 */
import {
  type FilterQuery,
  ForeignKeyConstraintViolationException,
  LockMode,
  type RequiredEntityData,
  UniqueConstraintViolationException,
} from '@mikro-orm/core'
import { auditRecord, snapshot } from '../audit/audit_record.ts'
import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import type { EntityRef } from '../database/write_set.ts'
import { objectId } from '../values/ids.ts'
import { newDate } from '../values/time.ts'
import { ChangeRefused } from './change_refused.ts'

export type Identified = { _id: string }
type Changing = Identified & { updated_at: Date }

/** The columns of a new record without those that are set automatically. */
export type NewColumns<Row> = Omit<Row, '_id' | 'created_at' | 'updated_at'>

/** A new record with an id and the current time. */
export function stamped<Values extends object>(values: Values) {
  const now = newDate()
  return { _id: objectId(), ...values, created_at: now, updated_at: now }
}

/**
 * A reference or a unique value did not hold. The tables decide, and not a look-up before the write, so that there is
 * no race; `constraint` is the constraint's name in the migrations.
 */
export class ConstraintViolation extends Error {
  override name = 'ConstraintViolation'
  readonly constraint: string

  constructor(constraint: string) {
    super(`the write breaks the constraint ${constraint}`)
    this.constraint = constraint
  }
}

export async function findRecord<Row extends Identified>(
  database: Database,
  entity: EntityRef<Row>,
  _id: string,
): Promise<Row | undefined> {
  const row = await database.em().findOne(entity, { _id } as FilterQuery<Row>)
  return (row as Row | null) ?? undefined
}

/** @throws {ConstraintViolation} when a referenced record is missing, or a unique value is taken */
export async function storeRecord<Row extends Identified>(
  database: Database,
  entity: EntityRef<Row>,
  values: RequiredEntityData<Row>,
): Promise<Row> {
  return named(() =>
    database.em().transactional(async (em) => {
      const row = em.create(entity, values) as Row
      await auditRecord(database, em, entity, { after: snapshot(database, entity, row) })
      return row
    }),
  )
}

/**
 * Changes one record under a lock, so that concurrent changes of different fields both survive. `em` belongs to the
 * transaction, for changes of dependent rows. The audit entry shows the record alone.
 *
 * @returns the record after the change
 * @throws {ChangeRefused} NOT_FOUND
 * @throws {ConstraintViolation}, and any error of `change`; nothing is written then
 */
export async function changeRecord<Row extends Changing>(
  database: Database,
  entity: EntityRef<Row>,
  _id: string,
  change: (row: Row, em: EntityManager) => void | Promise<void>,
): Promise<Row> {
  return named(() =>
    database.em().transactional(async (em) => {
      const found = await em.findOne(entity, { _id } as FilterQuery<Row>, { lockMode: LockMode.PESSIMISTIC_WRITE })
      const row = found as Row | null
      if (!row) throw new ChangeRefused('NOT_FOUND')
      const before = snapshot(database, entity, row)
      await change(row, em)
      row.updated_at = newDate()
      await auditRecord(database, em, entity, { before, after: snapshot(database, entity, row) })
      return row
    }),
  )
}

/** The record, read in the transaction of `em`. @throws {ChangeRefused} NOT_FOUND */
export async function present<Row extends Identified>(
  em: EntityManager,
  entity: EntityRef<Row>,
  _id: string,
): Promise<Row> {
  const row = await em.findOne(entity, { _id } as FilterQuery<Row>)
  if (!row) throw new ChangeRefused('NOT_FOUND')
  return row as Row
}

/** Runs a write; a broken constraint is reported by its name. */
export async function named<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    const isConstraint =
      error instanceof ForeignKeyConstraintViolationException || error instanceof UniqueConstraintViolationException
    throw isConstraint ? new ConstraintViolation((error as { constraint?: string }).constraint ?? '') : error
  }
}

import { DeadlockException } from '@mikro-orm/core'
import { auditRecord, snapshot } from '../audit/audit_record.ts'
import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import type { EntityRef } from '../database/write_set.ts'
import { sql } from '../sql/sql.ts'
import { ChangeRefused } from './change_refused.ts'
import { findRecord, type Identified, named, present } from './records.ts'

/** Consecutive deadlocks after which the last one is thrown. */
const MAX_DEADLOCKS = 5

/**
 * Runs work on the definitions of a company (pipelines, tags, fields), one at a time for each company and in one
 * transaction. Records that `work` finds, such as a tag that a rule names, still exist when it writes. Operators do
 * this rarely; rows that requests write are not locked, and records that refer to the company may be stored meanwhile.
 *
 * Turns lock the stages that their tickets enter, several in one commit and in their own order. A deadlock with the
 * removal of stages repeats the transaction, so `work` must have no effect besides its writes.
 *
 * @returns the result of `work`
 * @throws {ChangeRefused} COMPANY_NOT_FOUND
 * @throws {ConstraintViolation}, and any error of `work`; nothing is written then
 */
export async function arrange<Result>(
  database: Database,
  company_id: string,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  for (let deadlocks = 0; ; deadlocks++) {
    try {
      return await named(() =>
        database.em().transactional(async (em) => {
          const locked = await em.execute(sql`select 1 from company where _id = ${company_id} for no key update`)
          if (locked.length === 0) throw new ChangeRefused('COMPANY_NOT_FOUND')
          return await work(em)
        }),
      )
    } catch (error) {
      if (!(error instanceof DeadlockException) || deadlocks >= MAX_DEADLOCKS) throw error
    }
  }
}

/**
 * `arrange` for one record of a company. `work` gets the record as it is once other changes are locked out, and writes
 * the audit entry itself.
 * @throws {ChangeRefused} NOT_FOUND
 */
export async function arrangeOne<Row extends Identified & { company_id: string }, Result>(
  database: Database,
  entity: EntityRef<Row>,
  _id: string,
  work: (row: Row, em: EntityManager) => Promise<Result>,
): Promise<Result> {
  const found = await findRecord(database, entity, _id)
  if (!found) throw new ChangeRefused('NOT_FOUND')
  return arrange(database, found.company_id, async (em) => work(await present(em, entity, _id), em))
}

/**
 * `arrangeOne` with an audit entry of the record, which `work` changes or removes.
 * @throws {ChangeRefused} NOT_FOUND
 */
export function arrangeRecord<Row extends Identified & { company_id: string }>(
  database: Database,
  entity: EntityRef<Row>,
  _id: string,
  work: (row: Row, em: EntityManager) => Promise<Row>,
): Promise<Row> {
  return arrangeOne(database, entity, _id, async (row, em) => {
    const before = snapshot(database, entity, row)
    const result = await work(row, em)
    const is_removed = em.getUnitOfWork().getRemoveStack().has(row)
    await auditRecord(database, em, entity, { before, after: is_removed ? null : snapshot(database, entity, row) })
    return result
  })
}

/** `arrange` for a new record of a company, with its audit entry. @throws {ChangeRefused} COMPANY_NOT_FOUND */
export function arrangeNew<Row extends Identified & { company_id: string }>(
  database: Database,
  entity: EntityRef<Row>,
  company_id: string,
  work: (em: EntityManager) => Promise<Row>,
): Promise<Row> {
  return arrange(database, company_id, async (em) => {
    const row = await work(em)
    await auditRecord(database, em, entity, { after: snapshot(database, entity, row) })
    return row
  })
}

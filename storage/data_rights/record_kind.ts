/**
 * Kinds of records, as exports and erasures see them. A feature with tables of its own adds its kinds to a file in
 * `records/`; `test/storage/record_kinds.test.ts` fails for a table that no kind has.
 */

import type { Database } from '../database/database.ts'
import type { EntityManager } from '../database/entity_manager.ts'
import type { EntityRef } from '../database/write_set.ts'
import type { DataErasure } from '../entities/data_rights/data_erasure.ts'
import { type Sql, sql } from '../sql/sql.ts'
import type { Subject } from './subject.ts'

/** SQL that selects the records of a subject from the kind's table; undefined when it has none of the kind. */
export type Condition = (subject: Subject) => Sql | undefined

export type ErasureContext = {
  database: Database
  erasure: Pick<DataErasure, '_id'>
  subject: Subject
  /** Stores that this identity was erased, as a keyed hash. */
  prove(em: EntityManager, identities: readonly (string | null)[]): Promise<void>
}

export type RecordKind = {
  /** Name in exports and in the counts of erasures. */
  type: string
  table: string
  /** Gives the exported columns. Without one, the records are derived from others and not exported. */
  entity?: EntityRef
  /** Nothing but a walk through all rows finds those of a subject. */
  walked?: true
  /** Secrets, which are never exported. */
  hidden?: readonly string[]
  /** Records of a contact or a customer. */
  person?: Condition
  /** The records of `person` that an index finds. A walk of their own finds the rest. Default: all. */
  indexed?: Condition
  /** Records of a project. */
  project?: Condition
  /** The column of the id under which events and audit entries name a record of a person. */
  named_by?: Sql
  /**
   * How one batch is erased. Default: at most `BATCH` rows are deleted. `false`: the records are no part of an erasure,
   * or a phase of it deletes them.
   *
   * @returns the number of erased rows; 0 when none is left
   */
  erase?: false | ((em: EntityManager, where: Sql, context: ErasureContext) => Promise<number>)
}

/** Rows deleted in one transaction. */
const BATCH = 500

/** Rows of a table at their places: their number is bounded, and they are found by the condition alone. */
export function placesOf(table: string, where: Sql, limit: number = BATCH): Sql {
  return sql`ctid = any (array(select ctid from ${sql.id(table)} where ${where} limit ${limit}))`
}

/** Runs `with gone as (…)`, of which the last part is a count. */
export async function counted(em: EntityManager, statement: Sql): Promise<number> {
  const [row] = await em.execute<{ count: number }[]>(statement)
  return row!.count
}

/** Deletes one batch. */
export function deleteBatch(em: EntityManager, table: string, where: Sql): Promise<number> {
  return counted(
    em,
    sql`with gone as (delete from ${sql.id(table)} where ${placesOf(table, where)} returning 1)
    select count(*)::int as count from gone`,
  )
}

/** Deletes one batch, and returns the ids. */
export async function deleteNamed(em: EntityManager, table: string, where: Sql, id: Sql): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    sql`delete from ${sql.id(table)} where ${placesOf(table, where)} returning ${id} as id`,
  )
  return rows.map((row) => row.id)
}

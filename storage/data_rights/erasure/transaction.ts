/**
 * The transactions of an erasure. Each erases a bounded number of rows and stores its place and its counts with them, so
 * that a repeated or interrupted batch neither misses nor counts a row twice.
 */

import type { BlobStore } from '../../blobs/blob_store.ts'
import type { Database } from '../../database/database.ts'
import type { EntityManager } from '../../database/entity_manager.ts'
import type { DataErasure } from '../../entities/data_rights/data_erasure.ts'
import { sql } from '../../sql/sql.ts'
import { identityHasher, proveErased } from '../proof.ts'
import type { ErasureContext } from '../record_kind.ts'
import { subjectOf } from './parts.ts'

/** The place after a batch; null when the phase is over. */
export type Progress = {
  cursor: string | null
  counts?: Record<string, number>
  /** It has to wait for other work, for this reason. */
  waits?: string
  /** Name of the phase to go back to. */
  back_to?: string
}

export type BatchContext = ErasureContext & {
  blobs: BlobStore
  /** The place that the batch before has stored; empty at first. */
  cursor: string
  /** Does a batch. Its progress is stored in the same transaction. */
  transaction(work: (em: EntityManager) => Promise<Progress>): Promise<Progress>
}

/** The erasure has ended, or is in another phase by now: another node is working on it. */
export class ErasureMoved extends Error {}

/** Settings that let triggers of immutable tables pass: each table has a door of its own. */
const DOORS = sql`set local parley.erasing = 'on'; set local parley.ledger_erasure = 'on'; set local parley.audit_door = 'erasure'`

export async function batchContext(
  database: Database,
  blobs: BlobStore,
  { _id, phase }: Pick<DataErasure, '_id' | 'phase'>,
): Promise<BatchContext> {
  const [row] =
    await database.execute<DataErasure>(sql`select _id, kind, subject_id, company_id, project_id, cursor from data_erasure
    where _id = ${_id} and phase = ${phase} and status = 'running'`)
  if (!row) throw new ErasureMoved()
  const subject = await subjectOf(database, row)
  const hash = await identityHasher(database)
  return {
    database,
    blobs,
    erasure: row,
    subject,
    cursor: row.cursor,
    prove: (em, identities) => proveErased(em, _id, hash, identities),
    transaction: (work) =>
      database.em().transactional(async (em) => {
        await em.execute(DOORS)
        const locked = await em.execute(
          sql`select 1 from data_erasure where _id = ${_id} and phase = ${phase} and cursor = ${row.cursor} and status = 'running' for update`,
        )
        if (locked.length === 0) throw new ErasureMoved()
        const progress = await work(em)
        await em.execute(sql`update data_erasure set cursor = ${progress.cursor ?? row.cursor}, counts = (
            select coalesce(jsonb_object_agg(key, total), '{}') from (
              select key, sum(value::bigint) as total from (
                select * from jsonb_each_text(counts) union all
                select * from jsonb_each_text(${JSON.stringify(progress.counts ?? {})})) both_of
              group by key having sum(value::bigint) > 0) sums), updated_at = now()
          where _id = ${_id}`)
        return progress
      }),
  }
}

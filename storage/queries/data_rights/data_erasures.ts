/** Erasures, for operators. */

import { phaseName } from '../../data_rights/erasure/run_phase.ts'
import { identityHasher } from '../../data_rights/proof.ts'
import type { Database } from '../../database/database.ts'
import { readRows } from '../../database/read_rows.ts'
import type { ErasureStatus, RightsKind } from '../../entities/data_rights/data_erasure.ts'
import { DataErasure } from '../../entities/data_rights/data_erasure.ts'
import { type Sql, sql } from '../../sql/sql.ts'
import type { CountedPage, Window } from '../common/keyset.ts'
import { listRecords } from '../common/record_list.ts'

/** All given conditions must hold. */
export type ErasureFilter = {
  kind?: RightsKind | undefined
  status?: ErasureStatus | undefined
  subject_id?: string | undefined
  project_id?: string | undefined
  company_id?: string | undefined
  /** A phone, an address or an id within a channel: erasures after which it was gone. */
  identity?: string | undefined
}

export type ErasureRecord = {
  _id: string
  kind: RightsKind
  subject_id: string
  company_id: string
  project_id: string | null
  status: 'running' | 'done'
  /** Present phase; null at the end. */
  phase: string | null
  /** Why it does not go on, if it does not. */
  waits_for: string | null
  counts: Record<string, number>
  requested_by: string
  reason: string | null
  created_at: Date
  ended_at: Date | null
}

function toErasureRecord(row: DataErasure): ErasureRecord {
  const { _id, kind, subject_id, company_id, status, counts, requested_by, created_at } = row
  const named = { _id, kind, subject_id, company_id, project_id: row.project_id ?? null }
  const by = { requested_by, reason: row.reason ?? null, created_at, ended_at: row.ended_at ?? null }
  return { ...named, status, phase: phaseName(row), waits_for: waitOf(row), counts, ...by }
}

function waitOf({ remark, waits_for }: DataErasure): string | null {
  return remark ?? (waits_for.length > 0 ? waits_for.join(', ') : null)
}

export async function findErasure(database: Database, _id: string): Promise<ErasureRecord | undefined> {
  const [row] = await readRows(database, DataErasure, { _id })
  return row && toErasureRecord(row)
}

/** Newest first. */
export async function listErasures(
  database: Database,
  { identity, ...filter }: ErasureFilter,
  window: Window,
): Promise<CountedPage<ErasureRecord>> {
  const conditions: Sql[] = []
  if (identity !== undefined) {
    const hash = await identityHasher(database)
    conditions.push(sql`_id in (select erasure_id from data_erasure_identity where hash = ${hash(identity)})`)
  }
  const page = await listRecords(database, DataErasure, filter, window, conditions)
  return { ...page, data: page.data.map(toErasureRecord) }
}

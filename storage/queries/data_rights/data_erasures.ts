/** Erasures, for operators. */

import { phaseName } from '../../data_rights/erasure/run_phase.ts'
import { identityHasher } from '../../data_rights/proof.ts'
import type { Database } from '../../database/database.ts'
import { columnsOf, toRows } from '../../database/read_rows.ts'
import type { RightsKind } from '../../entities/data_erasure.ts'
import { DataErasure } from '../../entities/data_erasure.ts'
import { type Sql, sql } from '../../sql/sql.ts'

/** All given conditions must hold. */
export type ErasureFilter = {
  kind?: RightsKind | undefined
  status?: string | undefined
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
  const { data } = await select(database, sql`_id = ${_id}`, { limit: 1, offset: 0 })
  return data[0]
}

/** Newest first. */
export async function listErasures(
  database: Database,
  { identity, ...filter }: ErasureFilter,
  page: { limit: number; offset: number },
): Promise<{ data: ErasureRecord[]; total: number }> {
  const conditions = Object.entries(filter).flatMap(([column, value]) =>
    value === undefined ? [] : [sql`${sql.id(column)} = ${value}`],
  )
  if (identity !== undefined) {
    const hash = await identityHasher(database)
    conditions.push(sql`_id in (select erasure_id from data_erasure_identity where hash = ${hash(identity)})`)
  }
  return select(database, conditions.length > 0 ? sql.join(conditions, ' and ') : sql`true`, page)
}

async function select(
  database: Database,
  where: Sql,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ data: ErasureRecord[]; total: number }> {
  const [rows, [count]] = await Promise.all([
    database.execute(
      sql`select ${columnsOf(database, DataErasure)} from data_erasure where ${where}
      order by _id desc limit ${limit} offset ${offset}`,
    ),
    database.execute<{ total: number }>(sql`select count(*)::int as total from data_erasure where ${where}`),
  ])
  return { data: toRows(database, DataErasure, rows).map(toErasureRecord), total: count!.total }
}

import { defineEntity, type InferEntity, p } from '@mikro-orm/core'
import type { RightsKind } from './data_erasure.ts'

export type ExportStatus = 'running' | 'done' | 'failed' | 'expired'

/** An export of the data of a contact, a customer or a project. Its file is kept for some days. */
export const DataExport = defineEntity({
  name: 'DataExport',
  tableName: 'data_export',
  properties: {
    _id: p.text().primary(),
    kind: p.text().$type<RightsKind>(),
    subject_id: p.text(),
    company_id: p.text(),
    /** Null for a customer, who belongs to the company. */
    project_id: p.text().nullable(),
    requested_by: p.text(),
    status: p.text().$type<ExportStatus>(),
    /** Grows with each begin: an attempt that a dead node left is told from the present one. */
    attempt: p.integer(),
    /** Part that is being written, for a progress display. */
    step: p.text().nullable(),
    /** Records written so far, by kind. */
    counts: p.json<Record<string, number>>(),
    /** Bytes. */
    file_size: p.bigint('number').nullable(),
    sha256: p.text().nullable(),
    blob_key: p.text().nullable(),
    error: p.text().nullable(),
    /** The moment that the export shows. */
    snapshot_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
    ended_at: p.datetime(3).nullable(),
    expires_at: p.datetime(3).nullable(),
  },
})

export type DataExport = InferEntity<typeof DataExport>

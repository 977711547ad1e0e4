/** The bulk action, which is one change of many tickets, as the console shows it. */
import * as v from 'valibot'
import type { BulkAction } from '../../../storage/mod.ts'
import { type InMemory, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'

const refusal = v.object({
  ticket_id: recordId,
  code: v.string(),
  message: v.string(),
  details: v.nullable(v.record(v.string(), v.unknown())),
})

export const bulkActionRecord = named(
  'BulkAction',
  v.object({
    id: recordId,
    status: v.picklist(['running', 'completed', 'cancelled']),
    user_id: recordId,
    filter: v.record(v.string(), v.unknown()),
    action: v.looseObject({ type: v.string() }),
    total: v.number(),
    done_count: v.number(),
    changed_count: v.number(),
    unchanged_count: v.number(),
    refused_count: v.number(),
    refused_by_code: v.record(v.string(), v.number()),
    refusals: v.array(refusal),
    created_at: timestamp,
    completed_at: v.nullable(timestamp),
    updated_at: timestamp,
  }),
)

export type BulkActionRecord = InMemory<v.InferOutput<typeof bulkActionRecord>>

export function toBulkActionRecord(row: BulkAction): BulkActionRecord {
  return valuesOf(bulkActionRecord, row)
}

/** The Flow as the API shows it. */
import * as v from 'valibot'
import type { Flow } from '../../../storage/mod.ts'
import { type InMemory, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'

const columns = v.object({
  id: recordId,
  provider_flow_id: v.pipe(v.string(), v.description("The provider's id, which templates use")),
  name: v.string(),
  status: v.picklist(['draft', 'published', 'deprecated', 'throttled', 'blocked']),
  categories: v.array(v.string()),
  validation_errors: v.array(v.record(v.string(), v.unknown())),
  channel_id: recordId,
  created_at: timestamp,
  updated_at: timestamp,
})

export const flowRecord = named('Flow', columns)

export type FlowRecord = InMemory<v.InferOutput<typeof flowRecord>>

export function toFlowRecord(row: Flow): FlowRecord {
  return valuesOf(columns, row)
}

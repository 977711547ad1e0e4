/** The saved view as agents see it. */
import * as v from 'valibot'
import type { SavedView } from '../../../storage/mod.ts'
import { type InMemory, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'
import { ownership, ownershipOf } from '../ownership.ts'

/** Columns that the record shows as they are stored. */
const columns = v.object({
  _id: recordId,
  name: v.string(),
  filter: v.record(v.string(), v.unknown()),
  position: v.number(),
  created_at: timestamp,
  updated_at: timestamp,
})

export const savedViewRecord = named('SavedView', v.object({ ...columns.entries, ...ownership.entries }))

export type SavedViewRecord = InMemory<v.InferOutput<typeof savedViewRecord>>

/** `full_name`: name of the author. */
export function toSavedViewRecord(row: SavedView & { full_name?: string | null }): SavedViewRecord {
  return { ...valuesOf(columns, row), ...ownershipOf(row, row.full_name) }
}

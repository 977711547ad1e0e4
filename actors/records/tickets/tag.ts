/** The tag as the public API and operators see it. */
import * as v from 'valibot'
import type { Tag } from '../../../storage/mod.ts'
import { named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'

const columns = v.object({
  _id: recordId,
  name: v.string(),
  color: v.nullable(v.string()),
  created_at: timestamp,
  updated_at: timestamp,
})

export const tagRecord = named('ProjectTag', columns)

export function toTagRecord(row: Tag) {
  return valuesOf(columns, row)
}

export const operatorTag = named('Tag', v.object({ ...columns.entries, company_id: recordId, project_id: recordId }))

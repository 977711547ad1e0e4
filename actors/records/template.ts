/** The message template as the API shows it. */
import * as v from 'valibot'
import type { Template } from '../../storage/mod.ts'
import { templateVariables } from '../providers/whatsapp/mod.ts'
import { named, recordId, timestamp, valuesOf } from '../schema/mod.ts'

/** Columns that the record shows as they are stored. */
const columns = v.object({
  _id: recordId,
  channel_id: recordId,
  name: v.string(),
  language: v.string(),
  status: v.string(),
  category: v.string(),
  components: v.array(v.record(v.string(), v.unknown())),
  synced_at: timestamp,
})

export const templateRecord = named(
  'Template',
  v.object({
    ...columns.entries,
    variables: v.pipe(v.array(v.string()), v.description('Names that `message.variables` of a send must have')),
  }),
)

export function toTemplateRecord(row: Template) {
  return { ...valuesOf(columns, row), variables: templateVariables(row.components) }
}

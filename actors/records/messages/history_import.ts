/** The import of a phone's history as the operator API shows it. */
import * as v from 'valibot'
import { type HistoryImport, historyImportStatuses } from '../../../storage/mod.ts'
import { named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'

/** Columns that the record shows as they are stored. */
const historyImportColumns = v.object({
  _id: recordId,
  channel_id: recordId,
  project_id: recordId,
  status: v.pipe(
    v.picklist(historyImportStatuses),
    v.description(
      'asking: the provider is being asked; requested: it agreed; running: messages arrive; completed: all are stored; declined: the business does not share them; failed: see error',
    ),
  ),
  webhooks: v.pipe(
    v.boolean(),
    v.description('Imported messages and contacts emit events, messages with `imported: true`'),
  ),
  requested_at: v.pipe(v.nullable(timestamp), v.description('Null when another program asked')),
  phase: v.pipe(
    v.nullable(v.number()),
    v.description('The latest phase of WhatsApp: 0 the last day, 1 the last 90 days, 2 the last 180'),
  ),
  progress: v.pipe(v.number(), v.description('Percent, as the provider reports it')),
  waiting_count: v.pipe(v.number(), v.description('Messages and names that have arrived and are not stored yet')),
  message_count: v.pipe(v.number(), v.description('Messages that were stored')),
  known_count: v.pipe(v.number(), v.description('Messages that were here before')),
  unreadable_count: v.pipe(v.number(), v.description('Entries without an id or a person')),
  name_count: v.pipe(v.number(), v.description('Names that were taken from the address book of the phone')),
  error: v.pipe(
    v.nullable(v.object({ code: v.string(), message: v.string() })),
    v.description('The last refusal of the provider; beside requested, that of the address book alone'),
  ),
  completed_at: v.nullable(timestamp),
  updated_at: timestamp,
})

export const historyImportRecord = named('HistoryImport', historyImportColumns)

export function toHistoryImportRecord(row: HistoryImport) {
  return valuesOf(historyImportColumns, row)
}

/** The event of a ticket's timeline as the API shows it. */
import * as v from 'valibot'
import type { CrmEvent } from '../../../storage/mod.ts'
import { type InMemory, named, recordId, timestamp, valuesOf } from '../../schema/mod.ts'
import { exampleIds as ids } from '../example_ids.ts'

const crmEventColumns = v.object({
  _id: recordId,
  event_type: v.string(),
  data: v.record(v.string(), v.unknown()),
  ticket_id: recordId,
  chat_user: recordId,
  created_at: timestamp,
})

export const crmEventRecord = named('TimelineEvent', crmEventColumns)

type CrmEventRecord = InMemory<v.InferOutput<typeof crmEventRecord>>

export function toCrmEventRecord(event: CrmEvent): CrmEventRecord {
  return valuesOf(crmEventColumns, event)
}

export const crmEventExample: v.InferOutput<typeof crmEventRecord> = {
  _id: ids.event,
  event_type: 'custom.order_shipped',
  data: { order: 'A-1001', carrier: 'DHL' },
  ticket_id: ids.ticket,
  chat_user: ids.contact,
  created_at: '2026-09-21T14:13:20.000Z',
}

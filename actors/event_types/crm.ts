/** Events of the CRM: contacts, notes, timeline events. */
import {
  contactExample,
  contactMergeExample,
  contactMergeRecord,
  contactRecord,
  crmEventExample,
  crmEventRecord,
  exampleIds as ids,
  noteExample,
  noteRecord,
} from '../records/mod.ts'
import { inlineSchema, type JsonSchema } from '../schema/mod.ts'
import { described, type EventType, nullable, record, recordData, recordId, recordShape, text, url } from './schema.ts'

const { consent, windows, threads } = recordShape(contactRecord, {}).properties as Record<string, JsonSchema>

const contactData = recordData(contactRecord, {
  avatar: nullable(url),
  browser: inlineSchema(contactRecord.entries.browser, 'response'),
  consent: described(
    consent!,
    'Wish about marketing messages, as the person told the provider or a client told Parley',
  ),
  windows: described(
    windows!,
    'As the contact had them at the time of the event. A message that only renews a window causes no event',
  ),
  threads: described(threads!, 'The app that answers the person, on each channel that apps of the business share'),
})

const contactCreated: EventType = {
  type: 'crm.contact.created',
  description: 'A contact was created, by a request or by a first message.',
  schema: contactData,
  example: contactExample,
}

const contactUpdated: EventType = {
  type: 'crm.contact.updated',
  description: 'A contact was changed.',
  schema: contactData,
  example: {
    ...contactExample,
    custom_fields: { plan: 'gold' },
    customer_id: ids.customer,
    windows: [{ channel_id: ids.channel, expires_at: '2026-09-22T14:13:20.000Z', is_open: true }],
    updated_at: '2026-09-22T08:30:00.000Z',
  },
}

const contactMerged: EventType = {
  type: 'crm.contact.merged',
  description: 'Two contacts became one, and all records of the other one are those of the contact that stayed.',
  schema: recordData(contactMergeRecord),
  example: contactMergeExample,
}

const contactUnmerged: EventType = {
  type: 'crm.contact.unmerged',
  description: 'A merge was undone, and the records of both contacts are separated again.',
  schema: recordData(contactMergeRecord),
  example: { ...contactMergeExample, status: 'undone', undone_at: '2026-09-22T08:30:00.000Z' },
}

const noteCreated: EventType = {
  type: 'crm.note.created',
  description: 'A note was written on a contact or a ticket.',
  schema: recordData(noteRecord, { created_by: record({ id: recordId, full_name: text }) }),
  example: noteExample,
}

const eventRecorded: EventType = {
  type: 'crm.event.recorded',
  description: "An event was recorded on the timeline of a contact's ticket.",
  schema: recordData(crmEventRecord),
  example: crmEventExample,
}

export const crmEvents: EventType[] = [
  contactCreated,
  contactUpdated,
  contactMerged,
  contactUnmerged,
  noteCreated,
  eventRecorded,
]

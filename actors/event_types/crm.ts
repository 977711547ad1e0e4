/** Events of the CRM: contacts, notes, timeline events. */
import { contactExample, contactRecord, exampleIds as ids } from '../records/mod.ts'
import { inlineSchema, type JsonSchema } from '../schema/mod.ts'
import {
  anyObject,
  dataOf,
  dataShown,
  described,
  type EventType,
  nullable,
  oneOf,
  record,
  recordId,
  shown,
  text,
  time,
  url,
} from './schema.ts'

const { consent, windows } = shown(contactRecord, {}).properties as Record<string, JsonSchema>

const contactData = dataShown(contactRecord, {
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

const noteCreated: EventType = {
  type: 'crm.note.created',
  description: 'A note was written on a contact or a ticket.',
  schema: dataOf({
    _id: recordId,
    content: text,
    type: oneOf('note', 'call', 'email', 'meeting'),
    chat_user: nullable(recordId),
    ticket_id: nullable(recordId),
    created_by: record({ id: recordId, full_name: text }),
    created_at: time,
  }),
  example: {
    _id: ids.note,
    content: 'Prefers to be called in the morning.',
    type: 'call',
    chat_user: ids.contact,
    ticket_id: ids.ticket,
    created_by: { id: ids.user, full_name: 'Luis Vega' },
    created_at: '2026-09-21T14:13:20.000Z',
  },
}

const eventRecorded: EventType = {
  type: 'crm.event.recorded',
  description: "An event was recorded on the timeline of a contact's ticket.",
  schema: dataOf({
    _id: recordId,
    event_type: text,
    data: anyObject,
    ticket_id: recordId,
    chat_user: recordId,
    created_at: time,
  }),
  example: {
    _id: ids.event,
    event_type: 'custom.order_shipped',
    data: { order: 'A-1001', carrier: 'DHL' },
    ticket_id: ids.ticket,
    chat_user: ids.contact,
    created_at: '2026-09-21T14:13:20.000Z',
  },
}

export const crmEvents: EventType[] = [contactCreated, contactUpdated, noteCreated, eventRecorded]

/** Events of the CRM: contacts, notes, timeline events. */
import { channelTypes } from '../message_types.ts'
import { exampleIds as ids } from '../records/mod.ts'
import {
  anyObject,
  dataOf,
  described,
  type EventType,
  flag,
  list,
  nullable,
  oneOf,
  record,
  recordId,
  text,
  time,
  url,
} from './schema.ts'

const window = { channel_id: ids.channel, expires_at: '2026-09-22T14:13:20.000Z', is_open: true }

function contact(what: 'created' | 'updated'): EventType {
  return {
    type: `crm.contact.${what}`,
    description:
      what === 'created' ? 'A contact was created, by a request or by a first message.' : 'A contact was changed.',
    schema: dataOf({
      _id: recordId,
      channel_type: oneOf(...channelTypes),
      user_id: text,
      channel_id: nullable(recordId),
      name: nullable(text),
      phone: nullable(text),
      avatar: nullable(url),
      custom_fields: anyObject,
      customer_id: nullable(recordId),
      bsuid: nullable(text),
      browser: described(
        nullable(
          record({
            page_url: nullable(text),
            referrer: nullable(text),
            language: nullable(text),
            user_agent: nullable(text),
          }),
        ),
        'On a web chat: the page on which the person wrote last, the page before it, and the browser, by its own account',
      ),
      consent: described(
        record({
          marketing: oneOf('granted', 'stopped', 'unknown'),
          changed_at: nullable(time),
          source: nullable(oneOf('provider', 'api')),
        }),
        'Wish about marketing messages, as the person told the provider or a client told Parley',
      ),
      windows: described(
        list(record({ channel_id: recordId, expires_at: time, is_open: flag })),
        'As the contact had them at the time of the event. A message that only renews a window causes no event',
      ),
      first_seen_at: time,
      last_seen_at: time,
      created_at: time,
      updated_at: time,
    }),
    example: {
      _id: ids.contact,
      channel_type: 'whatsapp',
      user_id: '5215512345678',
      channel_id: ids.channel,
      name: 'Ana',
      phone: '+5215512345678',
      avatar: null,
      custom_fields: what === 'created' ? {} : { plan: 'gold' },
      customer_id: what === 'created' ? null : ids.customer,
      bsuid: null,
      browser: null,
      consent: { marketing: 'unknown', changed_at: null, source: null },
      windows: what === 'created' ? [] : [window],
      first_seen_at: '2026-09-21T14:13:20.000Z',
      last_seen_at: '2026-09-21T14:13:20.000Z',
      created_at: '2026-09-21T14:13:20.000Z',
      updated_at: what === 'created' ? '2026-09-21T14:13:20.000Z' : '2026-09-22T08:30:00.000Z',
    },
  }
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

export const crmEvents: EventType[] = [contact('created'), contact('updated'), noteCreated, eventRecorded]

/** Events of scheduling and loyalty. */
import { exampleIds as ids } from '../records/mod.ts'
import {
  anyObject,
  currency,
  dataOf,
  described,
  type EventType,
  messageId,
  nullable,
  number,
  oneOf,
  record,
  recordId,
  text,
  time,
  url,
} from './schema.ts'

const descriptions = {
  created: 'An appointment was made.',
  updated: 'Fields of an appointment other than its status were changed, or its reminder was sent.',
  confirmed: 'An appointment was confirmed.',
  cancelled: 'An appointment was cancelled.',
  completed: 'An appointment was completed.',
  no_show: 'The person did not come to an appointment.',
}

const reminder = record({
  hours_before: number,
  template_name: text,
  template_language: text,
  variables: anyObject,
  channel_id: nullable(recordId),
  status: oneOf('scheduled', 'sent', 'failed', 'skipped', 'cancelled'),
  due_at: time,
  message_id: nullable(messageId),
  error: nullable(record({ code: text, message: text })),
})

function appointment(what: keyof typeof descriptions): EventType {
  const status = what === 'created' || what === 'updated' ? 'pending' : what
  return {
    type: `scheduling.appointment.${what}`,
    description: descriptions[what],
    schema: dataOf({
      _id: recordId,
      id: recordId,
      number: { type: 'integer', minimum: 1 },
      status: oneOf('pending', 'confirmed', 'cancelled', 'completed', 'no_show'),
      modality: oneOf('online', 'in-person'),
      payment_status: oneOf('unpaid', 'pending', 'paid', 'refunded'),
      amount: nullable(number),
      currency: nullable(currency),
      starts_at: time,
      ends_at: time,
      timezone: text,
      chat_user: nullable(recordId),
      customer_id: nullable(recordId),
      assigned_to: nullable(record({ id: recordId, full_name: text, email: text })),
      meeting_url: nullable(url),
      location: nullable(text),
      reminder: described(nullable(reminder), 'A template that is sent before the appointment.'),
      created_at: time,
      updated_at: time,
    }),
    example: {
      _id: ids.appointment,
      id: ids.appointment,
      number: 1042,
      status,
      modality: 'online',
      payment_status: what === 'completed' ? 'paid' : 'unpaid',
      amount: 600,
      currency: 'MXN',
      starts_at: '2026-09-25T16:00:00.000Z',
      ends_at: '2026-09-25T16:30:00.000Z',
      timezone: 'America/Mexico_City',
      chat_user: ids.contact,
      customer_id: ids.customer,
      assigned_to: { id: ids.user, full_name: 'Luis Vega', email: 'luis@example.com' },
      meeting_url: 'https://meet.example.com/a-1042',
      location: null,
      reminder: null,
      created_at: '2026-09-21T14:13:20.000Z',
      updated_at: what === 'created' ? '2026-09-21T14:13:20.000Z' : '2026-09-22T08:30:00.000Z',
    },
  }
}

const ledgerEntryCreated: EventType = {
  type: 'loyalty.ledger.entry_created',
  description: "A movement was written to a membership's ledger.",
  schema: dataOf({
    _id: recordId,
    membership_id: recordId,
    kind: oneOf('earn', 'redeem', 'adjust', 'expire'),
    amount: described(number, 'Signed: a redeem of 50 is -50.'),
    balance_after: number,
    ref: described(nullable(text), "The caller's own reference."),
    created_at: time,
  }),
  example: {
    _id: ids.ledger_entry,
    membership_id: ids.membership,
    kind: 'redeem',
    amount: -50,
    balance_after: 170,
    ref: 'order-A-1001',
    created_at: '2026-09-21T14:13:20.000Z',
  },
}

export const appointmentEvents: EventType[] = (
  ['created', 'updated', 'confirmed', 'cancelled', 'completed', 'no_show'] as const
).map(appointment)

export const loyaltyEvents: EventType[] = [ledgerEntryCreated]

/** Events of scheduling and loyalty. */
import {
  appointmentExample,
  appointmentRecord,
  appointmentReminder,
  exampleIds as ids,
  ledgerEntryRecord,
} from '../records/mod.ts'
import {
  currency,
  described,
  type EventType,
  messageId,
  nullable,
  number,
  recordData,
  recordShape,
  text,
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

const reminder = recordShape(appointmentReminder, { message_id: nullable(messageId) })

const schema = recordData(appointmentRecord, {
  number: { type: 'integer', minimum: 1 },
  currency: nullable(currency),
  meeting_url: nullable(url),
  reminder: described(nullable(reminder), 'A template that is sent before the appointment.'),
})

function appointment(what: keyof typeof descriptions): EventType {
  return {
    type: `scheduling.appointment.${what}`,
    description: descriptions[what],
    schema,
    example: {
      ...appointmentExample,
      status: what === 'created' || what === 'updated' ? 'pending' : what,
      ...(what === 'completed' && { payment_status: 'paid' }),
      ...(what === 'created' && { updated_at: appointmentExample.created_at }),
    },
  }
}

const ledgerEntryCreated: EventType = {
  type: 'loyalty.ledger.entry_created',
  description: "A movement was written to a membership's ledger.",
  schema: recordData(ledgerEntryRecord, {
    amount: described(number, 'Signed: a redeem of 50 is -50.'),
    ref: described(nullable(text), "The caller's own reference."),
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

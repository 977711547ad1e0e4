/** Ticket events: the current ticket, the names of its changed fields, and their former values. */
import {
  anyObject,
  count,
  currency,
  dataOf,
  described,
  type EventType,
  flag,
  ids,
  list,
  nullable,
  number,
  oneOf,
  record,
  recordId,
  text,
  time,
  url,
} from './schema.ts'

const stage = record(
  { stage_id: nullable(recordId) },
  { prioridad: nullable(text), contexto: nullable(text), problema: nullable(text), recomendaciones: nullable(text) },
)
const summary = record(
  {},
  { motivo: nullable(text), estado: nullable(text), proximos_pasos: nullable(text), is_final: flag },
)

const ticket = record({
  _id: recordId,
  chat_user: recordId,
  is_closed: flag,
  priority: nullable(oneOf('low', 'medium', 'high', 'urgent')),
  tags: list(record({ id: recordId, name: text, color: nullable(text) })),
  custom_fields: anyObject,
  created_at: time,
  updated_at: time,
  chat_user_name: nullable(text),
  chat_user_avatar: nullable(url),
  chat_user_channel: nullable(text),
  chat_user_channel_id: nullable(recordId),
  stage,
  resolution: nullable(oneOf('won', 'lost')),
  category: nullable(text),
  assigned_to: nullable(record({ id: recordId, full_name: text, email: text })),
  amount: nullable(number),
  amount_currency: nullable(currency),
  amount_status: nullable(oneOf('estimated', 'confirmed')),
  conversation_summary: nullable(summary),
  closed_at: nullable(time),
  version: described(count, 'Counts the changes of the ticket.'),
  unread_count: count,
  last_activity_at: time,
})

const schema = dataOf({
  ticket,
  changed_fields: described(
    list(text),
    'Names of fields of the ticket; empty on creation, and for a change of the contact that the ticket does not show.',
  ),
  previous: described(anyObject, 'The former values of these fields.'),
})

const example = {
  _id: ids.ticket,
  chat_user: ids.contact,
  is_closed: false,
  priority: 'medium',
  tags: [{ id: ids.tag, name: 'VIP', color: '#f59e0b' }],
  custom_fields: { order: 'A-1001' },
  created_at: '2026-09-21T14:13:20.000Z',
  updated_at: '2026-09-22T08:30:00.000Z',
  chat_user_name: 'Ana',
  chat_user_avatar: null,
  chat_user_channel: 'whatsapp',
  chat_user_channel_id: ids.channel,
  stage: { stage_id: ids.stage, prioridad: 'media', contexto: null, problema: 'Late order', recomendaciones: null },
  resolution: null,
  category: 'orders',
  assigned_to: { id: ids.user, full_name: 'Luis Vega', email: 'luis@example.com' },
  amount: 1499.5,
  amount_currency: 'MXN',
  amount_status: 'estimated',
  conversation_summary: {
    motivo: 'The order did not arrive',
    estado: 'open',
    proximos_pasos: 'Ask the carrier',
    is_final: false,
  },
  closed_at: null,
  version: 4,
  unread_count: 0,
  last_activity_at: '2026-09-22T08:30:00.000Z',
}

type Change = { now?: object; previous?: Record<string, unknown> }

function changed(what: string, description: string, { now = {}, previous = {} }: Change): EventType {
  return {
    type: `crm.ticket.${what}`,
    description,
    schema,
    example: { ticket: { ...example, ...now }, changed_fields: Object.keys(previous), previous },
  }
}

const closing = { is_closed: true, resolution: 'won', closed_at: '2026-09-22T08:30:00.000Z' }
const open = { is_closed: false, resolution: null, closed_at: null }

export const ticketEvents: EventType[] = [
  changed('created', 'A ticket was opened.', { now: { updated_at: example.created_at } }),
  changed('updated', 'Fields of a ticket changed, by a request or by a recorded event.', {
    now: { priority: 'high', amount: 1899 },
    previous: { priority: 'medium', amount: 1499.5 },
  }),
  changed('stage_changed', 'A ticket was moved to another stage of its pipeline.', {
    now: { stage: { ...example.stage, stage_id: ids.next_stage } },
    previous: { stage: example.stage },
  }),
  changed('closed', 'A ticket was closed.', { now: closing, previous: open }),
  changed('reopened', 'A closed ticket was opened again.', { now: open, previous: closing }),
]

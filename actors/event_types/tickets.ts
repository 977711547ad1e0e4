/** Ticket events: the current ticket, the names of its changed fields, and their former values. */
import { exampleIds as ids, ticketExample, ticketRecord } from '../records/mod.ts'
import {
  anyObject,
  count,
  currency,
  dataOf,
  described,
  type EventType,
  flag,
  list,
  nullable,
  record,
  recordId,
  recordShape,
  text,
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

const ticket = recordShape(ticketRecord, {
  chat_user_avatar: nullable(url),
  stage,
  amount_currency: nullable(currency),
  conversation_summary: nullable(summary),
  version: described(count, 'Counts the changes of the ticket.'),
  unread_count: count,
})

const schema = dataOf({
  ticket,
  changed_fields: described(
    list(text),
    'Names of fields of the ticket; empty on creation, and for a change of the contact that the ticket does not show.',
  ),
  previous: described(anyObject, 'The former values of these fields.'),
})

type Change = { now?: object; previous?: Record<string, unknown> }

function changed(what: string, description: string, { now = {}, previous = {} }: Change): EventType {
  return {
    type: `crm.ticket.${what}`,
    description,
    schema,
    example: { ticket: { ...ticketExample, ...now }, changed_fields: Object.keys(previous), previous },
  }
}

const closing = { is_closed: true, resolution: 'won', closed_at: '2026-09-22T08:30:00.000Z' }
const open = { is_closed: false, resolution: null, closed_at: null }

export const ticketEvents: EventType[] = [
  changed('created', 'A ticket was opened.', { now: { updated_at: ticketExample.created_at } }),
  changed('updated', 'Fields of a ticket changed, by a request or by a recorded event.', {
    now: { priority: 'high', amount: 1899 },
    previous: { priority: 'medium', amount: 1499.5 },
  }),
  changed('stage_changed', 'A ticket was moved to another stage of its pipeline.', {
    now: { stage: { ...ticketExample.stage, stage_id: ids.next_stage } },
    previous: { stage: ticketExample.stage },
  }),
  changed('closed', 'A ticket was closed.', { now: closing, previous: open }),
  changed('reopened', 'A closed ticket was opened again.', { now: open, previous: closing }),
]

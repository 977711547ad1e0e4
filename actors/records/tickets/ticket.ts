/** The ticket as the API shows it. */
import * as v from 'valibot'
import { type InMemory, named, recordId, text, timestamp, writtenText } from '../../schema/mod.ts'
import { isCurrency } from '../currency.ts'
import { exampleIds as ids } from '../example_ids.ts'
import { externalId } from '../external_id.ts'

export const ticketPriorities = ['low', 'medium', 'high', 'urgent'] as const

export const ticketHandlers = ['person', 'assistant', 'nobody'] as const

/** Characters of a ticket's `category`. */
const MAX_CATEGORY_LENGTH = 200

const anyText = v.nullable(v.string())

const amount = v.pipe(
  v.number(),
  v.finite('must be a finite number'),
  // Turns minus zero into zero.
  v.transform((value) => value + 0),
  v.number(),
)

const currency = v.pipe(
  v.string(),
  v.check(isCurrency, 'must be a currency code of ISO 4217, in capitals, such as MXN'),
)

/** Columns that clients, rules of stages and recorded events write, within their bounds. `null` clears them. */
export const writableColumns = v.object({
  priority: v.nullable(v.picklist(ticketPriorities)),
  category: v.nullable(writtenText(text(MAX_CATEGORY_LENGTH))),
  amount: v.nullable(amount),
  amount_currency: v.nullable(currency),
  amount_status: v.nullable(v.picklist(['estimated', 'confirmed'])),
})

/** Columns that the record shows as they are stored. */
export const ticketColumns = v.object({
  _id: recordId,
  chat_user: v.pipe(recordId, v.description('The contact')),
  is_closed: v.boolean(),
  resolution: v.nullable(v.picklist(['won', 'lost'])),
  ...writableColumns.entries,
  external_id: v.nullable(writtenText(externalId)),
  custom_fields: v.record(v.string(), v.unknown()),
  conversation_summary: v.nullable(
    v.object({
      motivo: v.optional(anyText),
      estado: v.optional(anyText),
      proximos_pasos: v.optional(anyText),
      is_final: v.optional(v.boolean()),
    }),
  ),
  version: v.pipe(v.number(), v.description('Number of changes of the ticket; the value of ETag')),
  unread_count: v.pipe(v.number(), v.description('Unread messages of the person')),
  last_activity_at: timestamp,
  closed_at: v.nullable(timestamp),
  created_at: timestamp,
  updated_at: timestamp,
})

/** The stage with the texts of the last move. */
export const ticketStage = v.object({
  stage_id: v.nullable(recordId),
  prioridad: anyText,
  contexto: anyText,
  problema: anyText,
  recomendaciones: anyText,
})

/** The fields that show the ticket's contact. */
export const contactOfTicket = v.object({
  chat_user_name: anyText,
  chat_user_avatar: anyText,
  chat_user_channel: anyText,
  chat_user_channel_id: v.nullable(recordId),
})

export const ticketRecord = named(
  'Ticket',
  v.object({
    ...ticketColumns.entries,
    ...contactOfTicket.entries,
    stage: ticketStage,
    tags: v.array(v.object({ id: recordId, name: v.string(), color: anyText })),
    assigned_to: v.nullable(v.object({ id: recordId, full_name: v.string(), email: v.string() })),
    handled_by: v.pipe(v.picklist(ticketHandlers), v.description('Whose turn it is to answer the person')),
  }),
)

export type TicketRecord = InMemory<v.InferOutput<typeof ticketRecord>>

export const ticketExample: v.InferOutput<typeof ticketRecord> = {
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
  external_id: 'CASE-1001',
  assigned_to: { id: ids.user, full_name: 'Luis Vega', email: 'luis@example.com' },
  handled_by: 'person',
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

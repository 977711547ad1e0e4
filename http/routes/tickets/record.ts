/** The ticket as the API shows it. */
import * as v from 'valibot'
import { amountStatuses, ticketPriorities } from '../../../actors/mod.ts'
import { recordId, timestamp } from '../../server/schema/fields.ts'
import { named } from '../../server/schema/named.ts'

const text = v.nullable(v.string())

export const ticketRecord = named(
  'Ticket',
  v.object({
    _id: recordId,
    chat_user: v.pipe(recordId, v.description('The contact')),
    is_closed: v.boolean(),
    priority: v.nullable(v.picklist(ticketPriorities)),
    tags: v.array(v.object({ id: recordId, name: v.string(), color: text })),
    custom_fields: v.record(v.string(), v.unknown()),
    created_at: timestamp,
    updated_at: timestamp,
    chat_user_name: text,
    chat_user_avatar: text,
    chat_user_channel: text,
    chat_user_channel_id: v.nullable(recordId),
    stage: v.object({
      stage_id: v.nullable(recordId),
      prioridad: text,
      contexto: text,
      problema: text,
      recomendaciones: text,
    }),
    resolution: v.nullable(v.picklist(['won', 'lost'])),
    category: text,
    assigned_to: v.nullable(v.object({ id: recordId, full_name: v.string(), email: v.string() })),
    amount: v.nullable(v.number()),
    amount_currency: text,
    amount_status: v.nullable(v.picklist(amountStatuses)),
    conversation_summary: v.nullable(
      v.object({
        motivo: v.optional(text),
        estado: v.optional(text),
        proximos_pasos: v.optional(text),
        is_final: v.optional(v.boolean()),
      }),
    ),
    closed_at: v.nullable(timestamp),
    version: v.pipe(v.number(), v.description('Number of changes of the ticket; the value of ETag')),
    unread_count: v.pipe(v.number(), v.description('Unread messages of the person')),
    last_activity_at: timestamp,
  }),
)

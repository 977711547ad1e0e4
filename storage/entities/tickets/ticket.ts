import { defineEntity, type InferEntity, p } from '@mikro-orm/core'

export type TicketPriority = 'low' | 'medium' | 'high' | 'urgent'
export type TicketHandler = 'person' | 'assistant' | 'nobody'
export type TicketResolution = 'won' | 'lost'
export type AmountStatus = 'estimated' | 'confirmed'
export type ConversationSummary = {
  motivo?: string | null
  estado?: string | null
  proximos_pasos?: string | null
  is_final?: boolean
}

/** A piece of work for a contact. A contact has one open ticket at most (a unique index). */
export const Ticket = defineEntity({
  name: 'Ticket',
  tableName: 'ticket',
  properties: {
    _id: p.text().primary(),
    company_id: p.text(),
    project_id: p.text(),
    /** The contact. */
    chat_user: p.text(),
    is_closed: p.boolean(),
    priority: p.text().$type<TicketPriority>().nullable(),
    tag_ids: p.array<string>().columnType('text[]'),
    custom_fields: p.json<Record<string, unknown>>(),
    /** A stage of its pipeline; null only where the project has no pipeline. */
    stage_id: p.text().nullable(),
    prioridad: p.text().nullable(),
    contexto: p.text().nullable(),
    problema: p.text().nullable(),
    recomendaciones: p.text().nullable(),
    resolution: p.text().$type<TicketResolution>().nullable(),
    category: p.text().nullable(),
    /** The id in the client's own system. Unique in the project. */
    external_id: p.text().nullable(),
    /** Null: a person where the ticket is assigned, nobody otherwise. */
    handled_by: p.text().$type<TicketHandler>().nullable(),
    /** A user of the company. */
    assigned_to: p.text().nullable(),
    amount: p.decimal('number').columnType('numeric').nullable(),
    amount_currency: p.text().nullable(),
    amount_status: p.text().$type<AmountStatus>().nullable(),
    conversation_summary: p.json<ConversationSummary>().nullable(),
    /** Counts its changes, starting at 1; sent in `ETag` and `If-Match`. */
    version: p.integer(),
    closed_at: p.datetime(3).nullable(),
    created_at: p.datetime(3),
    updated_at: p.datetime(3),
  },
})

export type Ticket = InferEntity<typeof Ticket>

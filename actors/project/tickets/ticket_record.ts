/** The ticket as others see it. */
import type { ActiveTicket, TicketView } from '../../../storage/mod.ts'

/** The definitions that a ticket's record shows. */
type Shown = Pick<TicketView, 'tags' | 'users'>

export type TicketRecord = ReturnType<typeof toTicketRecord>

/** `contact` is missing if it was deleted directly in the database. */
export function toTicketRecord(ticket: ActiveTicket, contact: TicketView['contact'], definitions: Shown) {
  return {
    _id: ticket._id,
    chat_user: ticket.chat_user,
    is_closed: ticket.is_closed,
    priority: ticket.priority ?? null,
    tags: tagsOf(ticket.tag_ids, definitions),
    custom_fields: ticket.custom_fields,
    created_at: ticket.created_at,
    updated_at: ticket.updated_at,
    chat_user_name: contact?.name ?? null,
    chat_user_avatar: contact?.avatar ?? null,
    chat_user_channel: contact?.channel_type ?? null,
    chat_user_channel_id: contact?.channel_id ?? null,
    stage: stageOf(ticket),
    resolution: ticket.resolution ?? null,
    category: ticket.category ?? null,
    assigned_to: assigneeOf(ticket.assigned_to, definitions),
    amount: ticket.amount ?? null,
    amount_currency: ticket.amount_currency ?? null,
    amount_status: ticket.amount_status ?? null,
    conversation_summary: ticket.conversation_summary ?? null,
    closed_at: ticket.closed_at ?? null,
    version: ticket.version,
    unread_count: ticket.unread_count,
    last_activity_at: ticket.last_activity_at,
  }
}

/** The stage with the texts of the last move. */
export function stageOf({ stage_id, prioridad, contexto, problema, recomendaciones }: ActiveTicket) {
  return {
    stage_id: stage_id ?? null,
    prioridad: prioridad ?? null,
    contexto: contexto ?? null,
    problema: problema ?? null,
    recomendaciones: recomendaciones ?? null,
  }
}

/** Deleted tags are left out. */
export function tagsOf(ids: readonly string[], { tags }: Pick<Shown, 'tags'>) {
  const shown = []
  for (const id of ids) {
    const tag = tags.get(id)
    if (tag) shown.push({ id, name: tag.name, color: tag.color ?? null })
  }
  return shown
}

/** The assignee; null when there is none or the user is unknown. */
export function assigneeOf(id: string | null | undefined, { users }: Pick<Shown, 'users'>) {
  const user = id ? users.get(id) : undefined
  return user ? { id: user._id, full_name: user.full_name, email: user.email } : null
}

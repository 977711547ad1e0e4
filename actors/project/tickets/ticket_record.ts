/** The ticket as others see it. */
import type { ActiveTicket, TicketHandler, TicketView } from '../../../storage/mod.ts'
import { type TicketRecord, ticketColumns, ticketStage } from '../../records/mod.ts'
import { valuesOf } from '../../schema/mod.ts'

/** The definitions that a ticket's record shows. */
type Definitions = Pick<TicketView, 'tags' | 'users'>

/** `contact` is missing if it was deleted directly in the database. */
export function toTicketRecord(
  ticket: ActiveTicket,
  contact: TicketView['contact'],
  definitions: Definitions,
): TicketRecord {
  return {
    ...valuesOf(ticketColumns, ticket),
    chat_user_name: contact?.name ?? null,
    chat_user_avatar: contact?.avatar ?? null,
    chat_user_channel: contact?.channel_type ?? null,
    chat_user_channel_id: contact?.channel_id ?? null,
    stage: stageOf(ticket),
    tags: tagsOf(ticket.tag_ids, definitions),
    assigned_to: assigneeOf(ticket.assigned_to, definitions),
    handled_by: handledBy(ticket),
  }
}

/** Whose turn it is to answer. */
export function handledBy({
  handled_by,
  assigned_to,
}: Pick<ActiveTicket, 'handled_by' | 'assigned_to'>): TicketHandler {
  return handled_by ?? (assigned_to ? 'person' : 'nobody')
}

/** The stage with the texts of the last move. */
export function stageOf(ticket: ActiveTicket): TicketRecord['stage'] {
  return valuesOf(ticketStage, ticket)
}

/** Deleted tags are left out. */
export function tagsOf(ids: readonly string[], { tags }: Pick<Definitions, 'tags'>) {
  const COLUMNS = []
  for (const id of ids) {
    const tag = tags.get(id)
    if (tag) COLUMNS.push({ id, name: tag.name, color: tag.color ?? null })
  }
  return COLUMNS
}

/** The assignee; null when there is none or the user is unknown. */
export function assigneeOf(id: string | null | undefined, { users }: Pick<Definitions, 'users'>) {
  const user = id ? users.get(id) : undefined
  return user ? { id: user._id, full_name: user.full_name, email: user.email } : null
}

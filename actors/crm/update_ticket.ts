/** `PATCH /v1/crm/tickets/{id}`: only what was sent is written, the rules of stages do not run. */
import type { AmountStatus, ConversationSummary, TicketPriority, TicketResolution } from '../../storage/mod.ts'
import type { ProjectTurn } from '../project/events.ts'
import type { CommandResult } from '../project/request.ts'
import { refuse } from '../refuse.ts'
import { changeTicket, crmOf, recordOf, type TicketPatch } from './change_ticket.ts'

export type UpdateTicket = {
  type: 'update_ticket'
  id: string
  patch: {
    is_closed?: boolean
    resolution?: TicketResolution | null
    priority?: TicketPriority | null
    category?: string | null
    assigned_to?: string | null
    custom_fields?: Record<string, unknown>
    amount?: number | null
    amount_currency?: string | null
    amount_status?: AmountStatus | null
    conversation_summary?: ConversationSummary | null
    tag_ids?: string[]
    add_tag_ids?: string[]
    remove_tag_ids?: string[]
  }
}

export function updateTicket(turn: ProjectTurn, { id, patch }: UpdateTicket): CommandResult {
  const { tickets, definitions } = crmOf(turn)
  const ticket = tickets.get(id)
  if (!ticket) throw refuse('NOT_FOUND')
  const { tag_ids, add_tag_ids = [], remove_tag_ids = [], ...fields } = patch
  const unknown = [...(tag_ids ?? []), ...add_tag_ids, ...remove_tag_ids].filter((tag) => !definitions.tags.has(tag))
  if (unknown.length > 0) throw refuse('TAG_NOT_FOUND', { tag_ids: [...new Set(unknown)] })
  const { assigned_to } = fields
  if (assigned_to && !definitions.users.get(assigned_to)?.is_active) throw refuse('ASSIGNEE_NOT_FOUND', { assigned_to })
  const tags = new Set(tag_ids ?? ticket.tag_ids)
  for (const tag of add_tag_ids) tags.add(tag)
  for (const tag of remove_tag_ids) tags.delete(tag)
  const was_closed = ticket.is_closed
  const { changed } = changeTicket(turn, ticket, { ...(fields as TicketPatch), tag_ids: [...tags] })
  const just_closed = !was_closed && ticket.is_closed
  const reopened = was_closed && !ticket.is_closed
  const action = just_closed ? 'closed' : reopened ? 'reopened' : changed.length > 0 ? 'updated' : 'unchanged'
  return { body: { ticket: recordOf(turn, ticket), just_closed, action } }
}

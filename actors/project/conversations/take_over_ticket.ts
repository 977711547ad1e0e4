/** `POST /v1/crm/tickets/{id}/take-over`: the assistant stops at once. */
import { refuse } from '../../refuse.ts'
import { definitionsOf } from '../definitions/reads.ts'
import { auditedTicket } from '../tickets/audited.ts'
import { changeTicket, recordOf } from '../tickets/change_ticket.ts'
import { notifyAssignee } from '../tickets/notify_assignee.ts'
import { ticketsOf, wantTickets } from '../tickets/reads.ts'
import { mustHaveVersion } from '../tickets/version.ts'
import { agentOf, type Command } from '../turn/feature.ts'

/**
 * `user_id`: the person who gets the ticket; null leaves it to nobody, until somebody answers. Without one it is the agent who
 * asks, where the ticket has no assignee.
 */
export type TakeOverTicket = {
  type: 'take_over_ticket'
  id: string
  user_id?: string | null | undefined
  if_match?: string[] | undefined
}

/** @throws {Refusal} NOT_FOUND, PRECONDITION_FAILED, TICKET_CLOSED, ASSIGNEE_NOT_FOUND */
export const takeOverTicket = {
  audit: auditedTicket,
  reads(reads, { id }) {
    wantTickets(reads, id)
  },
  run(turn, { id, user_id, if_match }, context) {
    const ticket = ticketsOf(turn).by_id.get(id)
    if (!ticket) throw refuse('NOT_FOUND')
    mustHaveVersion(ticket, if_match)
    if (ticket.is_closed) throw refuse('TICKET_CLOSED')
    const { users } = definitionsOf(turn)
    if (user_id && user_id !== ticket.assigned_to && !users.get(user_id)?.is_active) {
      throw refuse('ASSIGNEE_NOT_FOUND', { assigned_to: user_id })
    }
    const agent = agentOf(context)
    const before = ticket.assigned_to
    const own = user_id === undefined && !before ? agent : undefined
    const assigned_to = user_id ?? own
    const handled_by = user_id === null ? 'nobody' : 'person'
    changeTicket(turn, ticket, { handled_by, ...(assigned_to && { assigned_to }) }, { user_id: agent })
    notifyAssignee(turn, before, ticket, context)
    return { body: { ticket: recordOf(turn, ticket) } }
  },
} satisfies Command<TakeOverTicket>

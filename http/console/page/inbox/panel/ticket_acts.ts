/** The commonest actions of agents on a ticket, from its panel and from the head of its thread. */

import { toastRefused } from '../../crm/record/refused.ts'
import type { TicketChanges } from '../../crm/record/ticket_changes.ts'
import type { Project } from '../../data/project.ts'
import type { AnyRecord } from '../../records/record.ts'
import { toast } from '../../ui/overlays/toast.ts'

export function ticketActs(project: Project, ticket_id: string, changes: TicketChanges) {
  /** Changes fields; a refusal is told. */
  const patch = (what: string, json: AnyRecord, overlay: AnyRecord = json, more: { is_mergeable?: boolean } = {}) =>
    changes.patch(what, json, overlay, more).catch((fault) => toastRefused(project.id, 'ticket', what, fault))
  const assign = (id: string | null) => {
    const user = project.definitions.peek()?.users.find(({ _id }) => _id === id)
    const assigned_to = user ? { id: user._id, full_name: user.full_name, email: user.email } : null
    return patch('the assignee', { assigned_to: id }, { assigned_to })
  }
  const reopen = () => patch('the state', { is_closed: false }, { is_closed: false, resolution: null })
  const close = async (resolution: 'won' | 'lost' | null) => {
    await patch('the state', { is_closed: true, resolution }, { is_closed: true, resolution })
    const ticket = project.records.get('ticket', ticket_id)
    // Agents close one ticket after the other, and see several of these messages at once.
    const of = ticket?.chat_user_name ? ` of ${ticket.chat_user_name}` : ''
    if (ticket?.is_closed) toast(`The ticket${of} is closed.`, { undo: reopen })
    return ticket?.is_closed ?? false
  }
  return { patch, assign, close, reopen }
}

/** The agents to whom a ticket can be assigned, as options. */
export function assignees(project: Project) {
  const users = project.definitions.value?.users.filter(({ is_active }) => is_active) ?? []
  return users.map(({ _id, full_name }) => ({
    value: _id,
    text: _id === project.user._id ? `${full_name} (you)` : full_name,
  }))
}

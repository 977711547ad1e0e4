/** The commonest actions of agents on a ticket, from its panel and from the head of its thread. */
import { toast, toastFault } from '../../ui/toast.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */

/**
 * @param {import('../../data/project.js').Project} project
 * @param {string} ticket_id
 * @param {import('./ticket_changes.js').TicketChanges} changes
 */
export function ticketActs(project, ticket_id, changes) {
  /**
   * Changes fields; a refusal is told.
   *
   * @param {string} what
   * @param {AnyRecord} json
   * @param {AnyRecord} [shown]
   * @param {{ is_mergeable?: boolean }} [more]
   */
  const patch = (what, json, shown = json, more = {}) =>
    changes.patch(what, json, shown, more).catch((fault) => toastFault(`Parley did not change ${what}`, fault))
  /** @param {string | null} id */
  const assign = (id) => {
    const user = project.definitions.peek()?.users.find(({ _id }) => _id === id)
    const assigned_to = user ? { id: user._id, full_name: user.full_name, email: user.email } : null
    return patch('the assignee', { assigned_to: id }, { assigned_to })
  }
  const reopen = () => patch('the state', { is_closed: false }, { is_closed: false, resolution: null })
  /** @param {'won' | 'lost' | null} resolution */
  const close = async (resolution) => {
    await patch('the state', { is_closed: true, resolution }, { is_closed: true, resolution })
    const ticket = project.records.get('ticket', ticket_id)
    // Agents close one ticket after the other, and see several of these messages at once.
    const of = ticket?.chat_user_name ? ` of ${ticket.chat_user_name}` : ''
    if (ticket?.is_closed) toast(`The ticket${of} is closed.`, { undo: reopen })
    return ticket?.is_closed ?? false
  }
  return { patch, assign, close, reopen }
}

/**
 * The agents to whom a ticket can be assigned, as options.
 *
 * @param {import('../../data/project.js').Project} project
 */
export function assignees(project) {
  const users = project.definitions.value?.users.filter(({ is_active }) => is_active) ?? []
  return users.map(({ _id, full_name }) => ({
    value: _id,
    text: _id === project.user._id ? `${full_name} (you)` : full_name,
  }))
}

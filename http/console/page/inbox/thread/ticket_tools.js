/** Assigning and closing the ticket, in the head of its thread. */
import { html } from 'htm/preact'
import { useActions } from '../../app/actions.js'
import { Icon } from '../../ui/icons.js'
import { Menu } from '../../ui/menu.js'
import { assignees, ticketActs } from '../panel/ticket_acts.js'

/**
 * @param {Pick<import('../mod.js').ThreadProps, 'project' | 'thread'>} props
 */
export function TicketTools({ project, thread }) {
  const ticket = thread.ticket.value
  const { assign, close, reopen } = ticketActs(project, thread.ticket_id, thread.changes)
  const is_closed = ticket?.is_closed ?? false
  const resolution = ticket?.resolution ?? null
  useActions(() => {
    if (!ticket) return []
    const common = { group: 'Ticket' }
    return [
      {
        ...common,
        text: 'Assign the ticket to me',
        icon: 'assign',
        keys: 'a',
        act: () => void assign(project.user._id),
      },
      { ...common, text: 'Assign the ticket to nobody', icon: 'assign', act: () => void assign(null) },
      is_closed
        ? { ...common, text: 'Reopen the ticket', icon: 'refresh', keys: 'e', act: () => void reopen() }
        : { ...common, text: 'Close the ticket', icon: 'done', keys: 'e', act: () => void close(resolution) },
    ]
  }, [thread, ticket === undefined, is_closed, resolution])
  if (!ticket) return null
  const assignee = ticket.assigned_to
  const items = [{ value: null, text: 'Nobody' }, ...assignees(project)].map(({ value, text }) => ({
    text,
    is_on: value === (assignee?.id ?? null),
    act: () => void assign(value),
  }))
  return html`<${Menu}
      id="assign"
      label=${`Assign, now ${assignee?.full_name ?? 'nobody'}`}
      title=${assignee ? `Assigned to ${assignee.full_name}` : 'Assign (a: to me)'}
      class=${assignee ? 'quiet icon-button is-on' : 'quiet icon-button'}
      button=${html`<${Icon} name="assign" />`}
      items=${items}
    />
    ${
      is_closed
        ? html`<button type="button" class="quiet icon-button" aria-label="Reopen" title="Reopen (e)" onClick=${reopen}><${Icon} name="refresh" /></button>`
        : html`<button type="button" class="quiet icon-button" aria-label="Close the ticket" title="Close the ticket (e)" onClick=${() => close(resolution)}><${Icon} name="done" /></button>`
    }`
}

/** Assigning, selecting and closing the ticket, in the head of its thread. After a close the next ticket of the list opens. */

import { useActions } from '../../../ui/actions.ts'
import { Menu } from '../../../ui/overlays/menu.tsx'
import { toastFault } from '../../../ui/overlays/toast.ts'
import { Icon } from '../../../ui/pictures/icons.tsx'
import { assignees, ticketActs } from '../../panel/ticket_acts.ts'
import type { ThreadProps } from '../thread_props.ts'
import type { Details } from './details_place.ts'
import { goToList, goToTicket, neighborOf } from './next_ticket.ts'

export function TicketTools({
  project,
  inbox,
  thread,
  details,
}: Pick<ThreadProps, 'project' | 'inbox' | 'thread'> & { details: Details }) {
  const ticket = thread.ticket.value
  const { ticket_id } = thread
  const { assign, close: end, reopen } = ticketActs(project, ticket_id, thread.changes)
  const close = async (resolution: 'won' | 'lost' | null) => {
    // Read before the ticket leaves the list.
    const next = neighborOf(inbox.list.peek()?.ids.peek() ?? [], ticket_id)
    const is_closed = await end(resolution)
    const is_here = location.hash.includes(ticket_id)
    if (is_closed && is_here && next) goToTicket(project.id, next)
  }
  const turn = () => inbox.choose(ticket_id, !inbox.chosen.peek().has(ticket_id))
  /** Selects the ticket and opens the one at this distance, which is selected too. */
  const selectTo = (step: number) => {
    const ids = inbox.list.peek()?.ids.peek() ?? []
    const next = ids[ids.indexOf(ticket_id) + step]
    inbox.choose(ticket_id, true)
    if (!next || !ids.includes(ticket_id)) return
    inbox.choose(next, true)
    goToTicket(project.id, next)
  }
  /** A thread in view is read: the agent leaves it first. */
  const leaveUnread = () => {
    goToList(project.id)
    thread.read_mark.unread().catch((fault) => toastFault('The ticket was not marked as unread', fault))
  }
  /** Puts the focus on a field of the panel, which may be hidden. */
  const focusField = (name: string) => {
    if (!details.is_shown) details.turn()
    requestAnimationFrame(() => {
      const labels = [...document.querySelectorAll('.inbox-panel label')]
      const label = labels.find(({ textContent }) => textContent === name) as HTMLLabelElement | undefined
      const named = document.querySelector(`.inbox-panel [aria-label="${name}"]`) as HTMLElement | null
      ;(label?.control ?? named)?.focus()
    })
  }
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
      { ...common, text: 'Mark the ticket as unread', icon: 'inbox', keys: 'shift+u', act: leaveUnread },
      { ...common, text: 'Set the priority', icon: 'filter', keys: 'p', act: () => focusField('Priority') },
      { ...common, text: 'Add a tag', icon: 'tag', keys: 't', act: () => focusField('Add a tag') },
      { ...common, text: 'Select the ticket', icon: 'check', keys: 'x', act: turn },
      { ...common, text: 'Select down to the next ticket', keys: 'shift+j', act: () => selectTo(1) },
      { ...common, text: 'Select up to the previous ticket', keys: 'shift+k', act: () => selectTo(-1) },
    ]
  }, [thread, inbox, details.is_shown, ticket === undefined, is_closed, resolution])
  if (!ticket) return null
  const assignee = ticket.assigned_to
  const items = [{ value: null, text: 'Nobody' }, ...assignees(project)].map(({ value, text }) => ({
    text,
    is_on: value === (assignee?.id ?? null),
    act: () => void assign(value),
  }))
  return (
    <>
      <Menu
        id="assign"
        label={`Assign, now ${assignee?.full_name ?? 'nobody'}`}
        title={assignee ? `Assigned to ${assignee.full_name}` : 'Assign (a: to me)'}
        class={assignee ? 'quiet icon-button is-on' : 'quiet icon-button'}
        button={<Icon name="assign" />}
        items={items}
      />
      {is_closed ? (
        <button type="button" class="quiet icon-button" aria-label="Reopen" title="Reopen (e)" onClick={reopen}>
          <Icon name="refresh" />
        </button>
      ) : (
        <button
          type="button"
          class="quiet icon-button"
          aria-label="Close the ticket"
          title="Close the ticket (e)"
          onClick={() => close(resolution)}
        >
          <Icon name="done" />
        </button>
      )}
    </>
  )
}

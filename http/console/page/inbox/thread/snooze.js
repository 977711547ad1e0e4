/** Snoozing the ticket: it comes back at its time, or when the person writes. */
import { html } from 'htm/preact'
import { useActions } from '../../app/actions.js'
import { faultOf } from '../../data/errors.js'
import { exactly } from '../../ui/format.js'
import { Icon } from '../../ui/icons.js'
import { move } from '../../ui/menu.js'
import { Popover } from '../../ui/popover.js'
import { toast, toastFault } from '../../ui/toast.js'
import { MomentChoice } from '../composer/moment_choice.js'
import { momentText } from '../composer/moments.js'

/** @typedef {import('../mod.js').ThreadProps} ThreadProps */

/**
 * @param {ThreadProps} props
 */
export function Snooze({ project, inbox, thread }) {
  const { ticket_id } = thread
  const row = inbox.list.value?.row(ticket_id)?.value
  const is_closed = thread.ticket.value?.is_closed ?? true
  const is_snoozed = row?.snoozed_at != null
  const path = `inbox/tickets/${ticket_id}/snooze`
  /** @param {{ snoozed_at: string | null, snoozed_until: string | null }} times */
  const show = ({ snoozed_at, snoozed_until }) =>
    inbox.list.peek()?.change(ticket_id, (row) => ({ ...row, snoozed_at, snoozed_until }))
  const wake = () =>
    project.api.delete(path).then(show, (error) => toastFault('The ticket is still snoozed', faultOf(error)))
  /** @param {Date | null} until */
  const snooze = (until) =>
    project.api.post(path, until ? { until: until.toISOString() } : {}).then(
      (times) => {
        show(times)
        toast(until ? `Snoozed: ${momentText(until)}.` : 'Snoozed until the person writes.', {
          undo: () => void wake(),
        })
      },
      (error) => toastFault('The ticket was not snoozed', faultOf(error)),
    )
  useActions(
    () =>
      is_closed
        ? []
        : [
            is_snoozed
              ? { text: 'End the snooze', group: 'Ticket', icon: 'snooze', keys: 'z', act: () => void wake() }
              : {
                  text: 'Snooze',
                  group: 'Ticket',
                  icon: 'snooze',
                  keys: 'z',
                  act: () => document.getElementById('snooze')?.showPopover(),
                },
          ],
    [ticket_id, is_snoozed, is_closed],
  )
  if (is_closed) return null
  return html`<${Popover}
    id="snooze"
    label=${is_snoozed ? 'Snoozed' : 'Snooze'}
    title=${is_snoozed ? `Snoozed${row.snoozed_until ? ` until ${exactly(row.snoozed_until)}` : ' until the person writes'}` : 'Snooze (z)'}
    class=${is_snoozed ? 'quiet icon-button is-on' : 'quiet icon-button'}
    button=${html`<${Icon} name="snooze" />`}
    onOpen=${(/** @type {HTMLElement} */ panel) => panel.querySelector('button')?.focus()}
    key=${ticket_id}
  >
    ${(/** @type {() => void} */ close) => {
      const then = (/** @type {() => void} */ act) => () => {
        close()
        act()
      }
      return html`<div class="snooze" onKeyDown=${moveBesideField}>
        ${
          is_snoozed &&
          html`<p class="faint">${row.snoozed_until ? `Snoozed: ${momentText(new Date(row.snoozed_until))}` : 'Snoozed until the person writes'}</p>
            <button type="button" class="menu-item" onClick=${then(wake)}><${Icon} name="bell" /> <span>Bring it back now</span></button>`
        }
        <button type="button" class="menu-item" onClick=${then(() => snooze(null))}><span>Until the person writes</span></button>
        <${MomentChoice}
          action="Snooze"
          onChoose=${(/** @type {Date} */ at) => {
            close()
            void snooze(at)
          }}
        />
      </div>`
    }}
  <//>`
}

/** Keys in the field of another time are its own. @param {KeyboardEvent & { currentTarget: HTMLElement }} event */
function moveBesideField(event) {
  if (!(event.target instanceof HTMLInputElement)) move(event)
}

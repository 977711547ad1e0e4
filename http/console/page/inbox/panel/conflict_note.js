/** A change of the agent that would have undone somebody's. */
import { html } from 'htm/preact'
import { Icon } from '../../ui/icons.js'
import { toastFault } from '../../ui/toast.js'
import { valueText } from './words.js'

/**
 * A conflict, with both ways out of it.
 *
 * @param {{ changes: Pick<import('./ticket_changes.js').TicketChanges, 'conflict' | 'yield'> }} props
 */
export function ConflictNote({ changes }) {
  const conflict = changes.conflict.value
  if (!conflict) return null
  const { what, theirs, mine } = conflict
  const [now, wanted] = [theirs, mine].map((fields) => Object.values(fields).map(valueText).join(', '))
  const insist = () =>
    conflict.insist().catch((/** @type {any} */ fault) => toastFault(`Parley did not change ${what}`, fault))
  return html`<div class="panel-conflict" role="alert">
    <p><${Icon} name="alert" /> Somebody changed ${what} while you did. It is ${now} now; you wanted ${wanted}.</p>
    <div class="actions">
      <button type="button" class="button" onClick=${() => changes.yield()}>Keep theirs</button>
      <button type="button" class="button" onClick=${insist}>Use mine</button>
    </div>
  </div>`
}

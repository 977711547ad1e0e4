/** The tickets of a contact or of a customer. */
import { html } from 'htm/preact'
import { amountText } from '../inbox/panel/amount.js'
import { inboxPlace } from '../inbox/places.js'
import { nameOfStage } from '../inbox/rows.js'
import { Moment } from '../ui/moment.js'
import { Trouble } from '../ui/trouble.js'

/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */

/**
 * @param {{
 *   project: import('../data/project.js').Project
 *   tickets: import('../inbox/panel/details.js').Reading
 *   has_names: boolean
 * }} props
 */
export function TicketList({ project, tickets, has_names }) {
  const list = tickets.data.value
  const fault = tickets.fault.value
  const definitions = project.definitions.value
  return html`<section class="card person-tickets" aria-label="Tickets">
    <h2>Tickets ${list && list.length > 0 && html`<span class="tab-count">${list.length}</span>`}</h2>
    ${!list && fault && html`<${Trouble} title="The tickets could not be loaded" error=${fault} onRetry=${() => tickets.read()} />`}
    ${!list && !fault && html`<p class="faint" role="status">Loading…</p>`}
    ${list?.length === 0 && html`<p class="faint">No ticket yet. One is opened when the person writes.</p>`}
    <ul>
      ${list?.map((/** @type {AnyRecord} */ ticket) => {
        const { _id, is_closed, resolution, category, conversation_summary, stage, amount, amount_currency } = ticket
        const title = conversation_summary?.motivo || category || 'Ticket'
        const stage_name = nameOfStage(stage.stage_id, definitions)
        const state = is_closed ? ['Closed', resolution].filter(Boolean).join(', ') : 'Open'
        return html`<li key=${_id}>
          <div class="person-ticket">
            <a href=${inboxPlace(project.id, { view: is_closed ? 'closed' : 'all', ticket_id: _id })}>${title}</a>
            <p class="faint">
              ${[has_names && ticket.chat_user_name, stage_name, amountText(amount, amount_currency), ticket.assigned_to?.full_name].filter(Boolean).join(' · ')}
            </p>
          </div>
          <span class=${is_closed ? 'badge' : 'badge sending'}>${state}</span>
          <span class="faint person-when"><${Moment} at=${ticket.last_activity_at} /></span>
        </li>`
      })}
    </ul>
  </section>`
}

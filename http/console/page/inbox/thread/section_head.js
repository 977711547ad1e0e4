/** The head of a ticket within the conversation with its person: when it was opened, and how it ended. */
import { html } from 'htm/preact'
import { exactly, moment } from '../../ui/format.js'
import { memo } from '../../ui/memo.js'
import { inboxPlace } from '../places.js'

export const SectionHead = memo(
  /** @param {{ section: import('./sections.js').Section, project: import('../../data/project.js').Project }} props */
  ({ section: { ticket_id, created_at, is_own, closed_at, resolution }, project }) => {
    const opened = `${is_own ? 'This ticket' : 'Former ticket'}, opened ${moment(created_at)}`
    const end = closed_at && `closed ${moment(closed_at)}${resolution ? `, ${resolution}` : ''}`
    return html`<h4 class="inbox-section" title=${exactly(created_at)}>
      ${is_own ? html`<span>${opened}</span>` : html`<a href=${inboxPlace(project.id, { view: 'closed', ticket_id })}>${opened}</a>`}
      ${!is_own && end && html`<span class="faint"> · ${end}</span>`}
    </h4>`
  },
)

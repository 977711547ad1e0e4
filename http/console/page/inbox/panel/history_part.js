/** The notes of the ticket, and the other tickets of its contact, in the panel. */
import { html } from 'htm/preact'
import { addressOf } from '../../app/places.js'
import { Icon } from '../../ui/icons.js'
import { Moment } from '../../ui/moment.js'
import { Part } from './fields.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../../data/project.js').Project} Project */

/**
 * Notes are written in the composer, which has their mentions and drafts; `onWrite` leads there.
 *
 * @param {{ details: import('./details.js').Details, onWrite(): void }} props
 */
export function NotesPart({ details, onWrite }) {
  const page = details.notes.data.value
  const notes = page?.data ?? []
  return html`<${Part} title="Notes" count=${page?.next_cursor ? undefined : notes.length}>
    <button type="button" class="button panel-note" onClick=${onWrite}><${Icon} name="note" /> Write a note</button>
    <ul class="panel-list">
      ${notes.map(
        (/** @type {AnyRecord} */ { _id, content, created_by, created_at }) => html`<li key=${_id}>
          <p class="panel-text">${content}</p>
          <p class="faint">${created_by.full_name} · <${Moment} at=${created_at} /></p>
        </li>`,
      )}
    </ul>
    ${page?.next_cursor && html`<p class="faint">Older ones are in the thread.</p>`}
  <//>`
}

/**
 * @param {{ project: Project, ticket: AnyRecord, details: import('./details.js').Details }} props
 */
export function HistoryPart({ project, ticket, details }) {
  const page = details.tickets.data.value
  const others = page?.data.filter((/** @type {AnyRecord} */ { _id }) => _id !== ticket._id) ?? []
  if (others.length === 0) return null
  /** @param {string} id */
  const address = (id) => addressOf(project.id, 'inbox', ['all', id])
  return html`<${Part} title="Other tickets" count=${page.total - 1} is_open=${false}>
    <ul class="panel-list">
      ${others.map(
        (/** @type {AnyRecord} */ { _id, category, is_closed, resolution, created_at }) => html`<li key=${_id}>
          <a href=${address(_id)}>${category ?? 'Ticket'}</a>
          <p class="faint"><${Moment} at=${created_at} /> · ${is_closed ? ['closed', resolution].filter(Boolean).join(', ') : 'open'}</p>
        </li>`,
      )}
    </ul>
  <//>`
}

/** The notes of the ticket, and the other tickets of its contact, in the panel. */
import { html } from 'htm/preact'
import { addressOf } from '../../app/places.js'
import { errorText } from '../../data/errors.js'
import { Moment } from '../../ui/moment.js'
import { Part } from './fields.js'
import { useNewNote } from './new_note.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../../data/project.js').Project} Project */

/**
 * @param {{ project: Project, ticket: AnyRecord, details: import('./details.js').Details }} props
 */
export function NotesPart({ project, ticket, details }) {
  const about = { ticket_id: ticket._id, chat_user: ticket.chat_user }
  const { content, submitted, typed, is_busy, fault } = useNewNote(project, about, () => details.notes.read())
  const page = details.notes.data.value
  const notes = page?.data ?? []
  return html`<${Part} title="Notes" count=${page?.next_cursor ? undefined : notes.length}>
    <form class="panel-note" onSubmit=${submitted}>
      <textarea class="panel-field" rows="2" maxlength="5000" aria-label="New note" placeholder="For colleagues only" value=${content} onInput=${typed}></textarea>
      ${content.trim() !== '' && html`<button type="submit" class="button" aria-busy=${String(is_busy)}>Add note</button>`}
      ${fault && html`<p class="field-error" role="alert">${errorText(fault)}</p>`}
    </form>
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

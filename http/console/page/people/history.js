/** The history of a contact, and the form of a note. */
import { html } from 'htm/preact'
import { errorText } from '../data/errors.js'
import { textOf, wordsOf } from '../inbox/preview.js'
import { EventEntry, NoteEntry } from '../inbox/thread/entry.js'
import { words } from '../inbox/thread/words.js'
import { Ticks } from '../inbox/ticks.js'
import { Moment } from '../ui/moment.js'
import { Trouble } from '../ui/trouble.js'
import { useNewNote } from './new_note.js'

/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../data/project.js').Project} Project */

/**
 * @param {{ project: Project, timeline: import('./timeline.js').Timeline }} props
 */
export function TimelineView({ project, timeline }) {
  const entries = timeline.entries.value
  const state = timeline.state.value
  const fault = timeline.fault.value
  if (state === 'loading') return html`<p class="faint" role="status">Loading…</p>`
  if (state === 'failed') {
    return html`<${Trouble} title="The timeline could not be loaded" error=${fault} onRetry=${() => timeline.read()} />`
  }
  return html`${entries.length === 0 && html`<p class="faint">Nothing has happened yet.</p>`}
    <ol class="person-entries">
      ${entries.map(({ kind, id, record }) => html`<li key=${id}><${One} kind=${kind} record=${record} project=${project} /></li>`)}
    </ol>
    ${fault && html`<${Trouble} title="Older entries could not be loaded" error=${fault} onRetry=${() => timeline.readMore()} />`}
    ${
      timeline.has_more.value &&
      !fault &&
      html`<button type="button" class="button" aria-busy=${String(timeline.is_loading.value)} onClick=${() => timeline.readMore()}>
        ${timeline.is_loading.value ? 'Loading…' : 'Show older'}
      </button>`
    }`
}

/**
 * @param {{ kind: string, record: AnyRecord, project: Project }} props
 */
function One({ kind, record, project }) {
  if (kind === 'note') return html`<${NoteEntry} note=${record} project=${project} />`
  if (kind === 'event') return html`<${EventEntry} event=${record} project=${project} />`
  const is_outbound = record.direction === 'outbound'
  // Notices, such as an edit, have no words of their own.
  const notice = textOf(record.message)
    ? undefined
    : /** @type {Partial<Record<string, string>>} */ (words)[record.type]
  return html`<article class=${is_outbound ? 'person-message is-outbound' : 'person-message'}>
    <p>${notice ?? wordsOf(record)}</p>
    <p class="faint">
      ${is_outbound ? html`<${Ticks} status=${record.status} /> Sent` : 'Received'} · <${Moment} at=${record.created_at} />
    </p>
  </article>`
}

/**
 * @param {{ project: Project, contact: AnyRecord, onWritten(): void }} props
 */
export function NoteForm({ project, contact, onWritten }) {
  const about = { chat_user: contact._id }
  const { content, submitted, typed, is_busy, fault } = useNewNote(project, about, onWritten)
  return html`<form class="person-note" onSubmit=${submitted}>
    <textarea rows="2" maxlength="5000" aria-label="New note" placeholder="Write a note, for colleagues only" value=${content} onInput=${typed}></textarea>
    ${content.trim() !== '' && html`<button type="submit" class="button" aria-busy=${String(is_busy)}>Add note</button>`}
    ${fault && html`<p class="field-error" role="alert">${errorText(fault)}</p>`}
  </form>`
}

/** Notes and events within a thread. */
import { html } from 'htm/preact'
import { Avatar } from '../../ui/avatar.js'
import { clockTime, exactly } from '../../ui/format.js'
import { Icon } from '../../ui/icons.js'
import { memo } from '../../ui/memo.js'
import { eventInWords } from './event_words.js'
import { LeftOut } from './left_out.js'
import { RichText } from './rich_text.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../../data/project.js').Project} Project */

/** @type {Partial<Record<string, string>>} */
const NOTE_KINDS = { call: 'Call', email: 'E-mail', meeting: 'Meeting' }

/** Fields of an event that are shown. */
const MAX_FIELDS = 6

export const NoteEntry = memo(
  /** @param {{ note: AnyRecord, project: Project }} props */
  ({ note: { content, type, created_by, created_at, mentions }, project }) => html`<article class="inbox-note">
    <header>
      <${Icon} name="note" /> <${Avatar} name=${created_by.full_name} id=${created_by.id} size="small" />
      <span class="inbox-note-by">${created_by.full_name ?? 'A former user'}</span>
      <span class="faint">${NOTE_KINDS[type] ?? 'Note'}, for colleagues only</span>
      <time class="faint" datetime=${created_at} title=${exactly(created_at)}>${clockTime(created_at)}</time>
    </header>
    <p class="inbox-text"><${RichText} text=${content} mentioned=${namesOf(mentions, project)} /></p>
  </article>`,
)

export const EventEntry = memo(
  /** @param {{ event: AnyRecord, project: Project }} props */
  ({ event: { event_type, data, created_at }, project }) => {
    const { name, fields } = eventInWords(event_type, data ?? {}, project.definitions.value)
    return html`<article class="inbox-event">
      <${Icon} name="event" />
      <div>
        <p>
          <span class="inbox-event-name">${name}</span>${' '}
          <time class="faint" datetime=${created_at} title=${exactly(created_at)}>${clockTime(created_at)}</time>
        </p>
        ${
          fields.length > 0 &&
          html`<dl>
            ${fields.slice(0, MAX_FIELDS).map(([label, value]) => html`<div key=${label}><dt>${label}</dt><dd>${value}</dd></div>`)}
          </dl>`
        }
        <${LeftOut} count=${fields.length - MAX_FIELDS} />
      </div>
    </article>`
  },
)

/**
 * @param {readonly string[] | undefined} user_ids
 * @param {Project} project
 */
function namesOf(user_ids = [], project) {
  const users = project.definitions.value?.users ?? []
  return users.filter(({ _id }) => user_ids.includes(_id)).map(({ full_name }) => full_name)
}

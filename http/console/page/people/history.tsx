/** The history of a contact, and the form of a note. */

import { EventEntry, NoteEntry } from '../crm/entry/entry.tsx'
import { wordsOf } from '../crm/preview.ts'
import { templatesOf } from '../crm/template_texts.ts'
import { Ticks } from '../crm/ticks.tsx'
import { errorText } from '../data/errors.ts'
import type { Project } from '../data/project.ts'
import type { AnyRecord } from '../records/record.ts'
import { Moment } from '../ui/format/moment.tsx'
import { Trouble } from '../ui/placeholders/trouble.tsx'
import { useNewNote } from './new_note.ts'
import type { Timeline } from './timeline.ts'

export function TimelineView({ project, timeline }: { project: Project; timeline: Timeline }) {
  const entries = timeline.entries.value
  const state = timeline.state.value
  const fault = timeline.fault.value
  if (state === 'loading')
    return (
      <p class="faint" role="status">
        Loading…
      </p>
    )
  if (state === 'failed') {
    return <Trouble title="The timeline could not be loaded" error={fault} onRetry={() => timeline.read()} />
  }
  return (
    <>
      {entries.length === 0 && <p class="faint">Nothing has happened yet.</p>}
      <ol class="person-entries">
        {entries.map(({ kind, id, record }) => (
          <li key={id}>
            <One kind={kind} record={record} project={project} />
          </li>
        ))}
      </ol>
      {fault && <Trouble title="Older entries could not be loaded" error={fault} onRetry={() => timeline.readMore()} />}
      {timeline.has_more.value && !fault && (
        <button type="button" class="button" aria-busy={timeline.is_loading.value} onClick={() => timeline.readMore()}>
          {timeline.is_loading.value ? 'Loading…' : 'Show older'}
        </button>
      )}
    </>
  )
}

function One({ kind, record, project }: { kind: string; record: AnyRecord; project: Project }) {
  if (kind === 'note') return <NoteEntry note={record} project={project} />
  if (kind === 'event') return <EventEntry event={record} project={project} />
  const is_outbound = record.direction === 'outbound'
  return (
    <article class={is_outbound ? 'person-message is-outbound' : 'person-message'}>
      <p>{wordsOf(record, templatesOf(project))}</p>
      <p class="faint">
        {is_outbound ? (
          <>
            <Ticks status={record.status} /> Sent
          </>
        ) : (
          'Received'
        )}{' '}
        · <Moment at={record.created_at} />
      </p>
    </article>
  )
}

export function NoteForm({ project, contact, onWritten }: { project: Project; contact: AnyRecord; onWritten(): void }) {
  const about = { chat_user: contact._id }
  const { content, submitted, typed, is_busy, fault } = useNewNote(project, about, onWritten)
  return (
    <form class="person-note" onSubmit={submitted}>
      <textarea
        rows={2}
        maxlength={5000}
        aria-label="New note"
        placeholder="Write a note, for colleagues only"
        value={content}
        onInput={typed}
      ></textarea>
      {content.trim() !== '' && (
        <button type="submit" class="button" aria-busy={is_busy}>
          Add note
        </button>
      )}
      {fault && (
        <p class="field-error" role="alert">
          {errorText(fault)}
        </p>
      )}
    </form>
  )
}

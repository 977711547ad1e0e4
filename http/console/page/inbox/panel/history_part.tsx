/** The notes of the ticket, and the other tickets of its contact, in the panel. */

import type { Details } from '../../crm/record/details.ts'
import { Part } from '../../crm/record/fields.tsx'
import { addressOf } from '../../data/places.ts'
import type { Project } from '../../data/project.ts'
import type { AnyRecord } from '../../records/record.ts'
import { Moment } from '../../ui/format/moment.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'

/** Notes are written in the composer, which has their mentions and drafts; `onWrite` leads there. */
export function NotesPart({ details, onWrite }: { details: Details; onWrite(): void }) {
  const page = details.notes.data.value
  const notes = page?.data ?? []
  return (
    <Part title="Notes" count={page?.next_cursor ? undefined : notes.length}>
      <button type="button" class="button panel-note" onClick={onWrite}>
        <Icon name="note" /> Write a note
      </button>
      <ul class="panel-list">
        {notes.map(({ _id, content, created_by, created_at }: AnyRecord) => (
          <li key={_id}>
            <p class="panel-text">{content}</p>
            <p class="faint">
              {created_by.full_name} · <Moment at={created_at} />
            </p>
          </li>
        ))}
      </ul>
      {page?.next_cursor && <p class="faint">Older ones are in the thread.</p>}
    </Part>
  )
}

export function HistoryPart({ project, ticket, details }: { project: Project; ticket: AnyRecord; details: Details }) {
  const page = details.tickets.data.value
  const others = page?.data.filter(({ _id }: AnyRecord) => _id !== ticket._id) ?? []
  if (others.length === 0) return null
  const address = (id: string) => addressOf(project.id, 'inbox', ['all', id])
  return (
    <Part title="Other tickets" count={page.total - 1} is_open={false}>
      <ul class="panel-list">
        {others.map(({ _id, category, is_closed, resolution, created_at }: AnyRecord) => (
          <li key={_id}>
            <a href={address(_id)}>{category ?? 'Ticket'}</a>
            <p class="faint">
              <Moment at={created_at} /> · {is_closed ? ['closed', resolution].filter(Boolean).join(', ') : 'open'}
            </p>
          </li>
        ))}
      </ul>
    </Part>
  )
}

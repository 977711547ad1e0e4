/** Notes and events within a thread. */

import { addressOfMedia, addressOfThumbnail, hasThumbnail } from '../../data/media_address.ts'
import type { Project } from '../../data/project.ts'
import type { Note } from '../../records/project_records.ts'
import type { AnyRecord } from '../../records/record.ts'
import { clockTime, exactly } from '../../ui/format/format.ts'
import { memo } from '../../ui/memo.tsx'
import { Avatar } from '../../ui/pictures/avatar.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'
import { savedName, shownName } from '../file_name.ts'
import { eventInWords } from './event_words.ts'
import { LeftOut } from './left_out.tsx'
import { RichText } from './rich_text.tsx'

const NOTE_KINDS: Partial<Record<string, string>> = { call: 'Call', email: 'E-mail', meeting: 'Meeting' }

type NoteAttachment = Note['attachments'][number]

/** Fields of an event that are shown. */
const MAX_FIELDS = 6

export const NoteEntry = memo(
  ({
    note: { content, type, created_by, created_at, mentions, attachments = [] },
    project,
  }: {
    note: AnyRecord
    project: Project
  }) => (
    <article class="inbox-note">
      <header>
        <Icon name="note" /> <Avatar name={created_by.full_name} id={created_by.id} size="small" />
        <span class="inbox-note-by">{created_by.full_name ?? 'A former user'}</span>
        <span class="faint">{NOTE_KINDS[type] ?? 'Note'}, for colleagues only</span>
        <time class="faint" datetime={created_at} title={exactly(created_at)}>
          {clockTime(created_at)}
        </time>
      </header>
      <p class="inbox-text">
        <RichText text={content} mentioned={namesOf(mentions, project)} />
      </p>
      {attachments.map((one: NoteAttachment) => (
        <NoteFile file={one} project={project} key={one.media_id} />
      ))}
    </article>
  ),
)

/** Files of a note are kept here, where any channel finds them. */
function NoteFile({ file: { media_id, filename, mime_type }, project }: { file: NoteAttachment; project: Project }) {
  const address = addressOfMedia(project, media_id, null)
  const source = hasThumbnail(media_id, mime_type) ? addressOfThumbnail(project, media_id, null) : address
  const name = shownName(filename ?? '') || 'File'
  const is_picture = /^image\/(?:png|jpeg|gif|webp)$/.test(mime_type)
  return (
    <a
      class={is_picture ? 'inbox-picture is-image' : 'inbox-card'}
      href={address}
      target="_blank"
      rel="noopener noreferrer"
      download={savedName(filename ?? '')}
    >
      {is_picture ? (
        <img src={source} alt={name} loading="lazy" decoding="async" />
      ) : (
        <>
          <Icon name="file" />{' '}
          <span>
            <b>
              <bdi>{name}</bdi>
            </b>
          </span>{' '}
          <Icon name="download" />
        </>
      )}
    </a>
  )
}

export const EventEntry = memo(
  ({ event: { event_type, data, created_at }, project }: { event: AnyRecord; project: Project }) => {
    const { name, fields } = eventInWords(event_type, data ?? {}, project.definitions.value)
    return (
      <article class="inbox-event">
        <Icon name="event" />
        <div>
          <p>
            <span class="inbox-event-name">{name}</span>{' '}
            <time class="faint" datetime={created_at} title={exactly(created_at)}>
              {clockTime(created_at)}
            </time>
          </p>
          {fields.length > 0 && (
            <dl>
              {fields.slice(0, MAX_FIELDS).map(([label, value]) => (
                <div key={label}>
                  <dt>{label}</dt>
                  <dd>{value}</dd>
                </div>
              ))}
            </dl>
          )}
          <LeftOut count={fields.length - MAX_FIELDS} />
        </div>
      </article>
    )
  },
)

function namesOf(user_ids: readonly string[] | undefined = [], project: Project) {
  const users = project.definitions.value?.users ?? []
  return users.filter(({ _id }) => user_ids.includes(_id)).map(({ full_name }) => full_name)
}

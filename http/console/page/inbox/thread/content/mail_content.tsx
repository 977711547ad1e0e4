/** An e-mail: its subject, its text with what is quoted folded away, and its files by their names. */
import type { TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'
import { RichText } from '../../../crm/entry/rich_text.tsx'
import { savedName, shownName } from '../../../crm/file_name.ts'
import { addressOfMedia } from '../../../data/media_address.ts'
import type { Project } from '../../../data/project.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { Icon } from '../../../ui/pictures/icons.tsx'
import { mailParts, originalText } from './mail_quotes.ts'
import { isWaiting, WaitingFile } from './waiting_file.tsx'

export function MailContent({ message, project }: { message: AnyRecord; project: Project }) {
  const { message: content, channel_id } = message
  const {
    subject,
    body,
    sender,
    cc,
    bcc,
    auto_submitted,
    authentication,
    unreadable,
    original,
    attachments = [],
  } = content ?? {}
  const parts = mailParts(body ?? '')
  const is_empty = parts.every((part) => part.text.trim() === '')
  return (
    <>
      {subject && (
        <p class="inbox-subject">
          <b>{subject}</b>
        </p>
      )}
      {auto_submitted && (
        <p class="inbox-mail-fact">
          <span class="inbox-tag" title={auto_submitted}>
            Automatic e-mail
          </span>
        </p>
      )}
      {sender && <p class="inbox-mail-fact faint">Sent by {personIn(sender)}</p>}
      <People label="CC" people={cc} /> <People label="BCC" people={bcc} />
      {authentication === 'fail' && (
        <p class="inbox-mail-fact">
          <Icon name="alert" /> The address of the sender may be forged: the mail system did not confirm it.
        </p>
      )}
      {unreadable && (
        <p class="inbox-mail-fact">
          <Icon name="alert" /> This e-mail could not be read as a whole.
        </p>
      )}
      {is_empty ? (
        <p class="inbox-kind faint">No text</p>
      ) : (
        parts.map(({ text, is_quoted }, at) =>
          is_quoted ? (
            <details class="inbox-quoted" key={at}>
              <summary>Quoted text</summary>
              <p class="inbox-text">
                <RichText text={text} />
              </p>
            </details>
          ) : (
            <p class="inbox-text" key={at}>
              <RichText text={text} />
            </p>
          ),
        )
      )}
      {attachments.length > 0 && (
        <ul class="inbox-files" aria-label="Attachments">
          {attachments.map((file: AnyRecord, at: number) => (
            <li key={at}>
              <MailFile file={file} channel_id={channel_id} project={project} />
            </li>
          ))}
        </ul>
      )}
      {original && <Original bytes={original} />}
    </>
  )
}

function People({ label, people }: { label: string; people: readonly AnyRecord[] | undefined }) {
  return people?.length ? (
    <p class="inbox-mail-fact faint">
      {label}: {people.map(personIn).join(', ')}
    </p>
  ) : null
}

/** Characters of an original that are shown; a download has all that was kept. */
const MAX_SHOWN = 20_000

/**
 * An e-mail as it came, for those who can make sense of it.
 *
 * @param props in base64
 */
function Original({ bytes }: { bytes: string }) {
  const [is_open, setOpen] = useState(false)
  const toggle = ({ currentTarget }: TargetedEvent<HTMLDetailsElement>) => setOpen(currentTarget.open)
  const text = is_open ? originalText(bytes) : ''
  return (
    <details class="inbox-quoted" onToggle={toggle}>
      <summary>Show original</summary>
      {is_open && (
        <>
          <pre class="inbox-original">{text.slice(0, MAX_SHOWN)}</pre>
          {text.length > MAX_SHOWN && <p class="faint">This is its beginning. The download has all that was kept.</p>}
          <a class="inbox-kind" href={`data:message/rfc822;base64,${bytes}`} download="original.eml">
            <Icon name="download" /> Download
          </a>
        </>
      )}
    </details>
  )
}

function personIn({ name, address }: AnyRecord) {
  return name ? `${name} <${address}>` : address
}

type MailFileProps = { file: AnyRecord; channel_id: string | null; project: Project }

/** A file that is here, or behind an address of the mail system; of an older e-mail only its name. */
function MailFile({ file, channel_id, project }: MailFileProps) {
  const { filename, mime_type, size, url, media_id, media_status } = file
  const name = shownName(filename) || mime_type || 'File'
  if (isWaiting(file)) return <WaitingFile file={file} name={name} icon="file" project={project} />
  const words = (
    <>
      <Icon name="file" /> <bdi>{name}</bdi>{' '}
      {typeof size === 'number' && <span class="faint">{sizeInWords(size)}</span>}
    </>
  )
  if (media_status === 'stored')
    return (
      <a
        class="inbox-kind"
        href={addressOfMedia(project, media_id, channel_id)}
        target="_blank"
        rel="noopener noreferrer"
        download={savedName(filename)}
      >
        {words}
      </a>
    )
  return url ? (
    <a class="inbox-kind" href={url} target="_blank" rel="noopener noreferrer nofollow">
      {words}
    </a>
  ) : (
    <span class="inbox-kind">{words}</span>
  )
}

function sizeInWords(bytes: number) {
  if (bytes === 0) return 'empty'
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

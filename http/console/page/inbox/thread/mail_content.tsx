/** An e-mail: its subject, its text with what is quoted folded away, and its files by their names. */
import type { TargetedEvent } from 'preact'
import { useState } from 'preact/hooks'
import { RichText } from '../../crm/entry/rich_text.tsx'
import type { AnyRecord } from '../../records/record.ts'
import { Icon } from '../../ui/icons.tsx'
import { shownName } from './file_name.ts'
import { mailParts, originalText } from './mail_quotes.ts'

export function MailContent({ message: { message: content } }: { message: AnyRecord }) {
  const { subject, body, sender, cc, bcc, auto_submitted, unreadable, original, attachments = [] } = content ?? {}
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
          {attachments.map(fileRow)}
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
          <a href={`data:message/rfc822;base64,${bytes}`} download="original.eml">
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

function fileRow({ filename, mime_type, size, url }: AnyRecord, at: number) {
  const name = shownName(filename) || mime_type || 'File'
  const words = (
    <>
      <Icon name="file" /> <bdi>{name}</bdi> {size > 0 && <span class="faint">{sizeInWords(size)}</span>}
    </>
  )
  return (
    <li key={at}>
      {url ? (
        <a href={url} target="_blank" rel="noopener noreferrer nofollow">
          {words}
        </a>
      ) : (
        words
      )}
    </li>
  )
}

function sizeInWords(bytes: number) {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

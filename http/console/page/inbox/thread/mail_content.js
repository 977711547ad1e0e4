/** An e-mail: its subject, its text with what is quoted folded away, and its files by their names. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../ui/icons.js'
import { shownName } from './file_name.js'
import { mailParts, originalText } from './mail_quotes.js'
import { RichText } from './rich_text.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */

/**
 * @param {{ message: AnyRecord }} props
 */
export function MailContent({ message: { message: content } }) {
  const { subject, body, sender, cc, bcc, auto_submitted, unreadable, original, attachments = [] } = content ?? {}
  const parts = mailParts(body ?? '')
  const is_empty = parts.every((part) => part.text.trim() === '')
  return html`${subject && html`<p class="inbox-subject"><b>${subject}</b></p>`}
    ${auto_submitted && html`<p class="inbox-mail-fact"><span class="inbox-tag" title=${auto_submitted}>Automatic e-mail</span></p>`}
    ${sender && html`<p class="inbox-mail-fact faint">Sent by ${personIn(sender)}</p>`}
    <${People} label="CC" people=${cc} /> <${People} label="BCC" people=${bcc} />
    ${unreadable && html`<p class="inbox-mail-fact"><${Icon} name="alert" /> This e-mail could not be read as a whole.</p>`}
    ${
      is_empty
        ? html`<p class="inbox-kind faint">No text</p>`
        : parts.map(({ text, is_quoted }, at) =>
            is_quoted
              ? html`<details class="inbox-quoted" key=${at}>
                  <summary>Quoted text</summary>
                  <p class="inbox-text"><${RichText} text=${text} /></p>
                </details>`
              : html`<p class="inbox-text" key=${at}><${RichText} text=${text} /></p>`,
          )
    }
    ${attachments.length > 0 && html`<ul class="inbox-files" aria-label="Attachments">${attachments.map(fileRow)}</ul>`}
    ${original && html`<${Original} bytes=${original} />`}`
}

/**
 * @param {{ label: string, people: readonly AnyRecord[] | undefined }} props
 */
function People({ label, people }) {
  return people?.length ? html`<p class="inbox-mail-fact faint">${label}: ${people.map(personIn).join(', ')}</p>` : null
}

/** Characters of an original that are shown; a download has all that was kept. */
const MAX_SHOWN = 20_000

/**
 * An e-mail as it came, for those who can make sense of it.
 *
 * @param {{ bytes: string }} props in base64
 */
function Original({ bytes }) {
  const [is_open, setOpen] = useState(false)
  /** @param {Event & { currentTarget: HTMLDetailsElement }} event */
  const toggle = ({ currentTarget }) => setOpen(currentTarget.open)
  const text = is_open ? originalText(bytes) : ''
  return html`<details class="inbox-quoted" onToggle=${toggle}>
    <summary>Show original</summary>
    ${
      is_open &&
      html`<pre class="inbox-original">${text.slice(0, MAX_SHOWN)}</pre>
        ${text.length > MAX_SHOWN && html`<p class="faint">This is its beginning. The download has all that was kept.</p>`}
        <a href=${`data:message/rfc822;base64,${bytes}`} download="original.eml"><${Icon} name="download" /> Download</a>`
    }
  </details>`
}

/** @param {AnyRecord} person */
function personIn({ name, address }) {
  return name ? `${name} <${address}>` : address
}

/**
 * @param {AnyRecord} file
 * @param {number} at
 */
function fileRow({ filename, mime_type, size, url }, at) {
  const name = shownName(filename) || mime_type || 'File'
  const words = html`<${Icon} name="file" /> <bdi>${name}</bdi> ${size > 0 && html`<span class="faint">${sizeInWords(size)}</span>`}`
  return html`<li key=${at}>
    ${url ? html`<a href=${url} target="_blank" rel="noopener noreferrer nofollow">${words}</a>` : words}
  </li>`
}

/** @param {number} bytes */
function sizeInWords(bytes) {
  return bytes < 1024 * 1024 ? `${Math.ceil(bytes / 1024)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`
}

/** The content of a message of any type. */
import { html } from 'htm/preact'
import { Icon } from '../../ui/icons.js'
import { lazy } from '../../ui/lazy.js'
import { nameOfType, textOf } from '../preview.js'
import { cardLines, orderLines } from './cards.js'
import { hasMarks } from './chat_marks.js'
import { FileContent } from './file_content.js'
import { answersOf } from './form_answers.js'
import { LeftOut } from './left_out.js'
import { linesOf } from './other_kinds.js'
import { RichText } from './rich_text.js'
import { TemplateContent } from './template_content.js'
import { words } from './words.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {{ message: AnyRecord, project: import('../../data/project.js').Project }} ContentProps */

/** Few projects have e-mail. */
const MailContent = lazy(() => import('./mail_content.js').then((module) => module.MailContent))

const FILES = ['image', 'sticker', 'video', 'audio', 'document']

/** @typedef {{ content: AnyRecord, has_marks: boolean }} ViewProps */

/** @type {Partial<Record<string, (props: ViewProps) => unknown>>} */
const VIEWS = {
  location: Location,
  contacts: Contacts,
  buttons: Choices,
  list: Choices,
  cta_url: LinkButton,
  carousel: Carousel,
  flow: Opener,
  catalog: Opener,
  reaction: Reaction,
  edit: Edited,
  interactive: Chosen,
  order: Order,
  unsupported: Other,
}

/**
 * @param {ContentProps} props
 */
export function Content({ message, project }) {
  const { type, message: content } = message
  if (FILES.includes(type)) return html`<${FileContent} message=${message} project=${project} />`
  if (type === 'template') return html`<${TemplateContent} message=${message} project=${project} />`
  if (message.channel === 'email' && type === 'text') return html`<${MailContent} message=${message} />`
  const has_marks = hasMarks(message)
  const View = VIEWS[type]
  if (View) return html`<${View} content=${content ?? {}} has_marks=${has_marks} />`
  const text = textOf(content)
  if (text) return html`<${Text} has_marks=${has_marks} text=${text} entities=${content.entities} />`
  return html`<p class="inbox-kind"><${Icon} name="message" /> ${/** @type {AnyRecord} */ (words)[type] ?? nameOfType(type)}</p>`
}

/**
 * @param {{ text: string | undefined, has_marks: boolean, entities?: unknown }} props
 */
function Text({ text, has_marks, entities }) {
  return text
    ? html`<p class="inbox-text"><${RichText} text=${text} has_marks=${has_marks} entities=${entities} /></p>`
    : null
}

/**
 * @param {{ content: AnyRecord }} props
 */
function Location({ content: { latitude, longitude, name, address, url } }) {
  const place = `https://www.openstreetmap.org/?mlat=${Number(latitude)}&mlon=${Number(longitude)}#map=16/${Number(latitude)}/${Number(longitude)}`
  return html`<a class="inbox-card" href=${place} target="_blank" rel="noopener noreferrer">
    <${Icon} name="pin" />
    <span><b>${name ?? 'Location'}</b> <span class="faint">${address ?? `${latitude}, ${longitude}`}</span></span>
  </a>
  <${Text} text=${url} />`
}

/**
 * @param {{ content: AnyRecord }} props
 */
function Contacts({ content: { contacts = [] } }) {
  return contacts.map(
    (/** @type {AnyRecord} */ contact, /** @type {number} */ at) => html`<div class="inbox-card" key=${at}>
      <${Icon} name="person" />
      <span>
        <b>${contact.name?.formatted_name || 'Contact'}</b>
        ${cardLines(contact).map((line) => html`<span class="faint" key=${line}>${line}</span>`)}
      </span>
    </div>`,
  )
}

/**
 * @param {ViewProps} props
 */
function Choices({ content: { header, body_text, footer_text, buttons, button_text, sections = [] }, has_marks }) {
  const rows = buttons ?? sections.flatMap((/** @type {AnyRecord} */ { rows = [] }) => rows)
  return html`${header?.text && html`<p><b>${header.text}</b></p>`}
    <${Text} has_marks=${has_marks} text=${body_text} /> ${footer_text && html`<p class="faint">${footer_text}</p>`}
    <ul class="inbox-choices" aria-label=${button_text ?? 'Buttons'}>
      ${rows.map((/** @type {AnyRecord} */ { id, title }) => html`<li key=${id}>${title}</li>`)}
    </ul>`
}

/**
 * @param {ViewProps} props
 */
function LinkButton({ content: { body_text, display_text, url }, has_marks }) {
  return html`<${Text} has_marks=${has_marks} text=${body_text} />
    <ul class="inbox-choices"><li><${Icon} name="external" /> ${display_text} <span class="aside">${url}</span></li></ul>`
}

/**
 * A text with one button, which opens a Flow or the catalog.
 *
 * @param {ViewProps} props
 */
function Opener({ content: { header_text, body_text, footer_text, flow_cta = 'View catalog' }, has_marks }) {
  return html`${header_text && html`<p><b>${header_text}</b></p>`}
    <${Text} has_marks=${has_marks} text=${body_text} /> ${footer_text && html`<p class="faint">${footer_text}</p>`}
    <ul class="inbox-choices" aria-label="Button"><li>${flow_cta}</li></ul>`
}

/**
 * @param {ViewProps} props
 */
function Carousel({ content: { body_text, cards = [] }, has_marks }) {
  return html`<${Text} has_marks=${has_marks} text=${body_text} />
    <ul class="inbox-choices" aria-label="Cards">
      ${cards.map(
        (/** @type {AnyRecord} */ { body_text: text, action }, /** @type {number} */ at) =>
          html`<li key=${at}>${text ?? action?.display_text ?? `Card ${at + 1}`}</li>`,
      )}
    </ul>`
}

/**
 * @param {{ content: AnyRecord }} props
 */
function Reaction({ content: { emoji } }) {
  return emoji
    ? html`<p class="inbox-kind">Reacted with <span class="inbox-emoji">${emoji}</span></p>`
    : html`<p class="inbox-kind faint">Took a reaction back</p>`
}

/**
 * An edit of a message that is not in the thread.
 *
 * @param {ViewProps} props
 */
function Edited({ content: { message }, has_marks }) {
  return html`<p class="inbox-kind faint">${words.edit}</p>
    <${Text} has_marks=${has_marks} text=${textOf(message)} />`
}

/**
 * The choice of a person, a form that they filled in, or their word on being called.
 *
 * @param {ViewProps} props
 */
function Chosen({ content, has_marks }) {
  const { button_reply, list_reply, interactive_type, nfm_reply, call_permission_reply } = content
  const reply = button_reply ?? list_reply
  if (reply) {
    return html`<p class="inbox-kind"><${Icon} name="reply" /> ${reply.title}</p>
      ${reply.description && html`<p class="faint">${reply.description}</p>`}`
  }
  if (call_permission_reply) {
    const agreed = call_permission_reply.response === 'accept'
    return html`<p class="inbox-kind"><${Icon} name="reply" /> ${agreed ? words.may_call : words.may_not_call}</p>`
  }
  if (nfm_reply) return html`<${Form} reply=${nfm_reply} />`
  const text = textOf(content)
  if (text) return html`<${Text} has_marks=${has_marks} text=${text} />`
  return html`<p class="inbox-kind"><${Icon} name="done" /> ${nameOfType(interactive_type ?? 'interactive')}</p>`
}

/**
 * The answers of a form, field by field.
 *
 * @param {{ reply: AnyRecord }} props
 */
function Form({ reply }) {
  const { answers, unread, left_out = 0 } = answersOf(reply)
  return html`<p class="inbox-kind"><${Icon} name="done" /> ${words.filled_form}</p>
    ${unread !== undefined && html`<p class="faint">${words.unread_form}</p><p class="inbox-text">${unread}</p>`}
    <dl class="inbox-filled">
      ${answers.map(([name, value], at) => html`<div key=${at}><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>
    <${LeftOut} count=${left_out} />`
}

/**
 * @param {ViewProps} props
 */
function Order({ content, has_marks }) {
  const products = orderLines(content)
  const count = content.item_count ?? products.length
  return html`<p class="inbox-kind"><${Icon} name="tag" /> Order of ${count === 1 ? '1 product' : `${count} products`}</p>
    <dl class="inbox-filled">
      ${products.map(([name, value], at) => html`<div key=${at}><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>
    <${Text} has_marks=${has_marks} text=${content.text} />`
}

/**
 * A message of a kind without a view: its name and its values.
 *
 * @param {ViewProps} props
 */
function Other({ content, has_marks }) {
  const { lines, left_out } = linesOf(content)
  return html`<p class="inbox-kind"><${Icon} name="message" /> ${nameOfType(content.kind ?? 'unsupported')}</p>
    <${Text} has_marks=${has_marks} text=${content.caption} entities=${content.entities} />
    <dl class="inbox-filled">
      ${lines.map(([name, value], at) => html`<div key=${at}><dt>${name}</dt><dd>${value}</dd></div>`)}
    </dl>
    ${lines.length === 0 && !content.caption && html`<p class="faint">${words.not_passed}</p>`}
    <${LeftOut} count=${left_out} />`
}

/** The message as a person will see it, one person after the other. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { number } from '../../ui/format.js'
import { Icon } from '../../ui/icons.js'
import { previewOf } from './template_text.js'

/** @typedef {import('./composition.js').Composition} Composition */
/** @typedef {import('./template_text.js').Piece} Piece */

/** @type {Partial<Record<string, import('../../ui/icons.js').IconName>>} */
const BUTTON_ICONS = { url: 'external', quick_reply: 'reply', phone_number: 'person', copy_code: 'copy', flow: 'note' }
/** @type {Partial<Record<string, import('../../ui/icons.js').IconName>>} */
const FILE_ICONS = { image: 'image', video: 'video', document: 'file', location: 'pin' }

/**
 * @param {{ composition: Composition }} props
 */
export function PreviewPart({ composition }) {
  const [at, setAt] = useState(0)
  const template = composition.template.value
  const { people } = composition.sheet.value
  const { sources } = composition.form.value
  const shown = Math.min(at, Math.max(0, people.length - 1))
  const person = people[shown]
  const fixed = Object.fromEntries(Object.entries(sources).map(([name, { text }]) => [name, text.trim()]))
  /** @param {number} step */
  const step = (step) => setAt(Math.max(0, Math.min(people.length - 1, shown + step)))
  return html`<section class="card compose-preview" aria-labelledby="compose-preview-title">
    <div class="section-head"><h2 id="compose-preview-title">Preview</h2></div>
    ${
      template
        ? html`<${Message} components=${template.components} values=${person?.variables ?? fixed} />`
        : html`<p class="faint compose-nothing">Choose a template to see the message.</p>`
    }
    ${
      template &&
      html`<div class="compose-person">
        <button type="button" class="quiet icon-button" aria-label="Previous recipient" disabled=${shown === 0} onClick=${() => step(-1)}>
          <${Icon} name="back" />
        </button>
        <p role="status">
          ${
            person
              ? html`<b>${person.phone}</b> <span class="faint">line ${number(person.line)} · ${number(shown + 1)} of ${number(people.length)}</span>`
              : html`<span class="faint">Add recipients to see their messages.</span>`
          }
        </p>
        <button type="button" class="quiet icon-button" aria-label="Next recipient" disabled=${shown >= people.length - 1} onClick=${() => step(1)}>
          <${Icon} name="next" />
        </button>
      </div>`
    }
  </section>`
}

/**
 * @param {{ components: import('../../../page_types/template.ts').TemplateComponent[], values: Record<string, string> }} props
 */
function Message({ components, values }) {
  const { header, file, body, footer, buttons, cards } = previewOf(components, values)
  return html`<div class="compose-chat">
    <div class="compose-bubble">
      ${
        file &&
        html`<p class="compose-file"><${Icon} name=${FILE_ICONS[file.kind] ?? 'file'} /> <span>${file.value || `The ${file.kind}`}</span></p>`
      }
      ${header.length > 0 && html`<p class="compose-header"><${Pieces} pieces=${header} /></p>`}
      <p class="compose-body"><${Pieces} pieces=${body} /></p>
      ${footer && html`<p class="faint compose-footer">${footer}</p>`}
      ${cards > 0 && html`<p class="faint">${cards === 1 ? '1 card' : `${cards} cards`} to swipe through</p>`}
    </div>
    ${buttons.map(
      ({ kind, text }, at) =>
        html`<p class="compose-button" key=${at}>${BUTTON_ICONS[kind] && html`<${Icon} name=${BUTTON_ICONS[kind]} />`} ${text}</p>`,
    )}
  </div>`
}

/**
 * @param {{ pieces: Piece[] }} props
 */
function Pieces({ pieces }) {
  return pieces.map(({ text, variable, is_open }, at) =>
    variable
      ? html`<span class=${is_open ? 'compose-value open' : 'compose-value'} title=${variable} key=${at}>${text}</span>`
      : text,
  )
}

/** A template message as the person sees it: the text of the template with the values of the message. */
import { html } from 'htm/preact'
import { Icon } from '../../ui/icons.js'
import { shownTemplate, textIn } from '../composer/templates.js'
import { RichText } from './rich_text.js'
import { TemplateTexts } from './template_texts.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */

/** @type {Partial<Record<string, import('../../ui/icons.js').IconName>>} */
const ICONS = { image: 'image', video: 'video', location: 'pin' }

/**
 * @param {{ message: AnyRecord, project: import('../../data/project.js').Project }} props
 */
export function TemplateContent({ message: { channel_id, message }, project }) {
  const { name, language, variables = {} } = message ?? {}
  const texts = project.part('template_texts', () => new TemplateTexts(project))
  const components = texts.of({ channel_id: channel_id ?? undefined, name, language }).value?.components
  return html`<p class="inbox-kind"><${Icon} name="template" /> ${name} <span class="faint">${language}</span></p>
    ${
      components
        ? html`<${Filled} components=${components} values=${variables} />`
        : html`<p class="inbox-text">${Object.values(variables).join(' · ')}</p>`
    }`
}

/**
 * The cards of a carousel are templates themselves, whose variables have the number of the card before their names.
 *
 * @param {{ components: readonly AnyRecord[], values: Record<string, string>, prefix?: string }} props
 */
function Filled({ components, values, prefix = '' }) {
  const { header, file, body, footer, buttons } = shownTemplate(components, values, prefix)
  const cards = components.find(({ type }) => String(type).toUpperCase() === 'CAROUSEL')?.cards ?? []
  return html`${file && html`<p class="inbox-kind faint"><${Icon} name=${ICONS[file] ?? 'file'} /> ${file}</p>`}
    ${header.length > 0 && html`<p><b>${textIn(header)}</b></p>`}
    ${body.length > 0 && html`<p class="inbox-text"><${RichText} text=${textIn(body)} has_marks=${true} /></p>`}
    ${footer && html`<p class="faint">${footer}</p>`}
    ${buttons.length > 0 && html`<ul class="inbox-choices" aria-label="Buttons">${buttons.map((text) => html`<li key=${text}>${text}</li>`)}</ul>`}
    ${
      cards.length > 0 &&
      html`<ol class="inbox-cards" aria-label="Cards">
        ${cards.map(
          (/** @type {AnyRecord} */ card, /** @type {number} */ at) =>
            html`<li key=${at}><${Filled} components=${card.components ?? []} values=${values} prefix="card_${at}_" /></li>`,
        )}
      </ol>`
    }`
}

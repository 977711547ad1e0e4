/** The form of a list to choose from. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { Icon } from '../../ui/icons.js'
import { idOf } from './buttons_form.js'
import { FormDialog } from './form_dialog.js'
import { given, problemOf, TextInput } from './inputs.js'

/** @typedef {{ title: string, rows: { title: string, description: string }[] }} Section */

const BODY = 1024
const BUTTON = 20
const TITLE = 24
const DESCRIPTION = 72
const FOOTER = 60
const MAX_ROWS = 10
const EMPTY = { title: '', description: '' }

/**
 * @param {import('./form_dialog.js').FormProps} props
 */
export function ListForm(props) {
  const [body_text, setBody] = useState('')
  const [button_text, setButton] = useState('')
  const [footer_text, setFooter] = useState('')
  const [sections, setSections] = useState(/** @type {Section[]} */ ([{ title: '', rows: [EMPTY, EMPTY] }]))
  let number = 0
  const filled = sections
    .map(({ title, rows }) => ({
      ...(title.trim() && { title: title.trim() }),
      rows: rows
        .filter((row) => row.title.trim() !== '')
        .map((row) => ({
          id: idOf(row.title, number++),
          title: row.title.trim(),
          description: given(row.description),
        })),
    }))
    .filter(({ rows }) => rows.length > 0)
  const message = {
    type: 'list',
    body_text,
    button_text: button_text.trim(),
    sections: filled,
    footer_text: given(footer_text),
  }
  const is_titled = filled.length < 2 || filled.every(({ title }) => title !== undefined)
  const is_short = sections.every(
    ({ title, rows }) =>
      [...title].length <= TITLE &&
      rows.every((row) => [...row.title].length <= TITLE && [...row.description].length <= DESCRIPTION),
  )
  const count = sections.flatMap(({ rows }) => rows).length
  const problems = [
    problemOf(body_text, BODY),
    problemOf(button_text, BUTTON),
    number === 0,
    number > MAX_ROWS,
    !is_titled,
    !is_short,
    [...footer_text].length > FOOTER,
  ]
  /** @param {number} at @param {Partial<Section>} change */
  const change = (at, change) =>
    setSections(sections.map((section, place) => (place === at ? { ...section, ...change } : section)))
  return html`<${FormDialog} ...${props} title="List" message=${message} is_complete=${!problems.some(Boolean)}>
    ${(/** @type {boolean} */ is_tried) => html`
      <${TextInput} label="Text" value=${body_text} onChange=${setBody} most=${BODY} lines=${3} error=${is_tried ? problemOf(body_text, BODY) : undefined} />
      <${TextInput} label="Button that opens the list" value=${button_text} onChange=${setButton} most=${BUTTON} placeholder="Choose a day" error=${is_tried ? problemOf(button_text, BUTTON) : undefined} />
      ${sections.map(
        (section, at) => html`<fieldset key=${at}>
          <legend>${sections.length > 1 ? `Section ${at + 1}` : 'Choices'}</legend>
          ${sections.length > 1 && html`<${TextInput} label="Title of the section" value=${section.title} most=${TITLE} onChange=${(/** @type {string} */ title) => change(at, { title })} error=${is_tried && section.title.trim() === '' ? 'Sections need titles when there are several.' : undefined} />`}
          ${section.rows.map((row, place) => {
            /** @param {Partial<Section['rows'][0]>} fields */
            const set = (fields) =>
              change(at, { rows: section.rows.map((one, other) => (other === place ? { ...one, ...fields } : one)) })
            return html`<div class="form-row" key=${place}>
              <${TextInput} label="Choice ${place + 1}" value=${row.title} most=${TITLE} onChange=${(/** @type {string} */ title) => set({ title })} error=${is_tried && number === 0 && at === 0 && place === 0 ? 'Name at least one choice.' : undefined} />
              <${TextInput} label="Description" value=${row.description} most=${DESCRIPTION} onChange=${(/** @type {string} */ description) => set({ description })} />
              <button type="button" class="quiet icon-button" aria-label="Remove choice ${place + 1}" onClick=${() => change(at, { rows: section.rows.filter((_, other) => other !== place) })}><${Icon} name="close" /></button>
            </div>`
          })}
          ${count < MAX_ROWS && html`<button type="button" class="link" onClick=${() => change(at, { rows: [...section.rows, EMPTY] })}>Add a choice</button>`}
          ${sections.length > 1 && html`<button type="button" class="link" onClick=${() => setSections(sections.filter((_, place) => place !== at))}>Remove the section</button>`}
        </fieldset>`,
      )}
      ${count < MAX_ROWS && html`<button type="button" class="link" onClick=${() => setSections([...sections, { title: '', rows: [EMPTY] }])}>Add a section</button>`}
      <${TextInput} label="Footer" value=${footer_text} onChange=${setFooter} most=${FOOTER} />
    `}
  <//>`
}

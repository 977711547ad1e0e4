/** The custom fields of a record: those that are defined, by type, and what else it has. */
import { html } from 'htm/preact'
import { Choice, Editable, Row } from './fields.js'
import { valueText } from './words.js'

/** @typedef {import('../../../page_types/definitions.ts').Definitions} Definitions */
/** @typedef {Definitions['custom_fields'][number]} CustomField */

/**
 * `onChange` gets all fields as they will be, and the name of the changed one.
 *
 * @param {{
 *   owner: string
 *   values: Record<string, unknown>
 *   definitions: Definitions | undefined
 *   onChange(values: Record<string, unknown>, name: string): void
 * }} props
 */
export function CustomFields({ owner, values, definitions, onChange }) {
  const defined = definitions?.custom_fields.filter((field) => field.owner === owner) ?? []
  const known = new Set(defined.map(({ key }) => key))
  const others = Object.entries(values).filter(([key]) => !known.has(key))
  /** @param {CustomField} field @param {unknown} value */
  const change = ({ key, name }, value) => {
    const { [key]: _, ...rest } = values
    onChange(value === null ? rest : { ...rest, [key]: value }, name)
  }
  return [
    ...defined.map(
      (field) => html`<${CustomFieldRow}
        field=${field}
        value=${values[field.key] ?? null}
        onChange=${(/** @type {unknown} */ value) => change(field, value)}
        key=${field.key}
      />`,
    ),
    ...others.map(
      ([key, value]) => html`<${Row} label=${key} key=${key}><span class="panel-text">${valueText(value)}</span><//>`,
    ),
  ]
}

/**
 * @param {{ field: CustomField, value: any, onChange(value: unknown): void }} props
 */
function CustomFieldRow({ field: { name, type, options }, value, onChange }) {
  if (type === 'boolean') {
    const choices = [
      { value: 'true', text: 'Yes' },
      { value: 'false', text: 'No' },
    ]
    return html`<${Choice}
      label=${name}
      value=${value === null ? null : String(value)}
      options=${choices}
      empty="–"
      onChange=${(/** @type {string | null} */ text) => onChange(text === null ? null : text === 'true')}
    />`
  }
  if (type === 'string' && options) {
    const choices = options.map((option) => ({ value: option, text: option }))
    return html`<${Choice} label=${name} value=${value} options=${choices} empty="–" onChange=${onChange} />`
  }
  if (type === 'string[]') {
    return html`<${Editable}
      label=${name}
      value=${value === null ? null : value.join(', ')}
      onSave=${(/** @type {string | null} */ text) => onChange(text === null ? null : listOf(text))}
      problemOf=${(/** @type {string} */ text) => unknownOf(listOf(text), options)}
    />`
  }
  if (type === 'number') {
    return html`<${Editable}
      label=${name}
      value=${value === null ? null : String(value)}
      input_mode="decimal"
      onSave=${(/** @type {string | null} */ text) => onChange(text === null ? null : Number(text))}
      problemOf=${(/** @type {string} */ text) => (Number.isFinite(Number(text)) ? null : 'Write a number, such as 12.5.')}
    />`
  }
  return html`<${Editable}
    label=${name}
    value=${value === null ? null : String(value)}
    type=${type === 'date' ? 'date' : undefined}
    onSave=${onChange}
  />`
}

/** @param {string} text */
function listOf(text) {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}

/**
 * @param {string[]} values
 * @param {string[] | null} options
 */
function unknownOf(values, options) {
  const unknown = options ? values.filter((value) => !options.includes(value)) : []
  return unknown.length > 0 ? `${unknown.join(', ')}: choose from ${options?.join(', ')}.` : null
}

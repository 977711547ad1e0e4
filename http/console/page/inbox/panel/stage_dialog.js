/** The move into a stage that asks for more: the fields that its rules require, and the texts of the move. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { prefer, preferences } from '../../app/preferences.js'
import { errorText } from '../../data/errors.js'
import { Dialog } from '../../ui/dialog.js'
import { Field } from '../../ui/field.js'
import { useAction } from '../../ui/hooks.js'
import { Icon } from '../../ui/icons.js'
import { fieldName, PRIORITIES, ruleTexts, STAGE_TEXTS } from './words.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../../../page_types/definitions.ts').Definitions} Definitions */

const TEXTS = new Set(STAGE_TEXTS.map(({ name }) => name))
/** Columns of a ticket whose values are texts. */
const COLUMNS = new Set([
  'priority',
  'category',
  'amount',
  'amount_currency',
  'amount_status',
  'assigned_to',
  'resolution',
])

/**
 * `missing` are the fields that the stage requires and the ticket lacks. `onMove` gets the body of a change of the ticket
 * before the move, and the texts of the move; it rejects when one of them is refused.
 *
 * @param {{
 *   stage: { value: string, text: string, rules: Record<string, any> }
 *   missing: string[]
 *   definitions: Definitions | undefined
 *   values: Record<string, unknown>
 *   onMove(json: AnyRecord, texts: AnyRecord): Promise<void>
 *   onClose(): void
 * }} props
 */
export function StageDialog({ stage, missing, definitions, values, onMove, onClose }) {
  const needed = withCurrency(missing)
  const [given, setGiven] = useState(() => usualOf(needed))
  const { run, is_busy, fault } = useAction(async () => {
    const { json, texts } = requestsOf(given, values, definitions)
    await onMove(json, texts)
    if (json.amount_currency) prefer({ currency: json.amount_currency })
    onClose()
  })
  /** @param {string} name @param {string} value */
  const set = (name, value) => setGiven({ ...given, [name]: value })
  const rules = ruleTexts(stage.rules, definitions)
  /** @param {SubmitEvent} event */
  const submitted = (event) => {
    event.preventDefault()
    void run()
  }
  return html`<${Dialog} title="Move to “${stage.text}”" onClose=${onClose} has_close class="panel-dialog">
    <form onSubmit=${submitted}>
      ${rules.length > 0 && html`<p class="faint">This stage ${rules.join('; ')}.</p>`}
      ${needed.map(
        (name) => html`<${Required}
          name=${name}
          definitions=${definitions}
          value=${given[name] ?? ''}
          onChange=${(/** @type {string} */ value) => set(name, value)}
          key=${name}
        />`,
      )}
      <div role="alert">
        ${fault && html`<p class="note bad"><${Icon} name="alert" /> ${errorText(fault)}</p>`}
      </div>
      <div class="actions">
        <button type="button" class="button" onClick=${onClose}>Cancel</button>
        <button type="submit" class="button primary" aria-busy=${String(is_busy)}>Move</button>
      </div>
    </form>
  <//>`
}

/**
 * @param {{ name: string, definitions: Definitions | undefined, value: string, onChange(value: string): void }} props
 */
function Required({ name, definitions, value, onChange }) {
  const options = optionsOf(name, definitions)
  const is_number = name === 'amount' || typeOf(name, definitions) === 'number'
  /** @param {{ target: HTMLInputElement }} event */
  const changed = ({ target }) => onChange(target.value)
  return html`<${Field} label=${fieldName(name, definitions)}>
    ${(/** @type {Record<string, string>} */ attributes) => {
      if (options) {
        return html`<span class="select">
          <select ...${attributes} required value=${value} onChange=${changed}>
            <option value="">Choose…</option>
            ${options.map((option) => html`<option value=${option.value} key=${option.value}>${option.text}</option>`)}
          </select>
          <${Icon} name="down" />
        </span>`
      }
      if (TEXTS.has(name))
        return html`<textarea ...${attributes} required value=${value} onInput=${changed}></textarea>`
      return html`<input
        ...${attributes}
        required
        value=${value}
        type=${is_number ? 'number' : typeOf(name, definitions) === 'date' ? 'date' : 'text'}
        step=${is_number ? 'any' : undefined}
        ...${name === 'amount_currency' && { pattern: '[A-Za-z]{3}', maxlength: 3, placeholder: 'MXN' }}
        onInput=${changed}
      />`
    }}
  <//>`
}

/**
 * An amount says little without its currency.
 *
 * @param {readonly string[]} missing
 */
function withCurrency(missing) {
  if (missing.includes('amount_currency')) return missing
  return missing.flatMap((name) => (name === 'amount' ? [name, 'amount_currency'] : [name]))
}

/**
 * The first values of the fields: the currency of the agent's last amount.
 *
 * @param {readonly string[]} needed
 * @returns {Record<string, string>}
 */
function usualOf(needed) {
  const { currency } = preferences.peek()
  return currency && needed.includes('amount_currency') ? { amount_currency: currency } : {}
}

/**
 * @param {string} name
 * @param {Definitions | undefined} definitions
 */
function definitionOf(name, definitions) {
  return definitions?.custom_fields.find(({ owner, key }) => owner === 'ticket' && key === name)
}

/**
 * @param {string} name
 * @param {Definitions | undefined} definitions
 */
function typeOf(name, definitions) {
  return definitionOf(name, definitions)?.type
}

/**
 * @param {string} name
 * @param {Definitions | undefined} definitions
 */
function optionsOf(name, definitions) {
  if (name === 'priority') return PRIORITIES
  if (name === 'resolution') return ['won', 'lost'].map((value) => ({ value, text: value }))
  if (name === 'amount_status') return ['estimated', 'confirmed'].map((value) => ({ value, text: value }))
  if (name === 'assigned_to') {
    const users = definitions?.users.filter(({ is_active }) => is_active) ?? []
    return users.map(({ _id, full_name }) => ({ value: _id, text: full_name }))
  }
  const defined = definitionOf(name, definitions)
  if (defined?.type === 'boolean')
    return ['true', 'false'].map((value) => ({ value, text: value === 'true' ? 'yes' : 'no' }))
  return defined?.options && defined.type === 'string'
    ? defined.options.map((value) => ({ value, text: value }))
    : undefined
}

/**
 * @param {Record<string, string>} given
 * @param {Record<string, unknown>} values the custom fields of the ticket
 * @param {Definitions | undefined} definitions
 * @returns {{ json: AnyRecord, texts: AnyRecord }}
 */
function requestsOf(given, values, definitions) {
  /** @type {AnyRecord} */
  const json = {}
  /** @type {AnyRecord} */
  const texts = {}
  /** @type {AnyRecord} */
  const custom = {}
  for (const [name, value] of Object.entries(given)) {
    if (TEXTS.has(name)) texts[name] = value
    else if (name === 'amount') json.amount = Number(value)
    else if (COLUMNS.has(name)) json[name] = name === 'amount_currency' ? value.toUpperCase() : value
    else custom[name] = typed(value, typeOf(name, definitions))
  }
  if (Object.keys(custom).length > 0) json.custom_fields = { ...values, ...custom }
  return { json, texts }
}

/**
 * @param {string} value
 * @param {string | undefined} type
 */
function typed(value, type) {
  if (type === 'number') return Number(value)
  if (type === 'boolean') return value === 'true'
  return type === 'string[]' ? value.split(',').map((part) => part.trim()) : value
}

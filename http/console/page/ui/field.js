/** Fields of forms: a label, the control, a hint, and the reason why a value was refused. */
import { html } from 'htm/preact'
import { useId } from 'preact/hooks'
import { Icon } from './icons.js'

/**
 * `children` is a function of the attributes that the control must have.
 *
 * @public for the forms of sections
 * @param {{
 *   label: string
 *   hint?: string
 *   error?: string | null
 *   children: (attributes: Record<string, string | undefined>) => unknown
 * }} props
 */
export function Field({ label, hint, error, children }) {
  const id = useId()
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ') || undefined
  return html`<div class="field">
    <label for=${id}>${label}</label>
    ${children({ id, 'aria-describedby': described, 'aria-invalid': error ? 'true' : undefined })}
    ${hint && html`<p id="${id}-hint" class="faint field-hint">${hint}</p>`}
    ${error && html`<p id="${id}-error" class="field-error"><${Icon} name="alert" /> ${error}</p>`}
  </div>`
}

/**
 * @param {{
 *   label: string
 *   value: string
 *   onChange(value: string): void
 *   options: { value: string, text: string }[]
 *   hint?: string
 * }} props
 */
export function SelectField({ label, value, onChange, options, hint }) {
  return html`<${Field} label=${label} hint=${hint}>
    ${
      /** @param {Record<string, string>} attributes */
      (attributes) => html`<span class="select">
        <select
          ...${attributes}
          value=${value}
          onChange=${(/** @type {{ target: HTMLSelectElement }} */ { target }) => onChange(target.value)}
        >
          ${options.map((option) => html`<option value=${option.value} key=${option.value}>${option.text}</option>`)}
        </select>
        <${Icon} name="down" />
      </span>`
    }
  <//>`
}

/**
 * A setting that is on or off.
 *
 * @param {{ label: string, is_on: boolean, onChange(is_on: boolean): void, hint?: string, is_off?: boolean }} props
 */
export function Switch({ label, is_on, onChange, hint, is_off = false }) {
  const id = useId()
  return html`<div class="switch">
    <input
      id=${id}
      type="checkbox"
      role="switch"
      checked=${is_on}
      disabled=${is_off}
      aria-describedby=${hint ? `${id}-hint` : undefined}
      onChange=${(/** @type {{ target: HTMLInputElement }} */ { target }) => onChange(target.checked)}
    />
    <label for=${id}>${label}</label>
    ${hint && html`<p id="${id}-hint" class="faint field-hint">${hint}</p>`}
  </div>`
}

/** Values of the panel that become fields when they are chosen. */
import { html } from 'htm/preact'
import { useId, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useElement } from '../../ui/hooks.js'
import { Icon } from '../../ui/icons.js'

/**
 * A named value.
 *
 * @param {{ label: string, children: unknown, id?: string | undefined }} props
 */
export function Row({ label, children, id }) {
  return html`<div class="panel-row">
    ${id ? html`<label class="panel-label" for=${id}>${label}</label>` : html`<span class="panel-label">${label}</span>`}
    <div class="panel-value">${children}</div>
  </div>`
}

/**
 * A choice of one value. `empty` is the text for none; without it there is always a value.
 *
 * @param {{
 *   label: string
 *   value: string | null
 *   options: { value: string, text: string }[]
 *   onChange(value: string | null): void
 *   empty?: string
 * }} props
 */
export function Choice({ label, value, options, onChange, empty }) {
  const id = useId()
  const is_known = value === null || options.some((option) => option.value === value)
  /** @param {{ target: HTMLSelectElement }} event */
  const changed = ({ target }) => onChange(target.value || null)
  return html`<${Row} label=${label} id=${id}>
    <span class="select panel-select">
      <select id=${id} value=${value ?? ''} onChange=${changed}>
        ${(empty !== undefined || value === null) && html`<option value="">${empty ?? '–'}</option>`}
        ${!is_known && html`<option value=${value}>(deleted)</option>`}
        ${options.map((option) => html`<option value=${option.value} key=${option.value}>${option.text}</option>`)}
      </select>
      <${Icon} name="down" />
    </span>
  <//>`
}

/**
 * A text that is edited in place: Enter and leaving the field save it, Escape takes it back. `shown` is the text when it
 * is not edited. `problemOf` says why a text cannot be saved.
 *
 * @param {{
 *   label: string
 *   value: string | null
 *   shown?: string
 *   onSave(value: string | null): void
 *   problemOf?: (text: string) => string | null
 *   is_long?: boolean
 *   type?: string
 *   input_mode?: string
 * }} props
 */
export function Editable({ label, value, shown, onSave, problemOf = () => null, is_long = false, type, input_mode }) {
  const [draft, setDraft] = useState(/** @type {string | null} */ (null))
  const [problem, setProblem] = useState(/** @type {string | null} */ (null))
  /** @type {import('preact').RefObject<HTMLInputElement>} */
  const field = useElement()
  /** @type {import('preact').RefObject<HTMLButtonElement>} */
  const opener = useElement()
  const [has_edited, setEdited] = useState(false)
  /** A field that is taken away loses the focus, which saves nothing again. */
  const is_closed = useRef(false)
  const id = useId()
  const is_editing = draft !== null
  useLayoutEffect(() => {
    if (is_editing) {
      field.current?.focus()
      field.current?.select()
    } else if (has_edited) opener.current?.focus()
  }, [is_editing])

  /** @param {boolean} returns whether the focus goes back to the value */
  const close = (returns) => {
    is_closed.current = true
    setEdited(returns)
    setDraft(null)
    setProblem(null)
  }
  /** @param {boolean} returns */
  const save = (returns) => {
    if (draft === null || is_closed.current) return
    const text = draft.trim()
    const found = text === '' ? null : problemOf(text)
    if (found) return setProblem(found)
    close(returns)
    if (text !== (value ?? '')) onSave(text === '' ? null : text)
  }
  /** @param {KeyboardEvent} event */
  const pressed = (event) => {
    if (event.key === 'Escape') {
      event.stopPropagation()
      close(true)
    }
    if (event.key === 'Enter' && (!is_long || event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      save(true)
    }
  }
  /** @param {{ target: HTMLInputElement }} event */
  const typed = ({ target }) => {
    setDraft(target.value)
    setProblem(null)
  }
  if (!is_editing) {
    return html`<${Row} label=${label}>
      <button
        type="button"
        ref=${opener}
        class=${value ? 'panel-edit' : 'panel-edit panel-empty'}
        aria-label=${shown || value ? `${label}: ${shown || value}. Edit` : `${label}: Add`}
        onClick=${() => {
          is_closed.current = false
          setDraft(value ?? '')
        }}
      >
        ${shown || value || 'Add'}
      </button>
    <//>`
  }
  const attributes = {
    id,
    ref: field,
    value: draft,
    'aria-invalid': problem ? 'true' : undefined,
    'aria-describedby': problem ? `${id}-problem` : undefined,
    onInput: typed,
    onKeyDown: pressed,
    onBlur: () => (problem ? close(false) : save(false)),
  }
  return html`<${Row} label=${label} id=${id}>
    ${
      is_long
        ? html`<textarea class="panel-field" rows="4" ...${attributes}></textarea>`
        : html`<input class="panel-field" type=${type ?? 'text'} inputmode=${input_mode} ...${attributes} />`
    }
    ${problem && html`<p id="${id}-problem" class="field-error" role="alert">${problem}</p>`}
  <//>`
}

/**
 * A part of the panel that can be closed.
 *
 * @param {{ title: string, count?: number | undefined, is_open?: boolean, children: unknown }} props
 */
export function Part({ title, count, is_open = true, children }) {
  return html`<details class="panel-part" open=${is_open}>
    <summary>
      <h3>${title}</h3>
      ${count !== undefined && count > 0 && html`<span class="panel-count">${count}</span>`}
      <${Icon} name="down" />
    </summary>
    <div class="panel-body">${children}</div>
  </details>`
}

/** The fields of forms of messages: text with its limit, and a file that is uploaded. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { errorText, faultOf } from '../../data/errors.js'
import { Field } from '../../ui/field.js'
import { Icon } from '../../ui/icons.js'
import { uploadFile } from '../composer/upload.js'

/** The part of the limit from which on the length is shown. */
const NEAR_LIMIT = 0.7

/**
 * `most`: characters. An `error` is shown once `is_tried`.
 *
 * @param {{
 *   label: string
 *   value: string
 *   onChange(value: string): void
 *   most?: number
 *   hint?: string
 *   lines?: number
 *   type?: string
 *   placeholder?: string
 *   error?: string | null | undefined
 * }} props
 */
export function TextInput({ label, value, onChange, most, hint, lines, type = 'text', placeholder, error }) {
  const length = [...value].length
  const is_near = most !== undefined && length >= most * NEAR_LIMIT
  const input = (/** @type {{ target: HTMLInputElement }} */ { target }) => onChange(target.value)
  const shown = is_near ? `${hint ? `${hint} ` : ''}${length} of ${most} characters.` : hint
  const wrong = most !== undefined && length > most ? `At most ${most} characters.` : error
  return html`<${Field} label=${label} hint=${shown} error=${wrong}>
    ${
      /** @param {object} attributes */
      (attributes) =>
        lines
          ? html`<textarea ...${attributes} rows=${lines} value=${value} placeholder=${placeholder} onInput=${input}></textarea>`
          : html`<input ...${attributes} type=${type} value=${value} placeholder=${placeholder} autocomplete="off" onInput=${input} />`
    }
  <//>`
}

/**
 * A file that is uploaded for the channel when it is chosen.
 *
 * @param {{
 *   label: string
 *   accept: string
 *   compose: import('../composer/compose.js').Compose
 *   api: import('../../data/project_api.js').ProjectApi
 *   value: { media_id: string, name: string } | null
 *   onChange(value: { media_id: string, name: string } | null): void
 *   error?: string | null | undefined
 * }} props
 */
export function FileInput({ label, accept, compose, api, value, onChange, error }) {
  const [progress, setProgress] = useState(/** @type {number | null} */ (null))
  const [reason, setReason] = useState(/** @type {string | null} */ (null))
  /** @param {{ target: HTMLInputElement }} event */
  const picked = async ({ target }) => {
    const [file] = target.files ?? []
    const { channel } = compose.channel.peek()
    if (!file || !channel) return
    const form = new FormData()
    form.append('file', file, file.name)
    form.append('phone_number_id', channel._id)
    setReason(null)
    setProgress(0)
    try {
      const options = { key: crypto.randomUUID(), signal: new AbortController().signal, onProgress: setProgress }
      const { media_id } = await uploadFile(api.address('media/upload'), form, options)
      onChange({ media_id, name: file.name })
    } catch (refused) {
      setReason(errorText(faultOf(refused)))
    }
    setProgress(null)
    target.value = ''
  }
  return html`<${Field} label=${label} error=${reason ?? error}>
    ${
      /** @param {object} attributes */
      (attributes) => html`<span class="form-file">
        <input ...${attributes} type="file" accept=${accept} onChange=${picked} />
        ${progress !== null && html`<progress value=${progress} max="1" aria-label="Upload"></progress>`}
        ${
          value &&
          html`<span class="faint"><${Icon} name="done" /> ${value.name}</span>
            <button type="button" class="link" onClick=${() => onChange(null)}>Remove</button>`
        }
      </span>`
    }
  <//>`
}

/**
 * The text without spaces around it; undefined when it is empty, so that the field is left out.
 *
 * @param {string} text
 */
export function given(text) {
  return text.trim() || undefined
}

/**
 * The problem of a required text, if it has one.
 *
 * @param {string} text
 * @param {number} most
 */
export function problemOf(text, most) {
  if (text.trim() === '') return 'Fill this in.'
  return [...text.trim()].length > most ? `At most ${most} characters.` : undefined
}

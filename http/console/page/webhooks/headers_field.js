/** The headers that are sent with each request. */
import { html } from 'htm/preact'
import { Icon } from '../ui/icons.js'

const MOST = 50

/** @typedef {{ name: string, value: string }} Header */

/**
 * @param {{ headers: Header[], error: string | undefined, onChange(headers: Header[]): void }} props
 */
export function HeadersField({ headers, error, onChange }) {
  /** @param {number} at @param {Partial<Header>} change */
  const set = (at, change) => onChange(headers.map((one, index) => (index === at ? { ...one, ...change } : one)))
  return html`<fieldset class="webhook-headers" aria-describedby=${error ? 'webhook-headers-error' : undefined}>
    <legend>Headers of your own</legend>
    ${headers.map(
      ({ name, value }, at) => html`<div class="webhook-header" key=${at}>
        <input
          type="text"
          aria-label="Name of header ${at + 1}"
          placeholder="X-Api-Key"
          autocomplete="off"
          spellcheck=${false}
          value=${name}
          onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => set(at, { name: target.value })}
        />
        <input
          type="text"
          aria-label="Value of header ${at + 1}"
          placeholder="Value"
          autocomplete="off"
          spellcheck=${false}
          value=${value}
          onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => set(at, { value: target.value })}
        />
        <button
          type="button"
          class="quiet icon-button"
          aria-label="Remove header ${at + 1}"
          onClick=${() => onChange(headers.filter((_, index) => index !== at))}
        >
          <${Icon} name="trash" />
        </button>
      </div>`,
    )}
    ${error && html`<p id="webhook-headers-error" class="field-error"><${Icon} name="alert" /> ${error}</p>`}
    <button
      type="button"
      class="button"
      disabled=${headers.length >= MOST}
      onClick=${() => onChange([...headers, { name: '', value: '' }])}
    >
      <${Icon} name="plus" /> Add a header
    </button>
  </fieldset>`
}

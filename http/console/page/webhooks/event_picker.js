/** The choice of events: single types, all of a kind, or everything. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { Icon } from '../ui/icons.js'
import { areasOf, choose, covers, EVERYTHING, includedIn, matched } from './event_choice.js'

/** @typedef {import('../../page_types/webhook.ts').EventType} EventType */

/**
 * @param {{
 *   entries: readonly string[]
 *   types: readonly EventType[]
 *   error: string | undefined
 *   onChange(entries: string[]): void
 * }} props
 */
export function EventPicker({ entries, types, error, onChange }) {
  const [text, setText] = useState('')
  const names = types.map(({ type }) => type)
  const described = new Map(types.map(({ type, description }) => [type, description]))
  const words = text.toLowerCase().split(/\s+/)
  const found = names.filter((name) =>
    words.every((word) => `${name} ${described.get(name)}`.toLowerCase().includes(word)),
  )
  const count = matched(entries, names).length
  /** @param {string} one @param {boolean} is_on */
  const set = (one, is_on) => onChange(choose(entries, one, is_on))
  /** @param {string} one @param {string} label @param {string} [hint] */
  const box = (one, label, hint) => {
    const by = includedIn(entries, one)
    return html`<label class=${by ? 'webhook-check by' : 'webhook-check'} key=${one}>
      <input
        type="checkbox"
        checked=${entries.includes(one) || by !== undefined}
        disabled=${by !== undefined}
        onChange=${(/** @type {{ target: HTMLInputElement }} */ { target }) => set(one, target.checked)}
      />
      <span><span class="webhook-type">${label}</span> ${hint && html`<span class="faint">${hint}</span>`}</span>
    </label>`
  }
  return html`<fieldset class="webhook-events" aria-describedby=${error ? 'webhook-events-error' : undefined}>
    <legend>Events</legend>
    <p class="faint" role="status">
      ${count === 0 ? 'None chosen yet.' : `${count} of ${names.length} types: `}
      ${count > 0 && html`<span class="webhook-chosen">${[...entries].join(', ')}</span>`}
    </p>
    ${error && html`<p id="webhook-events-error" class="field-error"><${Icon} name="alert" /> ${error}</p>`}
    ${box(EVERYTHING, 'Everything', 'also types that later versions add')}
    <div class="search">
      <${Icon} name="search" />
      <input
        type="search"
        aria-label="Search event types"
        placeholder="Search ${names.length} event types"
        value=${text}
        onInput=${(/** @type {{ target: HTMLInputElement }} */ { target }) => setText(target.value)}
        onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === 'Enter' && event.preventDefault()}
      />
    </div>
    <div class="webhook-areas" tabindex="0" role="group" aria-label="Event types">
      ${areasOf(found).map(({ name, pattern, groups }) => {
        const of_area = names.filter((type) => covers(pattern, type))
        const chosen = matched(entries, of_area).length
        return html`<details open=${text !== '' || chosen > 0} key=${name}>
          <summary>
            <b>${name}</b> <span class="faint">${chosen > 0 ? `${chosen} of ${of_area.length} chosen` : of_area.length === 1 ? '1 type' : `${of_area.length} types`}</span>
          </summary>
          <div class="webhook-area">
            ${box(pattern, pattern, 'everything of it, now and later')}
            ${groups.map(
              (group) => html`<div class="webhook-group" key=${group.pattern}>
                ${group.pattern !== pattern && group.types.length > 1 && box(group.pattern, group.pattern, 'all of these')}
                ${group.types.map((type) => box(type, type, described.get(type)))}
              </div>`,
            )}
          </div>
        </details>`
      })}
      ${found.length === 0 && html`<p class="faint webhook-none">No type matches “${text}”.</p>`}
    </div>
  </fieldset>`
}

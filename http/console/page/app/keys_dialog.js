/** The map of the keyboard: what each key does here. */
import { html } from 'htm/preact'
import { Dialog } from '../ui/dialog.js'
import { Keys } from '../ui/keys.js'
import { actions } from './actions.js'
import { prefer, preferences } from './preferences.js'

/**
 * @param {{ onClose(): void }} props
 */
export function KeysDialog({ onClose }) {
  const groups = Map.groupBy(
    actions.value.filter(({ keys }) => keys),
    ({ group }) => group,
  )
  return html`<${Dialog} title="Keyboard shortcuts" class="wide" has_close=${true} onClose=${onClose}>
    ${!preferences.value.letter_keys && html`<p class="note">Keys of one letter are turned off. <button type="button" class="link" onClick=${() => prefer({ letter_keys: true })}>Turn on</button></p>`}
    <div class="key-groups">
      ${[...groups].map(
        ([group, list]) => html`<section key=${group}>
          <h3>${group}</h3>
          <dl>
            ${list.map(({ text, keys = '' }) => html`<div key=${text}><dt>${text}</dt><dd><${Keys} keys=${keys} is_decoration=${false} /></dd></div>`)}
          </dl>
        </section>`,
      )}
    </div>
  <//>`
}

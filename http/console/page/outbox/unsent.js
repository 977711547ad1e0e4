/** Messages of the agent that the server does not have, at whatever ticket; the other tabs; and leaving the page. */
import { html } from 'htm/preact'
import { useEffect } from 'preact/hooks'
import { errorText } from '../data/errors.js'
import { inboxPlace } from '../inbox/places.js'
import { previewOf } from '../inbox/preview.js'
import { Icon } from '../ui/icons.js'
import { Popover } from '../ui/popover.js'
import { words } from './words.js'

/** @typedef {import('./outbox.js').KeptEntry} KeptEntry */

/**
 * @param {{ outboxes: import('./outboxes.js').Outboxes }} props
 */
export function Unsent({ outboxes }) {
  useEffect(() => {
    const hear = (/** @type {StorageEvent} */ event) => outboxes.hear(event)
    // On whatever page of the console: nobody sends it while no page is open.
    const ask = (/** @type {BeforeUnloadEvent} */ event) => outboxes.sending_count > 0 && event.preventDefault()
    addEventListener('storage', hear)
    addEventListener('beforeunload', ask)
    return () => {
      removeEventListener('storage', hear)
      removeEventListener('beforeunload', ask)
    }
  }, [outboxes])
  // What is under way is there in a moment.
  const unsent = outboxes.unsent.value.filter(({ state }) => state !== 'sending')
  if (unsent.length === 0) return html`<p class="unsent" role="status"></p>`
  const text = words.unsent(unsent.length)
  return html`<div class="unsent" role="status">
    <${Popover} id="unsent" button=${html`<${Icon} name="alert" /> <span>${text}</span>`} class="quiet" panel_label=${words.title} side="above">
      ${(/** @type {() => void} */ close) => html`<div class="unsent-panel">
        <h2>${words.title}</h2>
        <p class="faint">${words.hint}</p>
        <ul>
          ${unsent.map((entry) => html`<${One} entry=${entry} outboxes=${outboxes} close=${close} key=${entry.client_id} />`)}
        </ul>
      </div>`}
    <//>
  </div>`
}

/**
 * @param {{ entry: KeptEntry, outboxes: import('./outboxes.js').Outboxes, close(): void }} props
 */
function One({ entry, outboxes, close }) {
  const { project_id, ticket_id, client_id, kind, request, name, fault } = entry
  const text = kind === 'note' ? request.content : previewOf(request.message.type, request.message)
  return html`<li>
    <a href=${inboxPlace(project_id, { view: 'all', ticket_id })} onClick=${close}>
      <b><bdi>${name ?? words.somebody}</bdi></b> <span class="unsent-text" dir="auto">${text}</span>
    </a>
    ${
      fault &&
      html`<p class="faint">${errorText(fault)}
        <button type="button" class="link" onClick=${() => outboxes.of(project_id, ticket_id).discard(client_id)}>${words.discard}</button>
      </p>`
    }
  </li>`
}

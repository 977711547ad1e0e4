/** The last question before a broadcast is sent: to how many, with which template, from which number. */
import { html } from 'htm/preact'
import { errorText } from '../../data/errors.js'
import { Dialog } from '../../ui/dialog.js'
import { number } from '../../ui/format.js'
import { Icon } from '../../ui/icons.js'
import { broadcastPlace } from '../places.js'
import { durationText, templateTrouble } from './words.js'

/**
 * @param {{
 *   composition: import('./composition.js').Composition
 *   project: import('../../data/project.js').Project
 *   onClose(): void
 * }} props
 */
export function ConfirmDialog({ composition, project, onClose }) {
  const { template, campaign_name, rows } = composition.form.value
  const { people, faults, repeated } = composition.sheet.value
  const state = composition.state.value
  const fault = composition.fault.value
  const channel = composition.channel.value
  const count = people.length === 1 ? '1 person' : `${number(people.length)} people`
  const trouble = templateTrouble(composition.template.value?.status ?? 'APPROVED')
  const is_busy = state === 'sending'
  /** @param {() => void} close */
  const send = async (close) => {
    const id = await composition.send()
    if (id !== undefined) location.hash = broadcastPlace(project.id, id)
    else if (composition.state.value === 'unsure') close()
  }
  // After sending the form is empty, while the page is left.
  if (rows.length === 0 || !template) return null
  return html`<${Dialog}
    title="Send to ${count}?"
    onClose=${onClose}
    actions=${
      /** @param {() => void} close */
      (close) => html`<button type="button" class="button" disabled=${is_busy} onClick=${close}>Back</button>
        <button type="button" class="button primary" aria-busy=${String(is_busy)} onClick=${() => is_busy || send(close)}>
          ${is_busy ? 'Sending…' : `Send to ${count}`}
        </button>`
    }
  >
    <dl class="compose-facts">
      ${campaign_name.trim() && html`<div><dt>Campaign</dt><dd>${campaign_name.trim()}</dd></div>`}
      <div><dt>Template</dt><dd>${template.name} <span class="faint">${template.language}</span></dd></div>
      <div><dt>From</dt><dd>${channel?.name}</dd></div>
      <div><dt>Takes</dt><dd>${durationText(composition.estimate.value)}</dd></div>
      ${faults.length > 0 && html`<div><dt>Left out</dt><dd>${number(faults.length)} with mistakes</dd></div>`}
      ${repeated.length > 0 && html`<div><dt>Listed again</dt><dd>${number(repeated.length)}, each gets it once</dd></div>`}
    </dl>
    <p class="faint">It begins at once. What has been sent cannot be taken back; the rest can be cancelled.</p>
    ${trouble && html`<p class="note wary"><${Icon} name="alert" /> ${trouble}</p>`}
    <div role="alert">
      ${fault && !is_busy && html`<p class="note bad"><${Icon} name="alert" /> ${errorText(fault)}</p>`}
    </div>
    <p class="faint" role="status">${is_busy && fault ? 'No answer yet. Asking again; it is sent once.' : ''}</p>
  <//>`
}

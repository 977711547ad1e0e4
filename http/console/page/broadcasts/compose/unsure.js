/** A broadcast whose request got no answer: it may have been sent. Asking again sends it once. */
import { html } from 'htm/preact'
import { errorText } from '../../data/errors.js'
import { useAction } from '../../ui/hooks.js'
import { Icon } from '../../ui/icons.js'
import { broadcastPlace, broadcastsPlace } from '../places.js'

/**
 * @param {{
 *   composition: import('./composition.js').Composition
 *   project: import('../../data/project.js').Project
 * }} props
 */
export function Unsure({ composition, project }) {
  const { run, is_busy } = useAction(async () => {
    const id = await composition.send()
    if (id !== undefined) location.hash = broadcastPlace(project.id, id)
  })
  const is_unsure = composition.state.value === 'unsure'
  const fault = composition.fault.value
  if (!is_unsure && !is_busy) return null
  return html`<div class="trouble" role="alert">
    <${Icon} name="alert" />
    <div>
      <p class="trouble-title">It is not known whether this broadcast was sent</p>
      <p>${fault ? `${errorText(fault)} ` : ''}Ask again: if Parley has it already, it is not sent a second time.</p>
      <p><a href=${broadcastsPlace(project.id)}>Look for it in the list</a></p>
    </div>
    <button type="button" class="button" disabled=${is_busy} onClick=${() => composition.release()}>Change it</button>
    <button type="button" class="button primary" aria-busy=${String(is_busy)} onClick=${run}>${is_busy ? 'Asking…' : 'Ask again'}</button>
  </div>`
}

/** The agent who is signed in, with a menu. */
import { html } from 'htm/preact'
import { Avatar } from '../ui/avatar.js'
import { Icon } from '../ui/icons.js'
import { lazy } from '../ui/lazy.js'
import { Popover } from '../ui/popover.js'
import { preferences } from './preferences.js'

const AgentMenu = lazy(() => import('./agent_menu.js').then((module) => module.AgentMenu))

/**
 * @param {{
 *   core: import('./console.js').Console
 *   user: import('../../page_types/session.ts').Session['user']
 *   onSettings(): void
 *   onKeys(): void
 *   onPassword(): void
 * }} props
 */
export function Agent(props) {
  const { user } = props
  const { is_available } = preferences.value
  const is_seen = is_available && props.core.live_state.value !== 'reconnecting'
  const button = html`<span class="with-dot ${is_seen ? 'available' : 'away'}"><${Avatar} name=${user.full_name} id=${user._id} /></span>
    <span class="aside">Account of</span> <span class="user-name">${user.full_name}</span>
    <span class="aside">${is_available ? '' : ', away'}</span><${Icon} name="down" />`
  return html`<div class="menu">
    <${Popover} id="user-menu" button=${button} class="quiet menu-button" side="above" panel_label="Account">
      ${(/** @type {() => void} */ close) => html`<${AgentMenu} ...${props} close=${close} />`}
    <//>
  </div>`
}

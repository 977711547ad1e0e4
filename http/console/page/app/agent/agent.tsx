/** The agent who is signed in, with a menu. */

import type { Console } from '../../core/console.ts'
import { preferences } from '../../data/preferences.ts'
import type { Session } from '../../records/session.ts'
import { lazy } from '../../ui/lazy.tsx'
import { Popover } from '../../ui/overlays/popover.tsx'
import { Avatar } from '../../ui/pictures/avatar.tsx'
import { Icon } from '../../ui/pictures/icons.tsx'

const AgentMenu = lazy(() => import('./agent_menu.tsx').then((module) => module.AgentMenu))

export function Agent(props: {
  core: Console
  user: Session['user']
  onSettings(): void
  onKeys(): void
  onPassword(): void
}) {
  const { user } = props
  const { is_available } = preferences.value
  const is_seen = is_available && props.core.live_state.value !== 'reconnecting'
  const button = (
    <>
      <span class={`with-dot ${is_seen ? 'available' : 'away'}`}>
        <Avatar name={user.full_name} id={user._id} />
      </span>
      <span class="aside">Account of</span> <span class="user-name">{user.full_name}</span>
      <span class="aside">{is_available ? '' : ', away'}</span>
      <Icon name="down" />
    </>
  )
  return (
    <div class="menu">
      <Popover id="user-menu" button={button} class="quiet menu-button" side="above" panel_label="Account">
        {(close) => <AgentMenu {...props} close={close} />}
      </Popover>
    </div>
  )
}

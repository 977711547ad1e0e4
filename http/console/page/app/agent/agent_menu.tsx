/** The menu of the agent who is signed in: being available, colors, settings, and the way out. */

import type { Console } from '../../core/console.ts'
import { words } from '../../data/outbox/words.ts'
import { prefer, preferences, type Theme } from '../../data/preferences.ts'
import type { Session } from '../../records/session.ts'
import { useAction } from '../../ui/hooks.ts'
import { Icon, type IconName } from '../../ui/pictures/icons.tsx'
import { Trouble } from '../../ui/placeholders/trouble.tsx'

const THEMES: { theme: Theme; text: string; icon: IconName }[] = [
  { theme: 'system', text: 'System', icon: 'screen' },
  { theme: 'light', text: 'Light', icon: 'sun' },
  { theme: 'dark', text: 'Dark', icon: 'moon' },
]

export function AgentMenu({
  core,
  user,
  onSettings,
  onKeys,
  onPassword,
  close,
}: {
  core: Console
  user: Session['user']
  onSettings(): void
  onKeys(): void
  onPassword(): void
  close(): void
}) {
  const { is_available, theme } = preferences.value
  const signOut = useAction(() => core.signOut())
  const unsent = core.outboxes.value?.unsent.value.length ?? 0
  return (
    <>
      <p class="user-name">{user.full_name}</p>
      <p class="faint">{user.email}</p>
      <div class="menu-items">
        <button
          type="button"
          class="menu-item"
          aria-pressed={!is_available}
          onClick={() => prefer({ is_available: !is_available })}
        >
          <Icon name={is_available ? 'away' : 'done'} />{' '}
          <span>{is_available ? 'Set yourself away' : 'Set yourself available'}</span>
        </button>
        <hr />
        <div class="themes" role="radiogroup" aria-label="Theme">
          {THEMES.map((one) => (
            <label key={one.theme}>
              <input
                type="radio"
                name="theme"
                checked={theme === one.theme}
                onChange={() => prefer({ theme: one.theme })}
              />
              <Icon name={one.icon} /> {one.text}
            </label>
          ))}
        </div>
        <hr />
        <button type="button" class="menu-item" onClick={after(close, onSettings)}>
          <Icon name="settings" /> <span>Settings</span>
        </button>
        <button type="button" class="menu-item" onClick={after(close, onKeys)}>
          <Icon name="keyboard" /> <span>Keyboard shortcuts</span>
        </button>
        <button type="button" class="menu-item" onClick={after(close, onPassword)}>
          <Icon name="lock" /> <span>Change your password</span>
        </button>
        {unsent > 0 && <p class="note">{words.signing_out(unsent)}</p>}
        <button type="button" class="menu-item" disabled={signOut.is_busy} onClick={signOut.run}>
          <Icon name="out" />
          <span>{signOut.is_busy ? 'Signing out…' : unsent > 0 ? words.sign_out_anyway : 'Sign out'}</span>
        </button>
      </div>
      {signOut.fault && <Trouble title="You are still signed in" error={signOut.fault} />}
    </>
  )
}

function after(close: () => void, act: () => void) {
  return () => {
    close()
    act()
  }
}

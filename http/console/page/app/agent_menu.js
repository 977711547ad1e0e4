/** The menu of the agent who is signed in: being available, colors, settings, and the way out. */
import { html } from 'htm/preact'
import { words } from '../outbox/words.js'
import { useAction } from '../ui/hooks.js'
import { Icon } from '../ui/icons.js'
import { Trouble } from '../ui/trouble.js'
import { prefer, preferences } from './preferences.js'

/** @typedef {import('./preferences.js').Theme} Theme */

/** @type {{ theme: Theme, text: string, icon: import('../ui/icons.js').IconName }[]} */
const THEMES = [
  { theme: 'system', text: 'System', icon: 'screen' },
  { theme: 'light', text: 'Light', icon: 'sun' },
  { theme: 'dark', text: 'Dark', icon: 'moon' },
]

/**
 * @param {{
 *   core: import('./console.js').Console
 *   user: import('../../page_types/session.ts').Session['user']
 *   onSettings(): void
 *   onKeys(): void
 *   onPassword(): void
 *   close(): void
 * }} props
 */
export function AgentMenu({ core, user, onSettings, onKeys, onPassword, close }) {
  const { is_available, theme } = preferences.value
  const signOut = useAction(() => core.signOut())
  const unsent = core.outboxes.value?.unsent.value.length ?? 0
  return html`<p class="user-name">${user.full_name}</p>
          <p class="faint">${user.email}</p>
          <div class="menu-items">
            <button
              type="button"
              class="menu-item"
              aria-pressed=${String(!is_available)}
              onClick=${() => prefer({ is_available: !is_available })}
            >
              <${Icon} name=${is_available ? 'away' : 'done'} /> <span>${is_available ? 'Set yourself away' : 'Set yourself available'}</span>
            </button>
            <hr />
            <div class="themes" role="radiogroup" aria-label="Theme">
              ${THEMES.map(
                (one) => html`<label key=${one.theme}>
                  <input
                    type="radio"
                    name="theme"
                    checked=${theme === one.theme}
                    onChange=${() => prefer({ theme: one.theme })}
                  />
                  <${Icon} name=${one.icon} /> ${one.text}
                </label>`,
              )}
            </div>
            <hr />
            <button type="button" class="menu-item" onClick=${after(close, onSettings)}>
              <${Icon} name="settings" /> <span>Settings</span>
            </button>
            <button type="button" class="menu-item" onClick=${after(close, onKeys)}>
              <${Icon} name="keyboard" /> <span>Keyboard shortcuts</span>
            </button>
            <button type="button" class="menu-item" onClick=${after(close, onPassword)}>
              <${Icon} name="lock" /> <span>Change your password</span>
            </button>
            ${unsent > 0 && html`<p class="note">${words.signing_out(unsent)}</p>`}
            <button type="button" class="menu-item" disabled=${signOut.is_busy} onClick=${signOut.run}>
              <${Icon} name="out" />
              <span>${signOut.is_busy ? 'Signing out…' : unsent > 0 ? words.sign_out_anyway : 'Sign out'}</span>
            </button>
          </div>
          ${signOut.fault && html`<${Trouble} title="You are still signed in" error=${signOut.fault} />`}`
}

/**
 * @param {() => void} close
 * @param {() => void} act
 */
function after(close, act) {
  return () => {
    close()
    act()
  }
}

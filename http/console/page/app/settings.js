/** Settings of this machine: colors, notifications, being available. */
import { html } from 'htm/preact'
import { useState } from 'preact/hooks'
import { Dialog } from '../ui/dialog.js'
import { SelectField, Switch } from '../ui/field.js'
import { prefer, preferences } from './preferences.js'
import { play } from './tone.js'

const THEMES = [
  { value: 'system', text: 'As the system' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
]

/**
 * @param {{ onClose(): void }} props
 */
export function Settings({ onClose }) {
  const { theme, notify, sound, letter_keys, is_available } = preferences.value
  const [permission, setPermission] = useState(
    /** @type {NotificationPermission | 'unsupported'} */ (globalThis.Notification?.permission ?? 'unsupported'),
  )
  /** @param {boolean} is_on */
  const changeNotify = async (is_on) => {
    const given = is_on && permission === 'default' ? await Notification.requestPermission() : permission
    setPermission(given)
    prefer({ notify: is_on && given === 'granted' })
  }
  /** @param {boolean} is_on */
  const changeSound = (is_on) => {
    if (is_on) play()
    prefer({ sound: is_on })
  }
  const hints = {
    denied: 'The browser forbids it for this address. Its settings for the page can allow it.',
    unsupported: 'This browser has no notifications.',
    default: 'The browser will ask for your permission.',
    granted: 'When a person writes to you or to nobody yet, or a colleague needs you, and this page is not in front.',
  }
  return html`<${Dialog} title="Settings" has_close=${true} onClose=${onClose}>
    <div class="settings">
      <${SelectField}
        label="Theme"
        value=${theme}
        options=${THEMES}
        onChange=${(/** @type {import('./preferences.js').Theme} */ value) => prefer({ theme: value })}
      />
      <${Switch}
        label="Notifications"
        is_on=${notify && permission === 'granted'}
        is_off=${permission === 'denied' || permission === 'unsupported'}
        hint=${hints[permission]}
        onChange=${changeNotify}
      />
      <${Switch}
        label="Sound"
        is_on=${sound}
        hint="A short tone at the same news, with notifications or without; also while this page is in front, unless it shows the ticket."
        onChange=${changeSound}
      />
      <${Switch}
        label="Keys of one letter"
        is_on=${letter_keys}
        hint="Such as j for the next ticket and r for a reply. Keys with Ctrl work in any case."
        onChange=${(/** @type {boolean} */ is_on) => prefer({ letter_keys: is_on })}
      />
      <${Switch}
        label="Available"
        is_on=${is_available}
        hint="While you are away, you get no notifications, and nobody sees you in a ticket."
        onChange=${(/** @type {boolean} */ is_on) => prefer({ is_available: is_on })}
      />
    </div>
  <//>`
}

/** Settings of this machine: colors, notifications, being available. */
import { useState } from 'preact/hooks'
import { prefer, preferences } from '../../data/preferences.ts'
import { SelectField, Switch } from '../../ui/forms/field.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { play } from '../bell/tone.ts'

const THEMES = [
  { value: 'system', text: 'As the system' },
  { value: 'light', text: 'Light' },
  { value: 'dark', text: 'Dark' },
] as const

export function Settings({ onClose }: { onClose(): void }) {
  const { theme, notify, sound, letter_keys, is_available } = preferences.value
  const [permission, setPermission] = useState<NotificationPermission | 'unsupported'>(
    globalThis.Notification?.permission ?? 'unsupported',
  )
  const changeNotify = async (is_on: boolean) => {
    const fields = is_on && permission === 'default' ? await Notification.requestPermission() : permission
    setPermission(fields)
    prefer({ notify: is_on && fields === 'granted' })
  }
  const changeSound = (is_on: boolean) => {
    if (is_on) play()
    prefer({ sound: is_on })
  }
  const hints = {
    denied: 'The browser forbids it for this address. Its settings for the page can allow it.',
    unsupported: 'This browser has no notifications.',
    default: 'The browser will ask for your permission.',
    granted: 'When a person writes to you or to nobody yet, or a colleague needs you, and this page is not in front.',
  }
  return (
    <Dialog title="Settings" has_close onClose={onClose}>
      <div class="settings">
        <SelectField label="Theme" value={theme} options={THEMES} onChange={(value) => prefer({ theme: value })} />
        <Switch
          label="Notifications"
          is_on={notify && permission === 'granted'}
          is_off={permission === 'denied' || permission === 'unsupported'}
          hint={hints[permission]}
          onChange={changeNotify}
        />
        <Switch
          label="Sound"
          is_on={sound}
          hint="A short tone at the same news, with notifications or without; also while this page is in front, unless it shows the ticket."
          onChange={changeSound}
        />
        <Switch
          label="Keys of one letter"
          is_on={letter_keys}
          hint="Such as j for the next ticket and r for a reply. Keys with Ctrl work in any case."
          onChange={(is_on) => prefer({ letter_keys: is_on })}
        />
        <Switch
          label="Available"
          is_on={is_available}
          hint="While you are away, you get no notifications, and nobody sees you in a ticket."
          onChange={(is_on) => prefer({ is_available: is_on })}
        />
      </div>
    </Dialog>
  )
}

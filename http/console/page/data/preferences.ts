/**
 * Preferences of an agent on this machine: colors, notifications, and being available. Kept in the browser's storage, and
 * alike in all tabs.
 */
import { effect, signal } from '@preact/signals'

export type Theme = 'system' | 'light' | 'dark'
/**
 * `enter_sends`: Enter alone sends a message; Ctrl-Enter always does. `letter_keys`: keys without Ctrl act.
 * `currency`: that of the last amount that the agent wrote.
 */
type Preferences = {
  theme: Theme
  notify: boolean
  sound: boolean
  is_available: boolean
  is_panel_shown: boolean
  enter_sends: boolean
  letter_keys: boolean
  project_id: string | null
  currency?: string
}

const PLACE = 'parley console'

const DEFAULTS: Preferences = {
  theme: 'system',
  notify: false,
  sound: false,
  is_available: true,
  is_panel_shown: true,
  enter_sends: true,
  letter_keys: true,
  project_id: null,
}

/** The preferences now. Views that read them are drawn again when they change. */
export const preferences = signal(read())

export function prefer(change: Partial<Preferences>) {
  preferences.value = { ...preferences.peek(), ...change }
  try {
    localStorage.setItem(PLACE, JSON.stringify(preferences.peek()))
  } catch {
    // Storage is blocked: it holds until the page is closed.
  }
}

/** Keeps the colors of the page as preferred, and follows the other tabs. */
export function followPreferences() {
  addEventListener('storage', ({ key }) => {
    if (key === PLACE) preferences.value = read()
  })
  effect(() => {
    const { theme } = preferences.value
    if (theme === 'system') delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
  })
}

function read(): Preferences {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(PLACE) ?? '{}') }
  } catch {
    return DEFAULTS
  }
}

/** Connects the parts of the chat: the memory, the conversation, the button, and the window once it is opened. */
import { browserNow } from './browser.js'
import { Conversation } from './conversation.js'
import { Memory } from './memory.js'
import { Sound } from './sound.js'

/**
 * The options of an embedded chat. `base` is the address of the server, with a slash at its end; `key` names the memory;
 * `show` draws the state on the button, `tell` passes an event to the page, `keep` remembers for the next page whether the
 * window is open; `is_page`: the chat fills the page.
 *
 * @typedef {{
 *   base: URL
 *   channel_id: string
 *   key: string
 *   root: ShadowRoot
 *   launcher: HTMLButtonElement
 *   words: import('../page_types/words.ts').Words
 *   show(is_open: boolean, unread: number): void
 *   tell(name: string, value: unknown): void
 *   keep(is_open: boolean): void
 *   title: string | undefined
 *   greeting: string | undefined
 *   avatar: string | undefined
 *   position: string | undefined
 *   is_page: boolean
 * }} Options
 */

/**
 * `toggle` opens or closes the window; with `focus` the keyboard follows, as when the visitor has done it.
 *
 * @typedef {{
 *   toggle(open?: boolean, focus?: boolean): Promise<void>
 *   identify(token: string): void
 *   logout(): Promise<void>
 * }} Chat
 */

/**
 * @param {Options} options
 * @returns {Chat}
 */
export function startChat(options) {
  const { base, channel_id, key, root, launcher, words, show, tell, keep, title, is_page } = options
  const memory = new Memory(key)
  const sound = new Sound(memory)
  /** @type {import('./panel.js').Panel | undefined} */
  let panel
  /** @type {Promise<import('./panel.js').Panel> | undefined} */
  let loading
  let is_open = false

  const render = () => {
    panel?.render()
    show(is_open, conversation.unread)
  }
  const conversation = new Conversation(base, channel_id, memory, {
    changed: render,
    browser: browserNow,
    refused(failure) {
      console.error(failure.message)
      tell('refused', { code: failure.code, message: failure.message })
    },
    message(message) {
      tell('message', { id: message.ref, at: message.at, message: message.message })
      if (!conversation.is_watched) sound.play()
      if (!is_open && !is_page) void preview(message)
    },
  })

  /** @type {Promise<void> | undefined} */
  let styling
  async function loadStyles() {
    const response = await fetch(new URL('widget/files/style.css', base))
    if (!response.ok) throw new Error(`The styles of the chat were answered with ${response.status}.`)
    const styles = new CSSStyleSheet()
    styles.replaceSync(await response.text())
    root.adoptedStyleSheets.push(styles)
  }
  const styled = () => {
    styling ??= loadStyles()
    styling.catch(() => {
      styling = undefined
    })
    return styling
  }

  /** @type {import('./preview.js').Preview | undefined} */
  let shown
  /**
   * Where it cannot be loaded, the number on the button says enough.
   *
   * @param {import('../page_types/message.ts').Message} message
   */
  async function preview(message) {
    try {
      const [{ Preview }] = await Promise.all([import('./preview.js'), styled()])
      if (is_open) return
      shown ??= new Preview(options, () => void chat.toggle(true))
      shown.show(message, conversation.agent?.name ?? (title || conversation.name || words.messages))
    } catch (error) {
      console.error('An answer could not be shown.', error)
    }
  }

  async function loadPanel() {
    const [{ Panel }] = await Promise.all([import('./panel.js'), styled()])
    panel = new Panel({ ...options, conversation, sound, close: () => void chat.toggle(false) })
    return panel
  }

  /** @type {Chat} */
  const chat = {
    identify: (token) => conversation.identify(token),
    async logout() {
      conversation.logout()
      shown?.hide()
      if (!is_page) await chat.toggle(false, false)
    },
    async toggle(open = !is_open, focus = true) {
      // A page of its own opens by itself, and browsers allow sounds only to what a visitor did.
      if (focus && !is_page) sound.allow()
      if (open === is_open) return
      is_open = open
      keep(open)
      shown?.hide()
      if (open) conversation.open()
      render()
      loading ??= loadPanel()
      loading.catch(() => {
        loading = undefined
        is_open = false
      })
      const window = await loading
      // Closed again while it was loaded.
      if (is_open !== open) return
      window.toggle(open, focus)
      if (!open && focus) launcher.focus()
      render()
      tell(open ? 'open' : 'close', undefined)
    },
  }
  if (is_page) document.documentElement.lang = words.language
  root.addEventListener('pointerdown', () => sound.allow())
  root.addEventListener('keydown', () => sound.allow())
  if (conversation.known) conversation.open()
  return chat
}

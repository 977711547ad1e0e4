/** Connects the parts of the chat: the memory, the conversation, the button, and the window once it is opened. */

import { browserNow } from './connection/browser.ts'
import { Conversation } from './conversation/conversation.ts'
import { Memory } from './messages/memory.ts'
import type { Message } from './messages/message.ts'
import type { Options } from './options.ts'
import type { Panel } from './view/panel.ts'
import type { Preview } from './view/preview.ts'
import { Sound } from './view/sound.ts'

/** `toggle` opens or closes the window; with `focus` the keyboard follows, as when the visitor has done it. */
export type Chat = {
  toggle(open?: boolean, focus?: boolean): Promise<void>
  identify(token: string): void
  logout(): Promise<void>
}

export function startChat(options: Options): Chat {
  const { base, channel_id, key, root, launcher, words, show, tell, keep, title, is_page } = options
  const memory = new Memory(key)
  const sound = new Sound(memory)
  let panel: Panel | undefined
  let loading: Promise<Panel> | undefined
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

  let styling: Promise<void> | undefined
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

  let answer_preview: Preview | undefined
  /** Where it cannot be loaded, the number on the button says enough. */
  async function preview(message: Message) {
    try {
      const [{ Preview }] = await Promise.all([import('./view/preview.ts'), styled()])
      if (is_open) return
      answer_preview ??= new Preview(options, () => void chat.toggle(true))
      answer_preview.show(message, conversation.agent?.name ?? (title || conversation.name || words.messages))
    } catch (error) {
      console.error('An answer could not be shown.', error)
    }
  }

  async function loadPanel() {
    const [{ Panel }] = await Promise.all([import('./view/panel.ts'), styled()])
    panel = new Panel({ ...options, conversation, sound, close: () => void chat.toggle(false) })
    return panel
  }

  const chat: Chat = {
    identify: (token) => conversation.identify(token),
    async logout() {
      conversation.logout()
      answer_preview?.hide()
      if (!is_page) await chat.toggle(false, false)
    },
    async toggle(open = !is_open, focus = true) {
      // A page of its own opens by itself, and browsers allow sounds only to what a visitor did.
      if (focus && !is_page) sound.allow()
      if (open === is_open) return
      is_open = open
      keep(open)
      answer_preview?.hide()
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

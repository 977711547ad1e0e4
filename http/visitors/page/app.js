/** Connects the parts of the chat: the memory, the conversation, the window. */
import { Conversation } from './conversation.js'
import { h } from './dom.js'
import { Panel } from './panel.js'
import { wordsOf } from './words.js'

/**
 * The options of an embedded chat. `base` is the address of the server, with a slash at its end; `page`: the chat fills the
 * page.
 *
 * @typedef {{
 *   base: URL
 *   channel_id: string
 *   title?: string | undefined
 *   accent?: string | undefined
 *   position?: string | undefined
 *   language?: string | undefined
 *   open: boolean
 *   page: boolean
 * }} Options
 */

/**
 * The visitor's token, in the page's own storage; without storage the visitor is new each time.
 *
 * @param {URL} base
 * @param {string} channel_id
 * @returns {import('./conversation.js').Memory}
 */
function memoryFor(base, channel_id) {
  const key = `parley ${base.origin}${base.pathname} ${channel_id}`
  return {
    load() {
      try {
        return localStorage.getItem(key) || undefined
      } catch {
        return undefined
      }
    },
    save(token) {
      try {
        localStorage.setItem(key, token)
      } catch {
        // Private windows and blocked storage: kept for as long as the page is open.
      }
    },
  }
}

/**
 * Puts the chat into the page.
 *
 * @param {Options} options
 */
export async function startChat({ base, channel_id, title, accent, position, language, open, page }) {
  const host = h('div', { 'data-parley': channel_id })
  const root = host.attachShadow({ mode: 'open' })
  const styles = new CSSStyleSheet()
  const response = await fetch(new URL('widget/files/style.css', base))
  if (!response.ok) throw new Error(`The styles of the chat were answered with ${response.status}.`)
  styles.replaceSync(await response.text())
  root.adoptedStyleSheets = [styles]
  if (accent && CSS.supports('color', accent)) host.style.setProperty('--accent', accent)

  const words = wordsOf(language)
  if (page) document.documentElement.lang = words.language
  /** @type {Panel | undefined} */
  let panel
  const conversation = new Conversation(base, channel_id, memoryFor(base, channel_id), () => panel?.render())
  /** @type {import('./bubble.js').Chat} */
  const chat = {
    conversation,
    words,
    name: () => title || conversation.name || words.messages,
    say: (said, shown) => conversation.say(said, shown),
  }
  panel = new Panel(root, chat, { page, position })
  document.body.append(host)
  // Returning visitors are connected at once, to get answers; others when they open the chat.
  if (conversation.known) conversation.open()
  if (open || page) panel.toggle(true)
}

/** The chat's window: a button that opens it, the messages, and the input. */
import { bubble } from './bubble.js'
import { h } from './dom.js'

/** @typedef {import('../page_types/message.ts').ShownMessage} ShownMessage */

const NEAR_END_PX = 80

export class Panel {
  #chat
  #is_page
  /**
   * The displayed messages by their `ref`. `form` changes with everything displayed of a message.
   *
   * @type {Map<string, { form: string, element: HTMLElement }>}
   */
  #items = new Map()
  #launcher
  #badge
  #window
  #title
  #status
  #log
  #older
  #list
  #text
  #send_button
  #is_open = false

  /**
   * @param {ShadowRoot} root
   * @param {import('./bubble.js').Chat} chat
   * @param {{ page: boolean, position: string | undefined }} options
   */
  constructor(root, chat, { page, position }) {
    this.#chat = chat
    this.#is_page = page
    const { words } = chat
    this.#badge = h('span', { class: 'badge', 'aria-hidden': 'true', hidden: true })
    this.#launcher = h(
      'button',
      {
        type: 'button',
        class: 'launcher',
        'aria-expanded': 'false',
        'aria-controls': 'window',
        hidden: page,
        onclick: () => this.toggle(),
      },
      h('span', { 'aria-hidden': 'true' }, '💬'),
      this.#badge,
    )
    this.#title = h(page ? 'h1' : 'h2', { id: 'title' })
    this.#status = h('p', { class: 'status', role: 'status' })
    this.#older = h(
      'button',
      { type: 'button', class: 'older', hidden: true, onclick: () => this.#loadOlder() },
      words.older,
    )
    this.#list = h('ol', {})
    this.#log = h(
      'div',
      { class: 'log', role: 'log', 'aria-label': words.messages, tabindex: '0' },
      this.#older,
      this.#list,
    )
    this.#text = h('textarea', {
      id: 'text',
      rows: '1',
      maxlength: '4096',
      placeholder: words.write,
      autocomplete: 'off',
    })
    this.#text.addEventListener('keydown', (event) => this.#key(event))
    this.#text.addEventListener('input', () => this.#grow())
    this.#send_button = h(
      'button',
      { type: 'submit', 'aria-label': words.send },
      h('span', { 'aria-hidden': 'true' }, '➤'),
    )
    const form = h('form', {}, h('label', { class: 'hidden', for: 'text' }, words.write), this.#text, this.#send_button)
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      this.#send()
    })
    const close = h(
      'button',
      { type: 'button', class: 'close', 'aria-label': words.close, hidden: page, onclick: () => this.toggle(false) },
      '✕',
    )
    this.#window = h(
      page ? 'main' : 'section',
      { id: 'window', class: 'window', role: page ? undefined : 'dialog', 'aria-labelledby': 'title', hidden: true },
      h('header', {}, this.#title, close),
      this.#status,
      this.#log,
      form,
    )
    this.#window.addEventListener('keydown', ({ key }) => key === 'Escape' && !page && this.toggle(false))
    root.append(
      h(
        'div',
        { class: `root ${page ? 'page' : ''} ${position === 'left' ? 'left' : ''}`, lang: words.language },
        this.#window,
        this.#launcher,
      ),
    )
    document.addEventListener('visibilitychange', () => this.#watch())
    this.render()
  }

  /** Opens or closes the window. */
  toggle(open = !this.#is_open) {
    if (open === this.#is_open) return
    this.#is_open = open
    this.#window.hidden = !open
    this.#launcher.setAttribute('aria-expanded', String(open))
    if (open) {
      this.#chat.conversation.open()
      this.#toEnd()
      if (!this.#is_page) this.#text.focus()
    } else this.#launcher.focus()
    this.#watch()
    this.render()
  }

  render() {
    const { conversation, words, name } = this.#chat
    const { state, unread, is_held, canWrite } = conversation
    this.#title.textContent = name()
    if (this.#is_page) document.title = name()
    const count = this.#is_open ? 0 : unread
    this.#badge.textContent = String(count)
    this.#badge.hidden = count === 0
    this.#launcher.setAttribute(
      'aria-label',
      this.#is_open ? words.close : [words.open, count > 0 && words.unread(count)].filter(Boolean).join(', '),
    )
    const status = words.states[state === 'connected' && is_held ? 'held' : state] ?? ''
    if (this.#status.textContent !== status) this.#status.textContent = status
    this.#status.hidden = status === ''
    this.#older.hidden = !conversation.hasOlder
    this.#allowWriting(canWrite)
    if (this.#is_open) this.#renderMessages(conversation.messages)
  }

  /** @param {boolean} may */
  #allowWriting(may) {
    if (this.#text.disabled === !may) return
    // A disabled element loses the focus, so it is moved for keyboard users.
    if (!may && (hasFocus(this.#text) || hasFocus(this.#send_button))) this.#log.focus()
    this.#text.disabled = !may
    this.#send_button.disabled = !may
  }

  /**
   * Rebuilds only changed messages: selected text, playing media and open parts stay as they are.
   *
   * @param {ShownMessage[]} messages
   */
  #renderMessages(messages) {
    const was_at_end = this.#isAtEnd()
    /** @type {Map<string, { form: string, element: HTMLElement }>} */
    const next = new Map()
    for (const one of messages) {
      const { conversation } = this.#chat
      const form = JSON.stringify([
        one.at,
        one.message,
        one.pending,
        one.failed,
        conversation.reactionsTo(one.ref),
        conversation.isAnswered(one.ref),
        conversation.canWrite,
      ])
      const known = this.#items.get(one.ref)
      next.set(one.ref, known?.form === form ? known : { form, element: bubble(one, this.#chat) })
    }
    for (const [ref, { element }] of this.#items) if (next.get(ref)?.element !== element) element.remove()
    let place = this.#list.firstElementChild
    for (const { element } of next.values()) {
      if (element === place) place = place.nextElementSibling
      else this.#list.insertBefore(element, place)
    }
    this.#items = next
    if (was_at_end) this.#toEnd()
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    this.#send()
  }

  #send() {
    const body = this.#text.value.trim()
    if (body === '' || !this.#chat.conversation.canWrite) return
    this.#text.value = ''
    this.#grow()
    this.#chat.say({ type: 'text', body }, { type: 'text', body })
    this.#toEnd()
  }

  #grow() {
    this.#text.rows = Math.min(5, this.#text.value.split('\n').length)
  }

  /** Keeps the visible messages in place while older ones are inserted above. */
  async #loadOlder() {
    this.#older.disabled = true
    const height = this.#log.scrollHeight
    await this.#chat.conversation.loadOlder().catch(() => {})
    this.#older.disabled = false
    this.#log.scrollTop += this.#log.scrollHeight - height
  }

  #watch() {
    this.#chat.conversation.watch(this.#is_open && document.visibilityState === 'visible')
  }

  #isAtEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.#log
    return scrollHeight - scrollTop - clientHeight < NEAR_END_PX
  }

  #toEnd() {
    this.#log.scrollTop = this.#log.scrollHeight
  }
}

/** @param {Element} element */
function hasFocus(element) {
  const root = element.getRootNode()
  return (root instanceof Document || root instanceof ShadowRoot) && root.activeElement === element
}

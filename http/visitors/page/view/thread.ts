/** The messages as a list: only what has changed is rebuilt, so selected text and playing media stay as they are. */

import type { ShownMessage } from '../messages/message.ts'
import { bubble, type Chat, meta } from './bubble.ts'
import { h } from './dom.ts'

const NEAR_END_PX = 80
const DAY_MS = 86_400_000

/** A row of the list. `form` changes with everything displayed of it, `meta` with the line below. */
type Row = { form: string; element: HTMLElement; meta: string; line?: HTMLElement }

export class Thread {
  /** The part of the window that scrolls. */
  element
  #chat
  #older
  #list
  #greeting
  #draft
  #rows = new Map<string, Row>()
  /** The end stays in view until the visitor scrolls away from it. */
  #is_following = true

  /** `greeting` is shown before the first message. */
  constructor(chat: Chat, greeting: string) {
    this.#chat = chat
    const { words } = chat
    this.#older = h(
      'button',
      { type: 'button', class: 'older', hidden: true, onclick: () => this.#loadOlder() },
      words.older,
    )
    this.#greeting = greeting && h('p', { class: 'bubble greeting', dir: 'auto' }, greeting)
    this.#list = h('ol', {})
    // A screen reader hears the answer once, when it is a message.
    this.#draft = h('p', { class: 'bubble draft', dir: 'auto', 'aria-hidden': 'true', hidden: true })
    this.element = h(
      'div',
      { class: 'log', role: 'log', 'aria-label': words.messages, tabindex: '0' },
      this.#older,
      this.#greeting,
      this.#list,
      this.#draft,
    )
    this.element.addEventListener('scroll', () => {
      this.#is_following = this.#isAtEnd()
    })
    // Pictures have their height when they are loaded, and the line to write in takes some of the window's.
    const sizes = new ResizeObserver(() => this.#is_following && this.toEnd())
    sizes.observe(this.#list)
    sizes.observe(this.#draft)
    sizes.observe(this.element)
  }

  render() {
    const { conversation } = this.#chat
    this.#older.hidden = !conversation.hasOlder
    if (this.#greeting) this.#greeting.hidden = conversation.hasOlder
    const next = new Map<string, Row>()
    let day = ''
    for (const one of conversation.messages) {
      const its_day = new Date(one.at).toDateString()
      if (its_day !== day) next.set(its_day, this.#day(its_day))
      day = its_day
      next.set(keyOf(one), this.#row(one))
    }
    for (const [key, { element }] of this.#rows) if (next.get(key)?.element !== element) element.remove()
    let place = this.#list.firstElementChild
    for (const { element } of next.values()) {
      if (element === place) place = place.nextElementSibling
      else this.#list.insertBefore(element, place)
    }
    this.#rows = next
    const { draft } = conversation
    this.#draft.hidden = draft === ''
    this.#draft.textContent = draft && `${draft} …`
    if (this.#is_following) this.toEnd()
  }

  /** Shows the last message, and those that follow. */
  toEnd() {
    this.#is_following = true
    this.element.scrollTop = this.element.scrollHeight
  }

  #row(one: ShownMessage): Row {
    const { conversation } = this.#chat
    const form = JSON.stringify([
      one.at,
      one.message,
      one.sources,
      one.context,
      one.upload !== undefined,
      conversation.reactionsTo(one.ref),
      conversation.isAnswered(one.ref),
      conversation.canWrite,
    ])
    const progress = one.upload && Math.round(one.upload.progress * 100)
    const line_form = JSON.stringify([one.at, one.pending, one.failed, one.status, progress, conversation.canWrite])
    const known = this.#rows.get(keyOf(one))
    const row = known?.form === form ? known : { form, element: bubble(one, this.#chat), meta: '' }
    if (row.meta !== line_form) {
      const line = meta(one, this.#chat)
      if (row.line) row.line.replaceWith(line)
      else row.element.lastElementChild?.append(line)
      row.line = line
      row.meta = line_form
      row.element.dataset.ref = one.ref
    }
    return row
  }

  #day(day: string): Row {
    const { words } = this.#chat
    const today = new Date().toDateString()
    const form = `${today} ${day}`
    const known = this.#rows.get(day)
    if (known?.form === form) return known
    const yesterday = new Date(Date.now() - DAY_MS).toDateString()
    const long = { day: 'numeric', month: 'long', year: 'numeric' } as const
    const text =
      day === today
        ? words.today
        : day === yesterday
          ? words.yesterday
          : new Date(day).toLocaleDateString(words.language, long)
    return { form, meta: '', element: h('li', { class: 'day' }, text) }
  }

  /** Keeps the visible messages in place while older ones are inserted above. */
  async #loadOlder() {
    this.#older.disabled = true
    const height = this.element.scrollHeight
    await this.#chat.conversation.loadOlder().catch(() => {})
    this.#older.disabled = false
    this.element.scrollTop += this.element.scrollHeight - height
  }

  #isAtEnd() {
    const { scrollTop, scrollHeight, clientHeight } = this.element
    return scrollHeight - scrollTop - clientHeight < NEAR_END_PX
  }
}

/** The same while a message of the visitor waits and when it is stored. */
function keyOf({ ref, direction }: ShownMessage) {
  return direction === 'inbound' ? (ref.split('-').at(-1) ?? ref) : ref
}

/** The form in which a visitor who waits leaves an e-mail address. It asks once, and goes away when the visitor wants it. */
import type { Conversation } from '../conversation/conversation.ts'
import type { Words } from '../words.ts'
import { h } from './dom.ts'

const ADDRESS = /^[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+$/

export class EmailForm {
  element
  #conversation
  #words
  #field
  #said
  #is_dismissed = false
  #is_over = false

  constructor(conversation: Conversation, words: Words['email']) {
    this.#conversation = conversation
    this.#words = words
    this.#field = h('input', {
      type: 'email',
      autocomplete: 'email',
      'aria-label': words.label,
      placeholder: words.label,
    })
    this.#said = h('p', { class: 'said', role: 'status', hidden: true })
    this.element = h(
      'form',
      { class: 'email', hidden: true, novalidate: true, onsubmit: (event: Event) => void this.#submit(event) },
      h('p', {}, words.ask),
      h(
        'div',
        { class: 'fields' },
        this.#field,
        h('button', { type: 'submit' }, words.save),
        h('button', { type: 'button', class: 'later', onclick: () => this.#dismiss() }, words.later),
      ),
      this.#said,
    )
  }

  /** Shown while nobody is here, or once an answer takes longer than usual. */
  render(is_late: boolean) {
    if (this.#is_over) return
    const { has_email, waiting_since, canWrite } = this.#conversation
    this.element.hidden =
      has_email || this.#is_dismissed || waiting_since === Number.POSITIVE_INFINITY || !canWrite || !is_late
  }

  #dismiss() {
    this.#is_dismissed = true
    this.element.hidden = true
  }

  async #submit(event: Event) {
    event.preventDefault()
    const email = this.#field.value.trim()
    if (!ADDRESS.test(email)) return this.#say(this.#words.wrong)
    try {
      this.#is_over = true
      await this.#conversation.leaveEmail(email)
      this.element.replaceChildren(this.#said)
      this.#say(this.#words.thanks(email))
    } catch {
      this.#is_over = false
      this.#say(this.#words.failed)
    }
  }

  #say(text: string) {
    this.#said.hidden = false
    this.#said.textContent = text
  }
}

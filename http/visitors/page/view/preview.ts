/** The last answer beside the button, while the window is closed. */

import type { Message } from '../messages/message.ts'
import type { Options } from '../options.ts'
import { summary } from './bubble.ts'
import { h } from './dom.ts'
import { icon } from './icons.ts'

export class Preview {
  #options
  #element

  /** `open()` opens the window. */
  constructor(options: Options, open: () => void) {
    this.#options = options
    const { root, launcher, words, position } = options
    const classes = ['root', 'preview', position === 'left' && 'left'].filter(Boolean).join(' ')
    // Screen readers hear what changes within it, so it is there before the first answer.
    this.#element = h('div', { class: classes, lang: words.language, dir: 'ltr', role: 'status', hidden: true })
    this.#element.addEventListener('click', ({ target }) => {
      if (!(target instanceof Element)) return
      if (target.closest('.hide')) {
        this.hide()
        launcher.focus()
      } else if (target.closest('.answer')) open()
    })
    root.insertBefore(this.#element, launcher)
  }

  /** @param name Of the person who has answered, or of the chat. */
  show(one: Message, name: string) {
    const { words } = this.#options
    this.#element.hidden = false
    this.#element.replaceChildren(
      h(
        'button',
        { type: 'button', class: 'answer' },
        h('strong', { dir: 'auto' }, name),
        h('span', { dir: 'auto' }, summary(one.message, words)),
      ),
      h('button', { type: 'button', class: 'plain hide', 'aria-label': words.hide }, icon('close')),
    )
  }

  hide() {
    this.#element.hidden = true
    this.#element.replaceChildren()
  }
}

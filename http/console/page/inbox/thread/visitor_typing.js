/** True while the person of a thread writes in the web chat. No DOM. */
import { signal } from '@preact/signals'

/** The chat tells it again every few seconds. Without news for this time, the visitor does not write any more. */
const FORGOTTEN_MS = 8_000

export class VisitorTyping {
  is_typing = signal(false)
  #timer = /** @type {number | undefined} */ (undefined)

  /**
   * `added` are the new entries of the thread: a message of the visitor ends the writing.
   *
   * @param {readonly import('../../../page_types/live.ts').ProjectEvent[]} events
   * @param {readonly import('../../../page_types/record.ts').AnyRecord[]} added
   * @param {string | undefined} chat_user
   */
  hear(events, added, chat_user) {
    if (added.some(({ direction }) => direction === 'inbound')) this.#set(false)
    for (const { type, data } of events)
      if (type === 'visitor.typing' && data.chat_user === chat_user) this.#set(data.typing)
  }

  close() {
    clearTimeout(this.#timer)
  }

  /** @param {boolean} is_typing */
  #set(is_typing) {
    clearTimeout(this.#timer)
    this.is_typing.value = is_typing
    if (is_typing) this.#timer = setTimeout(() => this.#set(false), FORGOTTEN_MS)
  }
}

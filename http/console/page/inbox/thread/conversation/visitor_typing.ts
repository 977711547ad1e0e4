/** True while the person of a thread writes in the web chat. No DOM. */

import type { ProjectEvent } from '../../../records/live.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { TypingSign } from './typing_sign.ts'

export class VisitorTyping {
  #sign = new TypingSign()
  is_typing = this.#sign.is_typing

  /** `added` are the new entries of the thread: a message of the visitor ends the writing. */
  hear(events: readonly ProjectEvent[], added: readonly AnyRecord[], chat_user: string | undefined) {
    if (added.some(({ direction }) => direction === 'inbound')) this.#sign.set(false)
    for (const { type, data } of events)
      if (type === 'visitor.typing' && data.chat_user === chat_user) this.#sign.set(data.typing)
  }

  close() {
    this.#sign.close()
  }
}

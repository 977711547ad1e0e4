/** True while the person of a thread writes in the web chat. No DOM. */

import { signal } from '@preact/signals'
import type { ProjectEvent } from '../../../records/live.ts'
import type { AnyRecord } from '../../../records/record.ts'

/** The chat tells it again every few seconds. Without news for this time, the visitor does not write any more. */
const FORGOTTEN_MS = 8_000

export class VisitorTyping {
  is_typing = signal(false)
  #timer = undefined as number | undefined

  /** `added` are the new entries of the thread: a message of the visitor ends the writing. */
  hear(events: readonly ProjectEvent[], added: readonly AnyRecord[], chat_user: string | undefined) {
    if (added.some(({ direction }) => direction === 'inbound')) this.#set(false)
    for (const { type, data } of events)
      if (type === 'visitor.typing' && data.chat_user === chat_user) this.#set(data.typing)
  }

  close() {
    clearTimeout(this.#timer)
  }

  #set(is_typing: boolean) {
    clearTimeout(this.#timer)
    this.is_typing.value = is_typing
    if (is_typing) this.#timer = setTimeout(() => this.#set(false), FORGOTTEN_MS)
  }
}

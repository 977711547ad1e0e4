/** True while an assistant writes in the conversation of a ticket. No DOM. */

import { signal } from '@preact/signals'
import type { ProjectEvent } from '../../../records/live.ts'
import type { AnyRecord } from '../../../records/record.ts'
import { TypingSign } from './typing_sign.ts'

export class AssistantTyping {
  #sign = new TypingSign()
  is_typing = this.#sign.is_typing
  /** The assistant that wrote last. */
  assistant_id = signal<string | null>(null)

  /** `added` are the new entries of the thread: an answer ends the writing, and so does the message of a colleague. */
  hear(events: readonly ProjectEvent[], added: readonly AnyRecord[], ticket_id: string) {
    if (added.some(({ direction }) => direction === 'outbound')) this.#sign.set(false)
    for (const { type, data } of events) {
      if (type !== 'assistant.typing' || data.ticket_id !== ticket_id) continue
      this.assistant_id.value = data.assistant_id
      this.#sign.set(data.typing)
    }
  }

  close() {
    this.#sign.close()
  }
}

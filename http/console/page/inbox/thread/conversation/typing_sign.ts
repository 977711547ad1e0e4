/** Somebody writes. No DOM. */

import { signal } from '@preact/signals'

/** It is told again every few seconds. Without news for this time, nobody writes any more. */
const FORGOTTEN_MS = 8_000

export class TypingSign {
  is_typing = signal(false)
  #timer = undefined as number | undefined

  set(is_typing: boolean) {
    this.close()
    this.is_typing.value = is_typing
    if (is_typing) this.#timer = setTimeout(() => this.set(false), FORGOTTEN_MS)
  }

  close() {
    clearTimeout(this.#timer)
  }
}

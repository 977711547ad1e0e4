/** Reports to the server which messages the page has got, and which of them the visitor has seen. */

import { askFailed } from '../connection/connection.ts'
import type { Pauses } from '../connection/pauses.ts'
import type { SeenStatus } from '../connection/protocol.ts'
import type { Messages } from '../messages/messages.ts'

const MAX_SEEN = 100

export class Receipts {
  /** True while the visitor looks at the chat: displayed messages then count as read. */
  is_watched = false
  #messages
  #pauses
  #on
  #is_reporting = false

  /**
   * `on.isConnected()` is false while nothing can be reported, `on.ask(status, refs)` asks the server, `on.changed()` is
   * called when messages have come further.
   */
  constructor(
    messages: Messages,
    pauses: Pauses,
    on: {
      isConnected(): boolean
      ask(status: SeenStatus, refs: string[]): Promise<unknown>
      changed(): void
    },
  ) {
    this.#messages = messages
    this.#pauses = pauses
    this.#on = on
  }

  /** One report at a time: the next one covers later messages. */
  async report() {
    if (this.#is_reporting || !this.#on.isConnected()) return
    this.#is_reporting = true
    try {
      for (;;) {
        const status = this.is_watched ? 'read' : 'delivered'
        const news = this.#messages.before(status).slice(0, MAX_SEEN)
        if (news.length === 0) return
        try {
          await this.#on.ask(
            status,
            news.map(({ ref }) => ref),
          )
        } catch (error) {
          const failure = askFailed(error)
          if (failure.code !== 'TOO_FAST') throw error
          await this.#pauses.after(failure)
          if (!this.#on.isConnected()) return
          continue
        }
        this.#messages.mark(news, status)
        this.#on.changed()
      }
    } catch {
      // Reported again after the next reading of the history.
    } finally {
      this.#is_reporting = false
    }
  }
}

/** The messages of the conversation that the server has: read once, and again after each break of the connection. */

import { askFailed, type Connection } from '../connection/connection.ts'
import type { Pauses } from '../connection/pauses.ts'
import type { HistoryPage } from '../connection/protocol.ts'
import type { Messages } from '../messages/messages.ts'

export class History {
  /** False until the first reading: messages of before are no news. */
  is_read = false
  #messages
  #pauses
  #on
  /** The place before which there are older messages. */
  #older: string | null = null

  /**
   * `on.ask` asks the server, `on.isConnected()` is false while nothing can be read, `on.page(page)` is called with each
   * page.
   */
  constructor(
    messages: Messages,
    pauses: Pauses,
    on: {
      ask: Connection['ask']
      isConnected(): boolean
      page(page: HistoryPage): void
    },
  ) {
    this.#messages = messages
    this.#pauses = pauses
    this.#on = on
  }

  get hasOlder() {
    return this.#older !== null
  }

  /** The session is another one: nothing of the former is shown. */
  clear() {
    this.#messages.clear()
    this.#older = null
    this.is_read = false
  }

  /**
   * Returns the older messages that are not shown yet.
   * @throws AskFailed when there is no connection, or the server refused
   */
  async readOlder() {
    if (this.#older === null) return []
    const page = await this.#on.ask('history', { before: this.#older })
    this.#older = page.before
    return page.messages
  }

  /** Reads from the newest message back to the known ones. Retries when the server is busy. */
  async catchUp() {
    const is_first = this.#messages.isEmpty
    for (;;) {
      try {
        await this.#readBack(is_first)
        this.is_read = true
        return
      } catch (error) {
        // Without a connection, the next one begins with this.
        if (!this.#on.isConnected()) return
        await this.#pauses.after(askFailed(error))
      }
    }
  }

  async #readBack(is_first: boolean) {
    let before: string | null | undefined
    for (;;) {
      const page: HistoryPage = await this.#on.ask('history', before ? { before } : {})
      const meets = page.messages.some(({ ref }) => this.#messages.find(ref) !== undefined)
      this.#on.page(page)
      before = page.before
      if (is_first) this.#older = before
      if (is_first || meets || before === null) return
    }
  }
}

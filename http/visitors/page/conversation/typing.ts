/** Signs of writing, in both directions: the server hears of the visitor's, and the page of the agent's. */
import type { Draft } from '../connection/protocol.ts'

/** The server is told this often at most that the visitor writes; the agent's page is told alike. */
const TELL_MS = 3_000
/** After this long without news the agent does not write any more. */
const ENDS_MS = 8_000

export class Typing {
  /** True while the agent writes. */
  is_agent_typing = false
  /** The agent's answer as far as it is written. */
  draft: Draft | undefined
  #on
  #told_at = Number.NEGATIVE_INFINITY
  #timer: number | undefined

  /** `on.tell(typing)` tells the server, `on.changed()` is called when the agent has stopped without saying so. */
  constructor(on: { tell(typing: boolean): void; changed(): void }) {
    this.#on = on
  }

  /** The visitor writes, or has left the text empty. Requires a connection. */
  visitor(typing: boolean) {
    const was = performance.now() - this.#told_at < TELL_MS
    if (typing ? was : this.#told_at < 0) return
    this.#told_at = typing ? performance.now() : Number.NEGATIVE_INFINITY
    this.#on.tell(typing)
  }

  /** The visitor's text is a message now. The server ends the sign by itself. */
  said() {
    this.#told_at = Number.NEGATIVE_INFINITY
  }

  /** The end of another answer than the one that is shown changes nothing. */
  agent(typing: boolean, draft?: Draft) {
    if (!typing && draft && this.draft && draft.turn_id !== this.draft.turn_id) return
    clearTimeout(this.#timer)
    this.is_agent_typing = typing
    this.draft = typing ? draft : undefined
    if (!typing) return
    this.#timer = setTimeout(() => {
      this.is_agent_typing = false
      this.draft = undefined
      this.#on.changed()
    }, ENDS_MS)
  }

  end() {
    clearTimeout(this.#timer)
  }
}

/**
 * The activity of the agent of this page, as the server is told. No DOM.
 *
 *  P1 The last state is always told, however fast the agent goes from ticket to ticket: states within `PAUSE_MS` are told
 *  as one, which stays below the rate that the server allows.
 *  P2 A refused or unanswered word is said again.
 */

import type { Asked } from '../records/live.ts'
import type { Live } from './live.ts'

type Said = Parameters<Asked['presence']>[0]

const PAUSE_MS = 250
const AGAIN_MS = 1_000

export class OwnPresence {
  #project_id
  #say
  #said: Said | undefined
  #is_due = false
  #timer: number | undefined

  /** `present` resolves to false when it has to be said again. */
  constructor(project_id: string, live: Pick<Live, 'present'>) {
    this.#project_id = project_id
    this.#say = (said: Said) => live.present(said)
  }

  set(ticket_id: string, state: Said['state']) {
    // A word about a ticket that was left already says nothing about the present one.
    if (state === 'gone' && this.#said?.ticket_id !== ticket_id) return
    this.#said = { project_id: this.#project_id, ticket_id, state }
    this.#is_due = true
    this.#timer ??= setTimeout(() => this.#next(), 0)
  }

  /** The connection is lost, and the server forgets it. */
  lost() {
    if (this.#said && this.#said.state !== 'gone') this.set(this.#said.ticket_id, this.#said.state)
  }

  close() {
    clearTimeout(this.#timer)
    this.#said = undefined
  }

  #next() {
    this.#timer = undefined
    const said = this.#said
    if (!this.#is_due || !said) return
    this.#is_due = false
    this.#timer = setTimeout(() => this.#next(), PAUSE_MS)
    void this.#tell(said)
  }

  async #tell(said: Said) {
    if ((await this.#say(said)) || this.#said !== said) return
    clearTimeout(this.#timer)
    this.#is_due = true
    this.#timer = setTimeout(() => this.#next(), AGAIN_MS)
  }
}

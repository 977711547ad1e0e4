/**
 * The activity of the agent of this page, as the server is told. No DOM.
 *
 *  P1 The last state is always told, however fast the agent goes from ticket to ticket: states within `PAUSE_MS` are told
 *  as one, which stays below the rate that the server allows.
 *  P2 A refused or unanswered word is said again.
 */

/** @typedef {Parameters<import('../../page_types/live.ts').Asked['presence']>[0]} Said */

const PAUSE_MS = 250
const AGAIN_MS = 2_000

export class OwnPresence {
  #say
  /** @type {Said | undefined} */
  #said
  #is_due = false
  /** @type {number | undefined} */
  #timer

  /**
   * `say` resolves to false when the word has to be said again.
   *
   * @param {(said: Said) => Promise<boolean>} say
   */
  constructor(say) {
    this.#say = say
  }

  /** @param {Said} said */
  set(said) {
    // A word about a ticket that was left already says nothing about the present one.
    if (said.state === 'gone' && this.#said?.ticket_id !== said.ticket_id) return
    this.#said = said
    this.#is_due = true
    this.#timer ??= setTimeout(() => this.#next(), 0)
  }

  /**
   * The server has forgotten it, or was not told yet.
   *
   * @param {string} project_id
   */
  again(project_id) {
    if (this.#said?.project_id === project_id && this.#said.state !== 'gone') this.set(this.#said)
  }

  close() {
    clearTimeout(this.#timer)
    this.#said = undefined
    this.#is_due = false
  }

  #next() {
    this.#timer = undefined
    const said = this.#said
    if (!this.#is_due || !said) return
    this.#is_due = false
    this.#timer = setTimeout(() => this.#next(), PAUSE_MS)
    void this.#tell(said)
  }

  /** @param {Said} said */
  async #tell(said) {
    if ((await this.#say(said)) || this.#said !== said) return
    clearTimeout(this.#timer)
    this.#is_due = true
    this.#timer = setTimeout(() => this.#next(), AGAIN_MS)
  }
}

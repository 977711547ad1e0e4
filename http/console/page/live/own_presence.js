/**
 * The activity of the agent of this page, as the server is told. No DOM.
 *
 *  P1 The last state is always told, however fast the agent goes from ticket to ticket: states within `PAUSE_MS` are told
 *  as one, which stays below the rate that the server allows.
 *  P2 A refused or unanswered word is said again.
 */

/** @typedef {Parameters<import('../../page_types/live.ts').Asked['presence']>[0]} Said */

const PAUSE_MS = 250
const AGAIN_MS = 1_000

export class OwnPresence {
  #project_id
  #say
  /** @type {Said | undefined} */
  #said
  #is_due = false
  /** @type {number | undefined} */
  #timer

  /**
   * `present` resolves to false when it has to be said again.
   *
   * @param {string} project_id
   * @param {Pick<import('./live.js').Live, 'present'>} live
   */
  constructor(project_id, live) {
    this.#project_id = project_id
    this.#say = (/** @type {Said} */ said) => live.present(said)
  }

  /**
   * @param {string} ticket_id
   * @param {Said['state']} state
   */
  set(ticket_id, state) {
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

  /** @param {Said} said */
  async #tell(said) {
    if ((await this.#say(said)) || this.#said !== said) return
    clearTimeout(this.#timer)
    this.#is_due = true
    this.#timer = setTimeout(() => this.#next(), AGAIN_MS)
  }
}

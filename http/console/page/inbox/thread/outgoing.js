/**
 * What the agent sends in a thread. It is shown at once, under a client id of its own, until the server's record takes its
 * place. The client id is the idempotency key of the request, so sending again after a failure sends once. No DOM.
 */
import { signal } from '@preact/signals'
import { idOf } from '../../data/apply_event.js'
import { faultOf } from '../../data/errors.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../../../page_types/fault.ts').Fault} Fault */
/**
 * Something that is being sent. `request` is the body of the request. `state` is `accepted` until the record is there.
 *
 * @typedef {{
 *   client_id: string
 *   kind: 'message' | 'note'
 *   request: AnyRecord
 *   at: string
 *   state: 'sending' | 'accepted' | 'failed'
 *   fault: Fault | null
 *   id: string | undefined
 * }} Pending
 */

/** An entry that is accepted but not told live is read after this time. */
const MISSED_MS = 2_000

export class Outgoing {
  pending = signal(/** @type {readonly Pending[]} */ ([]))
  #project
  #thread
  #arrive
  #is_closed = false

  /**
   * `arrive` gets the records that the server has made.
   *
   * @param {import('../../data/project.js').Project} project
   * @param {{ ticket_id: string, contact_id: import('@preact/signals').ReadonlySignal<string | undefined> }} thread
   * @param {(items: AnyRecord[]) => void} arrive
   */
  constructor(project, thread, arrive) {
    this.#project = project
    this.#thread = thread
    this.#arrive = arrive
  }

  /**
   * Sends a message, given as the body of `POST /v1/messages`. It is shown at once; a refusal is shown with it. Resolves
   * to true when the server has it.
   *
   * @param {AnyRecord} request
   */
  send(request) {
    const client_id = crypto.randomUUID()
    // The author is shown to colleagues.
    const meta_data = { ...request.meta_data, agent_id: this.#project.user._id, client_id }
    return this.#post({ client_id, kind: 'message', request: { ...request, meta_data } })
  }

  /**
   * Writes a note, which is shown at once. Resolves to true when the server has it. `fields` are further ones of the
   * request, such as its mentions.
   *
   * @param {string} content
   * @param {object} [fields]
   */
  writeNote(content, fields = {}) {
    const request = { content, ticket_id: this.#thread.ticket_id, chat_user: this.#thread.contact_id.peek(), ...fields }
    return this.#post({ client_id: crypto.randomUUID(), kind: 'note', request })
  }

  /**
   * Sends again what failed to reach the server, or was refused.
   *
   * @param {string} client_id
   */
  async sendAgain(client_id) {
    const one = this.pending.peek().find((one) => one.client_id === client_id)
    if (one?.state === 'failed') await this.#ask({ ...one, state: 'sending', fault: null })
  }

  /** @param {string} client_id */
  discard(client_id) {
    this.pending.value = this.pending.peek().filter((one) => one.client_id !== client_id)
  }

  /**
   * Records of the thread take the place of what was sent. `known`: the ids of all its entries.
   *
   * @param {ReadonlySet<string>} known
   * @param {readonly AnyRecord[]} items
   */
  arrived(known, items) {
    const clients = new Set(items.map(({ meta_data }) => meta_data?.client_id))
    const left = this.pending.peek().filter(({ id, client_id }) => !(id && known.has(id)) && !clients.has(client_id))
    if (left.length !== this.pending.peek().length) this.pending.value = left
  }

  close() {
    this.#is_closed = true
  }

  /** @param {Pick<Pending, 'client_id' | 'kind' | 'request'>} what */
  #post(what) {
    return this.#ask({ ...what, at: new Date().toISOString(), state: 'sending', fault: null, id: undefined })
  }

  /**
   * @param {Pending} one
   * @returns {Promise<boolean>}
   */
  async #ask(one) {
    const { api, records } = this.#project
    this.#set(one)
    try {
      const answer = await api.post(one.kind === 'note' ? 'crm/notes' : 'messages', one.request, { key: one.client_id })
      const id = idOf(answer)
      if (one.kind === 'note') this.#arrive([{ ...answer, kind: 'note' }])
      if (records.signal(one.kind, id).peek()) this.discard(one.client_id)
      else {
        this.#set({ ...one, state: 'accepted', id })
        setTimeout(() => void this.#readMissed(id), MISSED_MS)
      }
      return true
    } catch (error) {
      this.#set({ ...one, state: 'failed', fault: faultOf(error) })
      return false
    }
  }

  /**
   * Without a live connection nobody tells that an accepted message is there.
   *
   * @param {string} id
   */
  async #readMissed(id) {
    if (this.#is_closed || !this.pending.peek().some((one) => one.id === id)) return
    try {
      this.#arrive([{ ...(await this.#project.api.get(`messages/${id}`)), kind: 'message' }])
    } catch {
      setTimeout(() => void this.#readMissed(id), MISSED_MS)
    }
  }

  /** @param {Pending} one */
  #set(one) {
    const others = this.pending.peek().filter(({ client_id }) => client_id !== one.client_id)
    this.pending.value = [...others, one].sort((a, b) => (a.at < b.at ? -1 : 1))
  }
}

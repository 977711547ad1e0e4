/**
 * The agent's messages in one thread, in the order in which they were written. An entry is shown until the server's record
 * takes its place. No DOM.
 *
 *  O1 One request is under way at a time, so the server accepts the entries in their order.
 *  O2 A request without an answer is repeated until there is one, and the later entries wait behind it. The client id is the
 *     idempotency key, so a repeated request is done once.
 *  O3 A refused entry has failed. It keeps no other entry waiting, and goes to the end when the agent sends it again.
 */
import { signal } from '@preact/signals'
import { idOf } from '../../data/apply_event.js'
import { faultOf } from '../../data/errors.js'

/** @typedef {import('../../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('../../../page_types/fault.ts').Fault} Fault */
/**
 * An entry. `request` is the body of the request. `waiting` means that the server could not be reached; `accepted` lasts
 * until the record is there.
 *
 * @typedef {{
 *   client_id: string
 *   kind: 'message' | 'note'
 *   request: AnyRecord
 *   at: string
 *   state: 'sending' | 'waiting' | 'accepted' | 'failed'
 *   fault: Fault | null
 *   id: string | undefined
 * }} Pending
 */

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 5_000
/** Answers of a server that cannot do it right now: overloaded, or between two owners of the project. */
const PASSING = [429, 502, 503, 504]

export class Outbox {
  entries = signal(/** @type {readonly Pending[]} */ ([]))
  #api
  #onAnswer
  #is_sending = false
  #attempts = 0
  /** @type {number | undefined} */
  #timer
  #is_closed = false
  /** Called when an entry is accepted or discarded, with true for the former. @type {Map<string, (is_accepted: boolean) => void>} */
  #waiters = new Map()

  /**
   * `onAnswer` is called with each accepted entry and its answer. It returns true when the record is shown.
   *
   * @param {Pick<import('../../data/project_api.js').ProjectApi, 'post'>} api
   * @param {(entry: Pending, answer: AnyRecord) => boolean} onAnswer
   */
  constructor(api, onAnswer) {
    this.#api = api
    this.#onAnswer = onAnswer
  }

  /**
   * Adds an entry as the last one. Resolves to true when the server has it, to false when it was refused.
   *
   * @param {Pick<Pending, 'client_id' | 'kind' | 'request'>} what
   * @returns {Promise<boolean>}
   */
  add(what) {
    this.entries.value = [
      ...this.entries.peek(),
      { ...what, at: new Date().toISOString(), state: 'sending', fault: null, id: undefined },
    ]
    const { promise, resolve } = Promise.withResolvers()
    this.#waiters.set(what.client_id, resolve)
    void this.#send()
    return promise
  }

  /**
   * Sends a refused entry again.
   *
   * @param {string} client_id
   */
  again(client_id) {
    const refused = this.entries.peek().find((one) => one.client_id === client_id && one.state === 'failed')
    if (!refused) return
    const others = this.entries.peek().filter((one) => one !== refused)
    this.entries.value = [...others, { ...refused, state: 'sending', fault: null }]
    void this.#send()
  }

  /** @param {string} client_id */
  discard(client_id) {
    this.entries.value = this.entries.peek().filter((one) => one.client_id !== client_id)
    this.#settle(client_id, false)
  }

  /**
   * Removes the entries whose records are there.
   *
   * @param {(entry: Pending) => boolean} isThere
   */
  arrived(isThere) {
    const left = this.entries.peek().filter((one) => !isThere(one))
    if (left.length !== this.entries.peek().length) this.entries.value = left
  }

  close() {
    this.#is_closed = true
    clearTimeout(this.#timer)
  }

  get #next() {
    return this.entries.peek().find(({ state }) => state === 'sending' || state === 'waiting')
  }

  async #send() {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#is_sending) return
    this.#is_sending = true
    for (let next = this.#next; next && !this.#is_closed; next = this.#next) {
      const { client_id, kind, request } = next
      try {
        const answer = await this.#api.post(kind === 'note' ? 'crm/notes' : 'messages', request, { key: client_id })
        this.#attempts = 0
        if (this.#onAnswer(next, answer)) this.arrived((one) => one.client_id === client_id)
        else this.#set(client_id, { state: 'accepted', id: idOf(answer) })
        this.#settle(client_id, true)
      } catch (error) {
        const fault = faultOf(error)
        if (fault.status === 0 || PASSING.includes(fault.status ?? -1)) {
          this.#waitFor(fault)
          break
        }
        this.#set(client_id, { state: 'failed', fault })
        this.#settle(client_id, false)
      }
    }
    this.#is_sending = false
  }

  /** @param {Fault} fault */
  #waitFor({ retry_after_s = 0 }) {
    this.entries.value = this.entries
      .peek()
      .map((one) => (one.state === 'sending' ? { ...one, state: 'waiting' } : one))
    const wait_ms = Math.min(FIRST_WAIT_MS * 2 ** this.#attempts++, LONGEST_WAIT_MS)
    if (!this.#is_closed) this.#timer = setTimeout(() => void this.#send(), Math.max(wait_ms, retry_after_s * 1000))
  }

  /**
   * @param {string} client_id
   * @param {Partial<Pending>} change
   */
  #set(client_id, change) {
    this.entries.value = this.entries.peek().map((one) => (one.client_id === client_id ? { ...one, ...change } : one))
  }

  /**
   * @param {string} client_id
   * @param {boolean} is_accepted
   */
  #settle(client_id, is_accepted) {
    this.#waiters.get(client_id)?.(is_accepted)
    this.#waiters.delete(client_id)
  }
}

/**
 * The agent's messages at one ticket, in the order in which they were written. An entry is shown until the server's record
 * takes its place. It outlives the thread, the project and the session, and is in the storage of the browser until the
 * server has it. No DOM.
 *
 *  O1 One request is under way at a time, in one of the agent's tabs, so the server accepts the entries in their order.
 *  O2 A request without an answer is repeated until there is one, and the later entries wait behind it. It has one
 *     idempotency key, in whichever tab and after whatever reload, so it is done once. The server knows a key for a day: an
 *     entry that is older is not sent by itself.
 *  O3 A refused entry has failed. It keeps no other entry waiting, and goes to the end when the agent sends it again: under
 *     another key, because the refusal is the answer under the former one.
 */

import { batch, signal } from '@preact/signals'
import type { Fault } from '../../records/fault.ts'
import type { AnyRecord } from '../../records/record.ts'
import { idOf } from '../apply_event.ts'
import { faultOf } from '../errors.ts'
import type { ProjectApi } from '../project_api.ts'
import type { KeptEntry, Pending } from './entry.ts'
import type { KeptEntries } from './kept_entries.ts'
import { words } from './words.ts'

type Lock = <T>(name: string, act: () => Promise<T>) => Promise<T>

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 5_000
/** Shorter than the server knows a key. */
const SENT_WITHIN_MS = 23 * 3_600_000
/** Answers of a server that cannot do it right now: overloaded, or between two owners of the project. */
const PASSING = [429, 502, 503, 504]

let last_order = 0

export class Outbox {
  entries = signal<readonly Pending[]>([])
  /** Called with each accepted entry and its answer; true when the record is shown. */
  onAnswer: (entry: Pending, answer: AnyRecord) => boolean = () => true
  #api
  #at
  #kept
  #lock
  /** The entries that were written in this tab. */
  #own = new Set<string>()
  #is_running = false
  #is_closed = false
  #attempts = 0
  /** Ends a pause. */
  #wake = () => {}
  /** Called when an entry is accepted or discarded, with true for the former. */
  #waiters: Map<string, (is_accepted: boolean) => void> = new Map()

  /** @param options `lock` keeps the agent's other tabs from sending at the same time */
  constructor({
    api,
    project_id,
    ticket_id,
    kept,
    lock,
  }: {
    api: Pick<ProjectApi, 'get' | 'post' | 'delete'>
    project_id: string
    ticket_id: string
    kept: KeptEntries
    lock: Lock
  }) {
    this.#api = api
    this.#at = { project_id, ticket_id }
    this.#kept = kept
    this.#lock = lock
  }

  /** Adds an entry as the last one. Resolves to true when the server has it, to false when it was refused. */
  add(what: Pick<Pending, 'client_id' | 'kind' | 'request' | 'name' | 'draft'>): Promise<boolean> {
    this.#own.add(what.client_id)
    const { promise, resolve } = Promise.withResolvers<boolean>()
    this.#waiters.set(what.client_id, resolve)
    this.#put({ ...what, ...begun(), key: what.client_id })
    void this.#run()
    return promise
  }

  /** An entry as the storage has it, of a former page or of another tab. */
  restore(entry: KeptEntry) {
    const { project_id, ticket_id, ...pending } = entry
    this.#show(pending)
    void this.#run()
  }

  /** Sends a refused entry again. */
  again(client_id: string) {
    const refused = this.entries.peek().find((one) => one.client_id === client_id && one.state === 'failed')
    if (!refused) return
    // After a failure of the server nobody knows whether it was done.
    const is_refused = (refused.fault?.status ?? 0) >= 400 && (refused.fault?.status ?? 0) < 500
    this.#put({ ...refused, ...begun(), key: is_refused ? crypto.randomUUID() : refused.key })
    void this.#run()
  }

  discard(client_id: string) {
    this.#remove(client_id, false)
  }

  /** Another tab has sent or discarded the entry. */
  gone(client_id: string) {
    if (this.entries.peek().some((one) => one.client_id === client_id && one.state !== 'accepted'))
      this.#remove(client_id, true)
  }

  /** Removes the entries whose records are there. */
  arrived(isThere: (entry: Pending) => boolean) {
    batch(() => {
      for (const entry of this.entries.peek()) if (isThere(entry)) this.#remove(entry.client_id, true)
    })
  }

  /** Nobody shows the records of this ticket any more. */
  leave() {
    this.onAnswer = () => true
    this.arrived(({ state }) => state === 'accepted')
  }

  /** Tries again at once. */
  hurry() {
    this.#attempts = 0
    this.#wake()
  }

  /** Sends nothing more. What is not sent stays in the storage. */
  close() {
    this.#is_closed = true
    this.#wake()
  }

  get #next() {
    return this.entries.peek().find(({ state }) => state === 'sending' || state === 'waiting')
  }

  async #run() {
    if (this.#is_running || this.#is_closed || !this.#next) return
    this.#is_running = true
    try {
      await this.#lock(`parley console outbox ${this.#at.ticket_id}`, () => this.#send())
    } finally {
      this.#is_running = false
    }
    void this.#run()
  }

  async #send() {
    for (let next = this.#next; next && !this.#is_closed; next = this.#next) {
      const { client_id, key, kind, request, at } = next
      if (Date.now() - Date.parse(at) > SENT_WITHIN_MS) {
        this.#fail(client_id, { code: 'WAITED_TOO_LONG', message: words.too_old })
        continue
      }
      try {
        const answer = await this.#api.post(kind === 'note' ? 'crm/notes' : 'messages', request, { key })
        this.#attempts = 0
        this.#accept(next, answer)
      } catch (error) {
        const fault = faultOf(error)
        // The session is over. The agent who signs in again sends it.
        if (fault.status === 401) return this.close()
        if (fault.status === 0 || PASSING.includes(fault.status ?? -1)) await this.#waitFor(fault)
        else this.#fail(client_id, fault)
      }
    }
  }

  #accept(entry: Pending, answer: AnyRecord) {
    const { client_id } = entry
    this.#kept.remove(client_id)
    if (!this.#own.has(client_id)) void this.#clearDraft(entry)
    if (this.onAnswer(entry, answer)) this.#remove(client_id, true)
    else this.#set(client_id, { state: 'accepted', id: idOf(answer) })
    this.#settle(client_id, true)
  }

  #fail(client_id: string, fault: Fault) {
    this.#set(client_id, { state: 'failed', fault })
    this.#settle(client_id, false)
  }

  async #waitFor({ retry_after_s = 0 }: Fault) {
    for (const { client_id, state } of this.entries.peek())
      if (state === 'sending') this.#set(client_id, { state: 'waiting' })
    const wait_ms = Math.min(FIRST_WAIT_MS * 2 ** this.#attempts++, MAX_WAIT_MS)
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, Math.max(wait_ms, retry_after_s * 1000))
    // A server that is overloaded has said how long to wait.
    this.#wake = () => (retry_after_s === 0 || this.#is_closed) && resolve()
    if (this.#is_closed) resolve()
    await promise
    clearTimeout(timer)
    this.#wake = () => {}
  }

  /** The page that sent the entry may have died before it could take back the draft. */
  async #clearDraft({ kind, draft }: Pending) {
    if (draft === undefined) return
    const path = `inbox/tickets/${this.#at.ticket_id}/drafts/${kind === 'note' ? 'note' : 'reply'}`
    try {
      const { content, version } = await this.#api.get(path)
      if (draft.trim().startsWith(content.trim())) await this.#api.delete(`${path}?version=${version + 1}`)
    } catch {
      // The agent sees it, and deletes it.
    }
  }

  #set(client_id: string, change: Partial<Pending>) {
    const entry = this.entries.peek().find((one) => one.client_id === client_id)
    if (entry) this.#put({ ...entry, ...change })
  }

  #put(entry: Pending) {
    if (entry.state !== 'accepted') this.#kept.put({ ...entry, ...this.#at })
    this.#show(entry)
  }

  #show(entry: Pending) {
    const others = this.entries.peek().filter(({ client_id }) => client_id !== entry.client_id)
    this.entries.value = [...others, entry].sort((one, other) => one.order - other.order)
  }

  #remove(client_id: string, is_accepted: boolean) {
    this.#kept.remove(client_id)
    this.entries.value = this.entries.peek().filter((one) => one.client_id !== client_id)
    this.#settle(client_id, is_accepted)
  }

  #settle(client_id: string, is_accepted: boolean) {
    this.#waiters.get(client_id)?.(is_accepted)
    this.#waiters.delete(client_id)
  }
}

function begun(): Pick<Pending, 'order' | 'at' | 'state' | 'fault' | 'id'> {
  last_order = Math.max(Date.now() * 1000, last_order + 1)
  return { order: last_order, at: new Date().toISOString(), state: 'sending', fault: null, id: undefined }
}

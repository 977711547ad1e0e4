/** The agent's messages in a thread. Each is shown at once, until the server's record takes its place. No DOM. */
import type { ReadonlySignal } from '@preact/signals'
import { idOf } from '../../../data/apply_event.ts'
import type { Pending } from '../../../data/outbox/entry.ts'
import { Outboxes } from '../../../data/outbox/outboxes.ts'
import type { Project } from '../../../data/project.ts'
import type { AnyRecord } from '../../../records/record.ts'

/** The conversation that the messages belong to. */
type Conversation = {
  ticket_id: string
  ticket: ReadonlySignal<AnyRecord | undefined>
  contact_id: ReadonlySignal<string | undefined>
  contact: ReadonlySignal<AnyRecord | undefined>
}

/** An entry that is accepted but not told live is read after this time. */
const MISSED_MS = 2_000

export class Outgoing {
  /** In order, without what the server has stored. */
  readonly pending

  #project
  #thread
  #arrive
  #outboxes
  #outbox
  #is_closed = false

  /** `arrive` gets the records that the server has made. */
  constructor(project: Project, thread: Conversation, arrive: (items: AnyRecord[]) => void) {
    this.#project = project
    this.#thread = thread
    this.#arrive = arrive
    this.#outboxes = project.openOutboxes(Outboxes)
    this.#outbox = this.#outboxes.of(project.id, thread.ticket_id)
    this.#outbox.onAnswer = (entry, answer) => this.#accepted(entry, answer)
    this.pending = this.#outbox.entries
  }

  /**
   * Sends a message, given as the body of `POST /v1/messages`. It is shown at once, and sent in its order as soon as the
   * server can be reached; a refusal is shown with it. Resolves to true when the server has it. `draft` is the text of
   * the field that it was made of.
   */
  send(request: AnyRecord, draft?: string) {
    const client_id = crypto.randomUUID()
    // The author is shown to colleagues.
    const meta_data = { ...request.meta_data, agent_id: this.#project.user._id, client_id }
    return this.#outbox.add({ client_id, kind: 'message', request: { ...request, meta_data }, name: this.#name, draft })
  }

  /**
   * Writes a note, which is shown at once. Resolves to true when the server has it. `fields` are further ones of the
   * request, such as its mentions.
   */
  writeNote(content: string, fields: object = {}) {
    const request = { content, ticket_id: this.#thread.ticket_id, chat_user: this.#thread.contact_id.peek(), ...fields }
    const client_id = crypto.randomUUID()
    return this.#outbox.add({ client_id, kind: 'note', request, name: this.#name, draft: content })
  }

  get #name() {
    return this.#thread.contact.peek()?.name ?? this.#thread.ticket.peek()?.chat_user_name ?? undefined
  }

  /** Sends again what was refused. */
  sendAgain(client_id: string) {
    this.#outbox.again(client_id)
  }

  discard(client_id: string) {
    this.#outbox.discard(client_id)
  }

  /** Records of the thread take the place of what was sent. `known`: the ids of all its entries. */
  arrived(known: ReadonlySet<string>, items: readonly AnyRecord[]) {
    const clients = new Set(items.map(({ meta_data }) => meta_data?.client_id))
    this.#outbox.arrived(({ id, client_id }) => (id !== undefined && known.has(id)) || clients.has(client_id))
  }

  close() {
    this.#is_closed = true
    this.#outboxes.leave(this.#project.id, this.#thread.ticket_id)
  }

  /** Returns true when the record is shown. */
  #accepted({ kind }: Pending, answer: AnyRecord) {
    const id = idOf(answer)
    if (kind === 'note') this.#arrive([{ ...answer, kind }])
    if (this.#project.records.signal(kind, id).peek()) return true
    setTimeout(() => void this.#readMissed(id), MISSED_MS)
    return false
  }

  /** Without a live connection nobody tells that an accepted message is there. */
  async #readMissed(id: string) {
    if (this.#is_closed || !this.pending.peek().some((one) => one.id === id)) return
    try {
      this.#arrive([{ ...(await this.#project.api.get(`messages/${id}`)), kind: 'message' }])
    } catch {
      setTimeout(() => void this.#readMissed(id), MISSED_MS)
    }
  }
}

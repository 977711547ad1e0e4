/**
 * An agent's changes of one ticket. Each is shown at once, and the server makes it only to the version that the agent saw.
 * No DOM.
 *
 *  C1 Changes are sent one after the other, so that an agent's own changes never conflict.
 *  C2 When the ticket has another version by then, the change is sent again as long as the fields that it touches are as
 *     the agent saw them. Otherwise it is a conflict: the ticket stays as it is, and the agent decides.
 */

import { signal } from '@preact/signals'
import type { Project } from '../../data/project.ts'
import type { AnyRecord } from '../../records/record.ts'

/**
 * A change that would have undone somebody's. `theirs` are the fields as they are now, `mine` as the agent wanted them.
 * `insist` makes the change nevertheless.
 */
type Conflict = { what: string; theirs: AnyRecord; mine: AnyRecord; insist(): Promise<void> }

/** Times that a change is sent to a ticket that others keep changing. */
const MAX_TRIES = 5

export class TicketChanges {
  conflict = signal<Conflict | null>(null)
  #project
  #ticket_id
  #last: Promise<unknown> = Promise.resolve()

  constructor(project: Project, ticket_id: string) {
    this.#project = project
    this.#ticket_id = ticket_id
  }

  /**
   * Changes fields. `json` is the body of the request, `overlay` the fields of the record as they will be. `what` names the
   * change for people, such as `the priority`. With `is_mergeable`, the change fits any version of the ticket, as those of
   * single tags do.
   *
   * @throws ApiError for a refusal; a conflict is none
   */
  patch(
    what: string,
    json: AnyRecord,
    overlay: AnyRecord,
    { is_mergeable = false }: { is_mergeable?: boolean } = {},
  ): Promise<void> {
    const path = `crm/tickets/${this.#ticket_id}`
    return this.#change(what, overlay, (version) =>
      this.#project.api.patch(path, json, is_mergeable ? {} : { version }),
    )
  }

  /**
   * Moves the ticket to a stage; the rules of the stage run.
   *
   * @param texts those of the move
   * @throws ApiError as `patch`
   */
  move(stage_id: string, texts: AnyRecord = {}): Promise<void> {
    const path = `crm/tickets/${this.#ticket_id}/stage`
    const stage = { ...this.#record()?.stage, ...texts, stage_id }
    return this.#change('the stage', { stage }, (version) =>
      this.#project.api.post(path, { stage_id, ...texts }, { version }),
    )
  }

  /**
   * Takes the ticket over from an assistant, or hands it back to one.
   *
   * @throws ApiError as `patch`
   */
  turn(verb: 'take-over' | 'hand-back', json: AnyRecord, overlay: AnyRecord): Promise<void> {
    const path = `crm/tickets/${this.#ticket_id}/${verb}`
    return this.#change('whose turn it is', overlay, () => this.#project.api.post(path, json))
  }

  /** Forgets the conflict: the ticket stays as it is. */
  yield() {
    this.conflict.value = null
  }

  #change(what: string, overlay: AnyRecord, send: (version: number | undefined) => Promise<AnyRecord>) {
    const seen = fieldsOf(this.#record(), overlay)
    const before = this.#last
    const done = this.#project.records.change(
      'ticket',
      this.#ticket_id,
      overlay,
      async () => {
        await before
        return this.#send(what, overlay, seen, send)
      },
      (answer) => answer?.ticket,
    )
    // The next change waits for this one, whatever becomes of it.
    this.#last = done.catch(() => {})
    return done.then(() => {})
  }

  async #send(
    what: string,
    overlay: AnyRecord,
    seen: AnyRecord,
    send: (version: number | undefined) => Promise<AnyRecord>,
  ): Promise<AnyRecord | undefined> {
    for (let tries = 1; ; tries++) {
      try {
        return await send(this.#record()?.version)
      } catch (error) {
        const { status } = error as { status?: number }
        if (status !== 412) throw error
        const ticket = await this.#project.api.get(`crm/tickets/${this.#ticket_id}`)
        this.#project.records.keep('ticket', ticket)
        const theirs = fieldsOf(ticket, overlay)
        if (same(theirs, overlay)) return { ticket }
        if (!same(theirs, seen)) {
          this.conflict.value = { what, theirs, mine: overlay, insist: () => this.#insist(what, overlay, send) }
          return { ticket }
        }
        if (tries >= MAX_TRIES) throw error
      }
    }
  }

  #insist(what: string, overlay: AnyRecord, send: (version: number | undefined) => Promise<AnyRecord>) {
    this.conflict.value = null
    return this.#change(what, overlay, () => send(undefined))
  }

  #record() {
    return this.#project.records.signal('ticket', this.#ticket_id).peek()
  }
}

function fieldsOf(record: AnyRecord | undefined, overlay: AnyRecord): AnyRecord {
  return Object.fromEntries(Object.keys(overlay).map((name) => [name, record?.[name] ?? null]))
}

function same(one: AnyRecord, other: AnyRecord) {
  return JSON.stringify(sorted(one)) === JSON.stringify(sorted(other))
}

/** With the names of objects in order. The order of a list without order, such as tags, is that of the names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => JSON.stringify(sorted(item))).sort()
  if (typeof value !== 'object' || value === null) return value ?? null
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]))
}

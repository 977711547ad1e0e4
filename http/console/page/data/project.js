/**
 * One project while it is open: its records, and the parts of the console that show something of it.
 *
 * Live events change the records first, by `apply_event.js`; then the parts hear them, with the changes. When events may
 * be missing, each part reads again what it shows. No DOM.
 */
import { signal } from '@preact/signals'
import { ProjectApi } from './project_api.js'
import { Records } from './records.js'
import { Snapshot } from './snapshot.js'

/** @typedef {import('../../page_types/live.ts').ProjectEvent} ProjectEvent */
/** @typedef {import('../../page_types/live.ts').Presence} Presence */
/** @typedef {import('./apply_event.js').Change} Change */
/**
 * A part of the console that shows something of a project. `hear` gets the events after the records have changed, `read`
 * asks for what is shown to be read again, `poll` comes every few seconds, `lost` when the live connection is lost.
 *
 * @typedef {{
 *   hear?(events: readonly ProjectEvent[], changes: readonly Change[]): void
 *   read?(): void
 *   poll?(is_live: boolean): void
 *   lost?(): void
 *   close?(): void
 * }} Part
 */
/** @typedef {(make: typeof import('../outbox/outboxes.js').Outboxes) => import('../outbox/outboxes.js').Outboxes} OpenOutboxes */

export class Project {
  /**
   * Agents who look at a ticket, by the id of the ticket.
   *
   * @type {import('@preact/signals').Signal<ReadonlyMap<string, Presence['users']>>}
   */
  presence = signal(new Map())
  records = new Records()
  /**
   * Pipelines, tags, users, channels and other definitions; undefined until they are read. Read them by `define`.
   *
   * @type {import('@preact/signals').Signal<import('../../page_types/definitions.ts').Definitions | undefined>}
   */
  definitions = signal(undefined)
  #is_defining = false
  /** @type {Map<string, Part>} */
  #parts = new Map()
  /** @type {Snapshot | undefined} */
  #snapshot

  /**
   * @param {{
   *   api: import('./api.js').Api
   *   live: Pick<import('../live/live.js').Live, 'present'>
   *   id: string
   *   name: string
   *   user: import('../../page_types/session.ts').Session['user']
   *   openOutboxes?: OpenOutboxes | undefined
   *   shown?: import('./project_api.js').Query | undefined
   * }} options `shown` is what the inbox shows first; it is read at once. Without it each part reads for itself.
   */
  constructor({ api, live, id, name, user, openOutboxes, shown }) {
    this.id = id
    this.name = name
    /** The agent who is signed in. */
    this.user = user
    /** Requests without a project. */
    this.console_api = api
    this.api = new ProjectApi(api, id)
    /** @type {import('../outbox/outboxes.js').Outboxes | undefined} */
    let own
    /** The messages that the agent has sent, in this project and in others. It outlives the project. @type {OpenOutboxes} */
    this.openOutboxes = openOutboxes ?? ((Outboxes) => (own ??= new Outboxes({ api, user_id: user._id })))
    this.live = live
    if (!shown) return
    const plain = new ProjectApi(api, id)
    this.#snapshot = new Snapshot(() => plain.get('snapshot', shown))
    this.api.snapshot = this.#snapshot
  }

  /**
   * The part of this name, made when it is first asked for.
   *
   * @template {Part} P
   * @param {string} name
   * @param {(project: Project) => P} make
   * @returns {P}
   */
  part(name, make) {
    const part = this.#parts.get(name) ?? make(this)
    this.#parts.set(name, part)
    return /** @type {P} */ (part)
  }

  /**
   * The part of this name, if something has asked for it.
   *
   * @param {string} name
   * @returns {any}
   */
  known(name) {
    return this.#parts.get(name)
  }

  /** Reads the definitions, unless they are known. After a failure, the next call tries again. */
  define() {
    if (this.#is_defining) return
    this.#is_defining = true
    void this.#readDefinitions()
  }

  async #readDefinitions() {
    try {
      this.definitions.value = await this.api.get('definitions')
    } catch {
      this.#is_defining = false
    }
  }

  /** @param {readonly ProjectEvent[]} events */
  hear(events) {
    const changes = this.records.hear(events)
    this.#snapshot?.hear(events)
    if (this.#is_defining && events.some(({ type }) => type === 'definitions.changed')) void this.#readDefinitions()
    for (const part of this.#parts.values()) part.hear?.(events, changes)
  }

  /** @param {Presence} presence */
  hearPresence({ ticket_id, users }) {
    const next = new Map(this.presence.value)
    if (users.length > 0) next.set(ticket_id, users)
    else next.delete(ticket_id)
    this.presence.value = next
  }

  /** The live connection is lost: everybody may have left their tickets. */
  lost() {
    if (this.presence.peek().size > 0) this.presence.value = new Map()
    for (const part of this.#parts.values()) part.lost?.()
  }

  /** Everything is read again. The first time, it is what the snapshot waits for. */
  read() {
    if (this.#snapshot?.begin()) return
    if (this.#is_defining) void this.#readDefinitions()
    for (const part of this.#parts.values()) part.read?.()
  }

  /** @param {boolean} is_live */
  poll(is_live) {
    for (const part of this.#parts.values()) part.poll?.(is_live)
  }

  close() {
    for (const part of this.#parts.values()) part.close?.()
    this.#parts.clear()
  }
}

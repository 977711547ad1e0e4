/**
 * One project while it is open: its records, and the parts of the console that show something of it.
 *
 * Live events change the records first, by `apply_event.ts`; then the parts hear them, with the changes. When events may
 * be missing, each part reads again what it shows. No DOM.
 */

import { type Signal, signal } from '@preact/signals'
import type { Live } from '../live/live.ts'
import type { Definitions } from '../records/definitions.ts'
import type { Presence, ProjectEvent } from '../records/live.ts'
import type { Session } from '../records/session.ts'
import type { Api } from './api.ts'
import type { Change } from './apply_event.ts'
import type { Outboxes } from './outbox/outboxes.ts'
import { ProjectApi } from './project_api.ts'
import type { Query } from './query.ts'
import { Records } from './records.ts'
import { Snapshot } from './snapshot.ts'

/**
 * A part of the console that shows something of a project. `hear` gets the events after the records have changed, `read`
 * asks for what is shown to be read again, `poll` comes every few seconds, `lost` when the live connection is lost.
 */
export type Part = {
  hear?(events: readonly ProjectEvent[], changes: readonly Change[]): void
  read?(): void
  poll?(is_live: boolean): void
  lost?(): void
  close?(): void
}
type OpenOutboxes = (make: typeof Outboxes) => Outboxes

export class Project {
  readonly id: string
  readonly name: string
  /** The agent who is signed in. */
  readonly user: Session['user']
  /** Requests without a project. */
  readonly console_api: Api
  readonly api: ProjectApi
  /** The messages that the agent has sent, in this project and in others. It outlives the project. */
  readonly openOutboxes: OpenOutboxes
  readonly live: Pick<Live, 'present'>

  /** Agents who look at a ticket, by the id of the ticket. */
  presence: Signal<ReadonlyMap<string, Presence['users']>> = signal(new Map())
  records = new Records()
  /** Pipelines, tags, users, channels and other definitions; undefined until they are read. Read them by `define`. */
  definitions: Signal<Definitions | undefined> = signal(undefined)
  #is_defining = false
  #parts = new Map<string, Part>()
  #snapshot: Snapshot | undefined

  /**
   * @param options `view` is what the inbox shows first; it is read at once. Without it each part reads for itself.
   */
  constructor({
    api,
    live,
    id,
    name,
    user,
    openOutboxes,
    view,
  }: {
    api: Api
    live: Pick<Live, 'present'>
    id: string
    name: string
    user: Session['user']
    openOutboxes?: OpenOutboxes | undefined
    view?: Query | undefined
  }) {
    this.id = id
    this.name = name
    this.user = user
    this.console_api = api
    this.api = new ProjectApi(api, id)
    let own: Outboxes | undefined
    this.openOutboxes = openOutboxes ?? ((Outboxes) => (own ??= new Outboxes({ api, user_id: user._id })))
    this.live = live
    if (!view) return
    const plain = new ProjectApi(api, id)
    this.#snapshot = new Snapshot(() => plain.get('snapshot', view))
    this.api.snapshot = this.#snapshot
  }

  /** The part of this name, made when it is first asked for. */
  part<P extends Part>(name: string, make: (project: Project) => P): P {
    const part = this.#parts.get(name) ?? make(this)
    this.#parts.set(name, part)
    return part as P
  }

  /** The part of this name, if something has asked for it. */
  known<P extends Part>(name: string): P | undefined {
    return this.#parts.get(name) as P | undefined
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

  hear(events: readonly ProjectEvent[]) {
    const changes = this.records.hear(events)
    this.#snapshot?.hear(events)
    if (this.#is_defining && events.some(({ type }) => type === 'definitions.changed')) void this.#readDefinitions()
    for (const part of this.#parts.values()) part.hear?.(events, changes)
  }

  hearPresence({ ticket_id, users }: Presence) {
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

  poll(is_live: boolean) {
    for (const part of this.#parts.values()) part.poll?.(is_live)
  }

  close() {
    for (const part of this.#parts.values()) part.close?.()
    this.#parts.clear()
  }
}

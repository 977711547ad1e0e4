/** The words of an agent that the server does not have yet, at all tickets of all projects. No DOM. */

import { computed, type Signal, signal } from '@preact/signals'
import type { Api } from '../api.ts'
import { ProjectApi } from '../project_api.ts'
import type { KeptEntry } from './entry.ts'
import { browserStorage, KeptEntries } from './kept_entries.ts'
import { Outbox } from './outbox.ts'
import { words } from './words.ts'

type Locks = Pick<LockManager, 'request'>

export class Outboxes {
  /** The entries that the server does not have, refused ones too. */
  readonly unsent

  /** The outboxes by project and ticket. */
  #outboxes: Signal<ReadonlyMap<string, { project_id: string; ticket_id: string; outbox: Outbox }>> = signal(new Map())
  #api
  #kept
  #locks

  /**
   * Entries of the user that a former page left are sent now.
   *
   * @param options without `locks` tabs may repeat each other's requests, which are done once in any case
   */
  constructor({
    api,
    user_id,
    storage = browserStorage(),
    locks = globalThis.navigator?.locks,
  }: {
    api: Api
    user_id: string
    storage?: Storage | undefined
    locks?: Locks | undefined
  }) {
    this.#api = api
    this.#kept = new KeptEntries(storage, user_id)
    this.#locks = locks
    this.unsent = computed(() =>
      [...this.#outboxes.value.values()].flatMap(({ outbox, project_id, ticket_id }) =>
        outbox.entries.value
          .filter(({ state }) => state !== 'accepted')
          .map((entry) => ({ ...entry, project_id, ticket_id })),
      ),
    )
    for (const entry of this.#kept.all()) this.#restore(entry)
  }

  /** The number of entries that are sent by themselves, sooner or later. */
  get sending_count() {
    return this.unsent.peek().filter(({ state }) => state !== 'failed').length
  }

  /** A sentence for an agent whose session is over. */
  get promise() {
    return this.sending_count > 0 ? words.signed_out(this.sending_count) : ''
  }

  of(project_id: string, ticket_id: string) {
    const name = `${project_id} ${ticket_id}`
    const known = this.#outboxes.peek().get(name)
    if (known) return known.outbox
    const outbox = new Outbox({
      ...{ project_id, ticket_id, kept: this.#kept },
      api: new ProjectApi(this.#api, project_id),
      lock: (lock_name, act) => (this.#locks ? this.#locks.request(lock_name, act) : act()),
    })
    this.#outboxes.value = new Map(this.#outboxes.peek()).set(name, { project_id, ticket_id, outbox })
    return outbox
  }

  /** The ticket is not shown any more. */
  leave(project_id: string, ticket_id: string) {
    const outbox = this.of(project_id, ticket_id)
    outbox.leave()
    if (outbox.entries.peek().length > 0) return
    const left = new Map(this.#outboxes.peek())
    left.delete(`${project_id} ${ticket_id}`)
    this.#outboxes.value = left
  }

  /** Another tab has changed the storage. */
  hear(event: Pick<StorageEvent, 'key' | 'newValue'>) {
    const change = this.#kept.changeIn(event)
    if (!change) return
    if (change.entry) this.#restore(change.entry)
    else for (const { outbox } of this.#outboxes.peek().values()) outbox.gone(change.client_id)
  }

  /** Tries again at once. */
  hurry() {
    for (const { outbox } of this.#outboxes.peek().values()) outbox.hurry()
  }

  close() {
    for (const { outbox } of this.#outboxes.peek().values()) outbox.close()
  }

  #restore(entry: KeptEntry) {
    this.of(entry.project_id, entry.ticket_id).restore(entry)
  }
}

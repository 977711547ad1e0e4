/** The scheduled messages of the tickets that were opened, live. No DOM. */

import { type Signal, signal } from '@preact/signals'
import type { Project } from '../../../data/project.ts'
import type { ProjectEvent } from '../../../records/live.ts'
import type { AnyRecord } from '../../../records/record.ts'

type ListSignal = Signal<readonly AnyRecord[]>

const MAX_TICKETS = 20
const SHOWN = ['scheduled', 'failed']

export class ScheduledMessages {
  #lists = new Map<string, ListSignal>()
  #api

  constructor({ api }: Pick<Project, 'api'>) {
    this.#api = api
  }

  /** Those of a ticket that wait or have failed, in the order of their times. */
  of(ticket_id: string): ListSignal {
    const list = this.#lists.get(ticket_id) ?? signal<readonly AnyRecord[]>([])
    if (!this.#lists.has(ticket_id)) void this.#read(ticket_id, list)
    this.#lists.delete(ticket_id)
    this.#lists.set(ticket_id, list)
    const [oldest] = this.#lists.keys()
    if (this.#lists.size > MAX_TICKETS && oldest !== undefined) this.#lists.delete(oldest)
    return list
  }

  async cancel(id: string): Promise<void> {
    this.#put(await this.#api.delete(`inbox/scheduled_messages/${id}`))
  }

  hear(events: readonly ProjectEvent[]) {
    for (const { type, data } of events) if (type === 'scheduled_message.changed') this.#put(data)
  }

  /** Events may be missing. */
  read() {
    for (const [ticket_id, list] of this.#lists) void this.#read(ticket_id, list)
  }

  async #read(ticket_id: string, list: ListSignal) {
    try {
      list.value = (await this.#api.get(`inbox/tickets/${ticket_id}/scheduled_messages`)).data
    } catch {
      // The next reading comes with the next opening.
      this.#lists.delete(ticket_id)
    }
  }

  #put(record: AnyRecord) {
    const list = this.#lists.get(record.ticket_id)
    if (!list) return
    const known = list.peek().find(({ id }) => id === record.id)
    if (known && known.updated_at > record.updated_at) return
    const others = list.peek().filter(({ id }) => id !== record.id)
    // A large record comes without its message.
    const next = SHOWN.includes(record.status) ? [...others, { ...known, ...record }] : others
    list.value = next.sort((one, other) => (one.send_at < other.send_at ? -1 : 1))
  }
}

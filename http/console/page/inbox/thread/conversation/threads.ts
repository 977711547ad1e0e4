/** The threads of a project that were opened. The last ones stay, so that going back to one costs nothing. No DOM. */

import type { Change } from '../../../data/apply_event.ts'
import type { Project } from '../../../data/project.ts'
import type { InboxRow } from '../../../records/inbox.ts'
import type { ProjectEvent } from '../../../records/live.ts'
import { Thread } from './thread.ts'

const MAX_THREADS = 20

export class Threads {
  #project
  /** In the order of their last opening. */
  #threads = new Map<string, Thread>()
  #open: Thread | undefined

  constructor(project: Project) {
    this.#project = project
  }

  /** The thread of a ticket, which is read unless it is there. `row` is that of the list, if it has one. */
  open(ticket_id: string, row: InboxRow | undefined) {
    const common = { project: this.#project, ticket_id }
    const known = this.#threads.get(ticket_id)
    const thread = known ?? new Thread({ ...common, chat_user: row?.contact._id, unread_count: row?.unread_count })
    if (thread.state.peek() !== 'ready') void thread.read()
    this.#threads.delete(ticket_id)
    this.#threads.set(ticket_id, thread)
    this.#open = thread
    for (const [id, one] of this.#threads) {
      if (this.#threads.size <= MAX_THREADS) break
      if (one.outgoing.pending.peek().length === 0) this.#drop(id, one)
    }
    return thread
  }

  hear(events: readonly ProjectEvent[], changes: readonly Change[]) {
    for (const thread of this.#threads.values()) thread.hear(events, changes)
  }

  /**
   * Threads that are not shown may have missed something, too: they are read when they are opened again. One that is
   * sending is read now, because it must not be forgotten.
   */
  read() {
    for (const [id, thread] of this.#threads) {
      if (thread === this.#open || thread.outgoing.pending.peek().length > 0) void thread.read()
      else this.#drop(id, thread)
    }
  }

  poll(is_live: boolean) {
    if (!is_live || this.#open?.is_stale) void this.#open?.read()
  }

  close() {
    for (const thread of this.#threads.values()) thread.close()
  }

  #drop(id: string, thread: Thread) {
    thread.close()
    this.#threads.delete(id)
    // Threads of one person have entries in common.
    const kept = new Set([...this.#threads.values()].flatMap(({ entries }) => entries.peek().map(({ id }) => id)))
    for (const { kind, id: entry } of thread.entries.peek())
      if (!kept.has(entry)) this.#project.records.forget(kind, [entry])
  }
}

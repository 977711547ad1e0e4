/** The agent's texts for the tickets that were opened. No DOM. */

import type { Project } from '../../data/project.ts'
import type { ProjectEvent } from '../../records/live.ts'
import type { Thread } from '../thread/conversation/thread.ts'
import { Compose } from './compose.ts'

/** Tickets whose text is kept in this tab. */
const MAX = 20

export class Composers {
  #composers = new Map<string, Compose>()
  #project

  constructor(project: Project) {
    this.#project = project
  }

  of(thread: Thread): Compose {
    const known = this.#composers.get(thread.ticket_id)
    const compose = known?.thread === thread ? known : new Compose(this.#project, thread)
    known?.flush()
    this.#composers.delete(thread.ticket_id)
    this.#composers.set(thread.ticket_id, compose)
    for (const [id, one] of this.#composers) {
      if (this.#composers.size <= MAX) break
      one.flush()
      this.#composers.delete(id)
    }
    return compose
  }

  hear(events: readonly ProjectEvent[]) {
    if (!events.some(({ type }) => type.startsWith('draft.'))) return
    for (const compose of this.#composers.values()) compose.hear(events)
  }

  close() {
    for (const compose of this.#composers.values()) compose.flush()
  }
}

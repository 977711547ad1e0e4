/** The agent's own actions on many tickets, until they are done: then a message says so instead of the bell. No DOM. */

import type { Part, Project } from '../data/project.ts'
import type { ProjectEvent } from '../records/live.ts'
import type { AnyRecord } from '../records/record.ts'
import { toast } from '../ui/overlays/toast.ts'

/** An action that is not done by then is said to be under way. */
const PATIENCE_MS = 1_500

type Begun = { doing: string; done(count: number): string; undo?: (() => void) | undefined }

export class BulkWatch {
  #begun = new Map<string, Begun>()
  /** Progress of actions whose answer is still to come. */
  #early = new Map<string, AnyRecord>()
  #project

  constructor(project: Project) {
    this.#project = project
  }

  /** An action has begun. */
  take(record: AnyRecord, begun: Begun) {
    this.#project.known<Part & { own_actions: Set<string> }>('notifications')?.own_actions.add(record.id)
    this.#begun.set(record.id, begun)
    this.#look(this.#early.get(record.id) ?? record)
    this.#early.clear()
    setTimeout(() => this.#begun.has(record.id) && toast(`${begun.doing}. It goes on in the background.`), PATIENCE_MS)
  }

  hear(events: readonly ProjectEvent[]) {
    for (const { type, data } of events) {
      if (type !== 'bulk_action.progress') continue
      const record = data as AnyRecord
      if (this.#begun.has(record.id)) this.#look(record)
      else if (record.user_id === this.#project.user._id && record.status !== 'running')
        this.#early.set(record.id, record)
    }
  }

  #look({ id, status, changed_count, unchanged_count, refused_count }: AnyRecord) {
    const begun = this.#begun.get(id)
    if (!begun || status === 'running') return
    this.#begun.delete(id)
    const refused = refused_count > 0 ? ` ${refused_count} could not be changed.` : ''
    // Taking it back would also change tickets that were as wanted before.
    const { undo } = unchanged_count === 0 && changed_count > 0 ? begun : {}
    toast(`${begun.done(changed_count)}.${refused}`, { ...(undo && { undo }), is_bad: refused_count > 0 })
  }
}

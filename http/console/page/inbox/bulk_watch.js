/** The agent's own actions on many tickets, until they are done: then a message says so instead of the bell. No DOM. */
import { toast } from '../ui/toast.js'

/** An action that is not done by then is said to be under way. */
const PATIENCE_MS = 1_500

/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {{ doing: string, done(count: number): string, undo?: (() => void) | undefined }} Begun */

export class BulkWatch {
  /** @type {Map<string, Begun>} */
  #begun = new Map()
  /** Progress of actions whose answer is still to come. @type {Map<string, AnyRecord>} */
  #early = new Map()
  #project

  /** @param {import('../data/project.js').Project} project */
  constructor(project) {
    this.#project = project
  }

  /**
   * An action has begun.
   *
   * @param {AnyRecord} record
   * @param {Begun} begun
   */
  take(record, begun) {
    this.#project.known('notifications')?.own_actions.add(record.id)
    this.#begun.set(record.id, begun)
    this.#look(this.#early.get(record.id) ?? record)
    this.#early.clear()
    setTimeout(() => this.#begun.has(record.id) && toast(`${begun.doing}. It goes on in the background.`), PATIENCE_MS)
  }

  /** @param {readonly import('../../page_types/live.ts').ProjectEvent[]} events */
  hear(events) {
    for (const { type, data } of events) {
      if (type !== 'bulk_action.progress') continue
      const record = /** @type {AnyRecord} */ (data)
      if (this.#begun.has(record.id)) this.#look(record)
      else if (record.user_id === this.#project.user._id && record.status !== 'running')
        this.#early.set(record.id, record)
    }
  }

  /** @param {AnyRecord} record */
  #look({ id, status, changed_count, unchanged_count, refused_count }) {
    const begun = this.#begun.get(id)
    if (!begun || status === 'running') return
    this.#begun.delete(id)
    const refused = refused_count > 0 ? ` ${refused_count} could not be changed.` : ''
    // Taking it back would also change tickets that were as wanted before.
    const { undo } = unchanged_count === 0 && changed_count > 0 ? begun : {}
    toast(`${begun.done(changed_count)}.${refused}`, { ...(undo && { undo }), is_bad: refused_count > 0 })
  }
}

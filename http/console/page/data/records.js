/**
 * The known records of a project, one signal each: a view that reads a record is drawn again when that record changes,
 * and no other view is. No DOM.
 *
 *  R1 Events change known records only. A part of the console that wants a new one keeps it.
 *  R2 A change that is not confirmed yet lies over the record, under the name that its request has. What the server says
 *     meanwhile goes below it, so a refusal leaves the record as the server has it.
 */
import { batch, signal } from '@preact/signals'
import { applyEvent, idOf, newestOf } from './apply_event.js'

/** @typedef {import('../../page_types/record.ts').RecordKind} RecordKind */
/** @typedef {import('../../page_types/record.ts').AnyRecord} AnyRecord */
/** @typedef {import('@preact/signals').Signal<AnyRecord | undefined>} RecordSignal */
/**
 * A record: as the server said it, and as it is shown.
 *
 * @typedef {{ said: AnyRecord | undefined, changes: Map<string, object>, shown: RecordSignal }} Entry
 */

export class Records {
  /** @type {Map<string, Entry>} */
  #entries = new Map()

  /**
   * The record as a signal; undefined while it is unknown.
   *
   * @param {RecordKind} kind
   * @param {string} id
   * @returns {RecordSignal}
   */
  signal(kind, id) {
    return this.#entry(kind, id).shown
  }

  /**
   * The record as it is shown now. Views that call it are drawn again when it changes.
   *
   * @param {RecordKind} kind
   * @param {string} id
   * @returns {AnyRecord | undefined}
   */
  get(kind, id) {
    return this.#entry(kind, id).shown.value
  }

  /**
   * Keeps a record that the server answered, unless a newer form of it is known. Returns the newest.
   *
   * @param {RecordKind} kind
   * @param {AnyRecord} record
   */
  keep(kind, record) {
    const entry = this.#entry(kind, idOf(record))
    entry.said = newestOf(entry.said, record)
    show(entry)
    return entry.said
  }

  /**
   * Applies live events. Returns what they changed, also of records that are not kept.
   *
   * @param {readonly import('../../page_types/live.ts').ProjectEvent[]} events
   */
  hear(events) {
    return batch(() =>
      events.flatMap((event) => {
        const changes = applyEvent((kind, id) => this.#entries.get(nameOf(kind, id))?.said, event)
        for (const { kind, id, before, after } of changes) {
          if (before === undefined) continue
          const entry = this.#entry(kind, id)
          entry.said = after
          show(entry)
        }
        return changes
      }),
    )
  }

  /**
   * Shows a change at once and asks the server for it. A refusal takes it back and is thrown.
   *
   * @template Answer
   * @param {RecordKind} kind
   * @param {string} id
   * @param {object} patch fields as they will be
   * @param {() => Promise<Answer>} ask
   * @param {(answer: Answer) => AnyRecord | undefined} [recordIn] the record in the answer
   * @returns {Promise<Answer>}
   */
  async change(kind, id, patch, ask, recordIn = () => undefined) {
    const entry = this.#entry(kind, id)
    const name = crypto.randomUUID()
    entry.changes.set(name, patch)
    show(entry)
    try {
      const answer = await ask()
      const record = recordIn(answer)
      if (record) entry.said = newestOf(entry.said, record)
      return answer
    } finally {
      entry.changes.delete(name)
      show(entry)
    }
  }

  /**
   * Forgets records that nothing shows any more.
   *
   * @param {RecordKind} kind
   * @param {Iterable<string>} ids
   */
  forget(kind, ids) {
    for (const id of ids) this.#entries.delete(nameOf(kind, id))
  }

  /**
   * @param {RecordKind} kind
   * @param {string} id
   */
  #entry(kind, id) {
    const name = nameOf(kind, id)
    let entry = this.#entries.get(name)
    if (entry === undefined) {
      entry = { said: undefined, changes: new Map(), shown: signal(undefined) }
      this.#entries.set(name, entry)
    }
    return entry
  }
}

/** @param {Entry} entry */
function show({ said, changes, shown }) {
  shown.value = said && changes.size > 0 ? Object.assign({}, said, ...changes.values()) : said
}

/**
 * @param {RecordKind} kind
 * @param {string} id
 */
function nameOf(kind, id) {
  return `${kind} ${id}`
}

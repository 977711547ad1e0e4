/**
 * The known records of a project, one signal each: a view that reads a record is drawn again when that record changes,
 * and no other view is. No DOM.
 *
 *  R1 Events change known records only. A part of the console that wants a new one keeps it.
 *  R2 A change that is not confirmed yet lies over the record, under the name that its request has. What the server says
 *     meanwhile goes below it, so a refusal leaves the record as the server has it.
 */

import { batch, type Signal, signal } from '@preact/signals'
import type { ProjectEvent } from '../records/live.ts'
import type { AnyRecord, RecordKind } from '../records/record.ts'
import { applyEvent, idOf, newestOf } from './apply_event.ts'

type RecordSignal = Signal<AnyRecord | undefined>
/** A record: as the server said it, and as it is shown. */
type Entry = { said: AnyRecord | undefined; changes: Map<string, object>; visible: RecordSignal }

export class Records {
  #entries = new Map<string, Entry>()

  /** The record as a signal; undefined while it is unknown. */
  signal(kind: RecordKind, id: string): RecordSignal {
    return this.#entry(kind, id).visible
  }

  /** The record as it is shown now. Views that call it are drawn again when it changes. */
  get(kind: RecordKind, id: string): AnyRecord | undefined {
    return this.#entry(kind, id).visible.value
  }

  /** Keeps a record that the server answered, unless a newer form of it is known. Returns the newest. */
  keep(kind: RecordKind, record: AnyRecord) {
    const entry = this.#entry(kind, idOf(record))
    entry.said = newestOf(entry.said, record)
    show(entry)
    return entry.said
  }

  /** Applies live events. Returns what they changed, also of records that are not kept. */
  hear(events: readonly ProjectEvent[]) {
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
   * @param patch fields as they will be
   * @param recordIn the record in the answer
   */
  async change<Answer>(
    kind: RecordKind,
    id: string,
    patch: object,
    ask: () => Promise<Answer>,
    recordIn: (answer: Answer) => AnyRecord | undefined = () => undefined,
  ): Promise<Answer> {
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

  /** Forgets records that nothing shows any more. */
  forget(kind: RecordKind, ids: Iterable<string>) {
    for (const id of ids) this.#entries.delete(nameOf(kind, id))
  }

  #entry(kind: RecordKind, id: string) {
    const name = nameOf(kind, id)
    let entry = this.#entries.get(name)
    if (entry === undefined) {
      entry = { said: undefined, changes: new Map(), visible: signal(undefined) }
      this.#entries.set(name, entry)
    }
    return entry
  }
}

function show({ said, changes, visible }: Entry) {
  visible.value = said && changes.size > 0 ? Object.assign({}, said, ...changes.values()) : said
}

function nameOf(kind: RecordKind, id: string) {
  return `${kind} ${id}`
}

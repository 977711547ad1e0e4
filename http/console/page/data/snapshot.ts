/**
 * The answers that a page needs when it is loaded, read in one request. The parts of the page ask as ever, and `ProjectApi`
 * finds their answers here. No DOM.
 *
 *  S1 The request begins after the live connection has begun to watch, so each later change comes as an event. Without a
 *     connection it begins soon.
 *  S2 An answer is given once. One that an event may have changed before is not given: then the part asks the server.
 */
import type { ProjectEvent } from '../records/live.ts'
import type { AnyRecord } from '../records/record.ts'
import type { Query } from './query.ts'

/** A part that waits longer for the connection is read without it. */
const PATIENCE_MS = 1_000
/** Parts that are made later read for themselves. */
const KEPT_MS = 15_000
/** Lists that events change. Messages and tickets change the list of the inbox, which hears of them itself. */
const CHANGED = /^(?:draft|view|notification|definitions|scheduled_message)/

export class Snapshot {
  #start: () => void = () => {}
  #has_begun = false
  #answers = new Map<string, unknown>()
  /** Until the answers are there. */
  #heard: ProjectEvent[] | undefined = []
  #arrival

  constructor(read: () => Promise<{ answers: Record<string, unknown> }>) {
    const started = new Promise((resolve) => {
      this.#start = () => resolve(undefined)
    })
    setTimeout(() => this.begin(), PATIENCE_MS)
    this.#arrival = started.then(read).then(
      ({ answers }) => {
        this.#answers = new Map(Object.entries(answers))
        this.#outdate(this.#heard ?? [])
        setTimeout(() => this.#answers.clear(), KEPT_MS)
      },
      () => {},
    )
    void this.#arrival.then(() => {
      this.#heard = undefined
    })
  }

  /** Returns true for the first call, which lets the request begin. */
  begin() {
    if (this.#has_begun) return false
    this.#has_begun = true
    this.#start()
    return true
  }

  /** The answer of a request; undefined when the server has to be asked. */
  async take<Answer>(path: string, query: Query): Promise<Answer | undefined> {
    await this.#arrival
    const fields = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '')
    const name = [path, ...fields.map(([name, value]) => `${name}=${value}`).sort()].join(' ')
    const answer = this.#answers.get(name) as Answer | undefined
    this.#answers.delete(name)
    return answer
  }

  hear(events: readonly ProjectEvent[]) {
    this.#heard?.push(...events)
    this.#outdate(events)
  }

  #outdate(events: readonly ProjectEvent[]) {
    const names = [...this.#answers.keys()]
    for (const { type, data } of events) {
      const changed = CHANGED.exec(type)?.[0]
      const { _id, ticket_id, chat_user } = data as AnyRecord
      const ids = [_id, ticket_id, chat_user].filter((id) => id && names.some((name) => name.includes(id)))
      for (const name of names) {
        // A change of the ticket or its contact may concern all of the thread.
        const is_touched = ids.length > 0 && /[0-9a-f]{24}/.test(name)
        if (is_touched || (changed && name.includes(changed))) this.#answers.delete(name)
      }
    }
  }
}

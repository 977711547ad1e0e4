/**
 * Notices of many commits, gathered into one event a half second. They are gathered here after the commit, and not in
 * the memory of an actor, which a later turn that fails would throw away.
 */
import type { Clock } from '../time/clock.ts'
import type { OutgoingEvent } from './event_batch.ts'

/** Names records: an event `type` with the list `ids` under the name `list`, or null for more than `most` of them. */
export type Notice = { type: string; list: string; ids: Iterable<string>; most: number }
export type OutgoingNotice = Notice & { channel: string }

const GATHERED_MS = 500

export class GatheredNotices {
  readonly #clock: Clock
  readonly #publish: (events: OutgoingEvent[]) => void
  readonly #gathered = new Map<string, { notice: OutgoingNotice; ids: Set<string> }>()

  constructor(clock: Clock, publish: (events: OutgoingEvent[]) => void) {
    this.#clock = clock
    this.#publish = publish
  }

  add(notice: OutgoingNotice): void {
    const key = `${notice.channel} ${notice.type}`
    let known = this.#gathered.get(key)
    if (!known) {
      known = { notice, ids: new Set() }
      this.#gathered.set(key, known)
      this.#clock.after(GATHERED_MS, () => this.#end(key))
    }
    for (const id of notice.ids) if (known.ids.size <= notice.most) known.ids.add(id)
  }

  /** Forgets what is gathered for a channel. */
  drop(channel: string): void {
    for (const [key, { notice }] of this.#gathered) if (notice.channel === channel) this.#gathered.delete(key)
  }

  /** Publishes at once what is gathered. */
  flush(): void {
    for (const key of [...this.#gathered.keys()]) this.#end(key)
  }

  #end(key: string): void {
    const known = this.#gathered.get(key)
    if (!known) return
    this.#gathered.delete(key)
    const { notice, ids } = known
    const { channel, type, list, most } = notice
    const json = JSON.stringify({ type, data: { [list]: ids.size > most ? null : [...ids] } })
    this.#publish([{ channel, json, is_private: false }])
  }
}

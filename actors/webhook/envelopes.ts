/**
 * Envelopes of events that happened on this node a moment ago, until the subscriptions that listened have taken them. The
 * truth is the table `event`: what is not here, because another node made it or there was too much, is read there.
 */

/** Characters kept at most; beyond, the oldest go. */
const MOST = 16 * 1024 * 1024

type Kept = { body: string; takers: number }

export class Envelopes {
  readonly #kept = new Map<string, Kept>()
  readonly #most: number
  #characters = 0

  constructor(most = MOST) {
    this.#most = most
  }

  /** Keeps an envelope for this many takers. */
  keep(event_id: string, body: string, takers: number): void {
    this.#kept.set(event_id, { body, takers })
    this.#characters += body.length
    for (const [id, { body: oldest }] of this.#kept) {
      if (this.#characters <= this.#most) break
      this.#drop(id, oldest)
    }
  }

  /** For one of the takers; undefined when it is not here any more. */
  take(event_id: string): string | undefined {
    const kept = this.#kept.get(event_id)
    if (!kept) return undefined
    if (--kept.takers === 0) this.#drop(event_id, kept.body)
    return kept.body
  }

  #drop(event_id: string, body: string): void {
    this.#kept.delete(event_id)
    this.#characters -= body.length
  }
}

/** Those of this process. Ids are unique, so nodes that share a process may share it. */
export const envelopes = new Envelopes()

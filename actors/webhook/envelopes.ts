/**
 * Envelopes of recent events of this node, until their subscriptions have taken them. The `event` table has the truth:
 * envelopes that are not here, because another node made them or memory was full, are read from there.
 */

/** Maximum characters kept; beyond it the oldest are dropped. */
const MAX = 16 * 1024 * 1024

type Kept = { body: string; takers: number }

export class Envelopes {
  readonly #kept = new Map<string, Kept>()
  readonly #most: number
  #characters = 0

  constructor(most = MAX) {
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

  /** Takes it for one of the takers; undefined when it is no longer here. */
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

/** Shared by all nodes in this process, because ids are unique. */
export const envelopes = new Envelopes()

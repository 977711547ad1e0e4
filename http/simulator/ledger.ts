import { closeSync, openSync, writeSync } from 'node:fs'

/** An accepted message, with the fields that checkers need. */
export type AcceptedMessage = {
  /** Position in the order of acceptance, from 1. */
  sequence: number
  id: string
  /** ISO 8601 with milliseconds. */
  accepted_at: string
  channel: string
  phone_number_id: string
  recipient: string
  type: string
  opaque_data: string | null
  /** The category of the pricing, on WhatsApp. */
  category?: string
  body: unknown
}

export type SentFilter = {
  recipient?: string
  /** Unix milliseconds; selects messages accepted at or after it. */
  since?: number
  after?: number
  phone_number_id?: string
  type?: string
  opaque_data?: string
  limit: number
}

/**
 * The accepted messages: a bounded log in memory and, when configured, a journal of JSON lines.
 *
 * The journal line is written to the kernel before the message is acknowledged, so that it survives a kill -9 of the
 * simulator (it is not fsynced: a power cut may lose it).
 */
export class Ledger {
  #entries: AcceptedMessage[] = []
  #sequence = 0
  readonly #limit: number
  readonly #journal: number | undefined

  /** `limit` is the number of messages kept in memory; `journal` a file path, appended to. */
  constructor(limit: number, journal?: string) {
    this.#limit = limit
    this.#journal = journal === undefined ? undefined : openSync(journal, 'a')
  }

  /** Number of messages accepted since the start or the last `clear`, including dropped ones. */
  total = 0

  record(message: Omit<AcceptedMessage, 'sequence'>): void {
    this.total += 1
    const entry = { sequence: ++this.#sequence, ...message }
    if (this.#journal !== undefined) writeSync(this.#journal, `${JSON.stringify(entry)}\n`)
    this.#entries.push(entry)
    // Dropping in halves keeps the cost of a full log constant per message.
    if (this.#entries.length >= 2 * this.#limit) this.#entries = this.#entries.slice(-this.#limit)
  }

  /** Oldest first. `count` of a message is the number of accepted messages that carry the same opaque data. */
  find(filter: SentFilter): { count: number; data: (AcceptedMessage & { count: number })[] } {
    const kept = this.#entries.slice(-this.#limit)
    const found = kept.filter((entry) => matches(entry, filter))
    const repeats = new Map<string, number>()
    for (const { opaque_data } of kept)
      if (opaque_data !== null) repeats.set(opaque_data, (repeats.get(opaque_data) ?? 0) + 1)
    const data = found.slice(0, filter.limit).map((entry) => ({
      ...entry,
      count: entry.opaque_data === null ? 1 : (repeats.get(entry.opaque_data) ?? 1),
    }))
    return { count: found.length, data }
  }

  /** The latest message with this provider id or this opaque data. */
  findMessage(id: string): AcceptedMessage | undefined {
    return this.#entries.findLast((entry) => entry.id === id || entry.opaque_data === id)
  }

  clear(): number {
    const cleared = this.total
    this.#entries = []
    this.total = 0
    return cleared
  }

  close(): void {
    if (this.#journal !== undefined) closeSync(this.#journal)
  }
}

function matches(entry: AcceptedMessage, filter: SentFilter): boolean {
  return (
    (filter.recipient === undefined || entry.recipient === filter.recipient) &&
    (filter.since === undefined || Date.parse(entry.accepted_at) >= filter.since) &&
    (filter.after === undefined || entry.sequence > filter.after) &&
    (filter.phone_number_id === undefined || entry.phone_number_id === filter.phone_number_id) &&
    (filter.type === undefined || entry.type === filter.type) &&
    (filter.opaque_data === undefined || entry.opaque_data === filter.opaque_data)
  )
}

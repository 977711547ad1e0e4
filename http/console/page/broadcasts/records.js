/** Known broadcasts, by id. They come live and from answers, in any order; the newest one is kept. No DOM. */
import { Pace } from './pace.js'

/** @typedef {import('../../page_types/broadcast.ts').Broadcast} Broadcast */
/** @typedef {import('../../page_types/broadcast.ts').BroadcastStatus} BroadcastStatus */
/** @typedef {import('../../page_types/broadcast.ts').RecipientStatus} RecipientStatus */

/**
 * Progress as numbers that only grow, because a message only moves forward.
 *
 * @param {Broadcast} record
 * @returns {[stage: number, count: number]}
 */
function progressOf({ status, sent_count, delivered_count, read_count, failed_count }) {
  const stage = hasEnded({ status }) ? 2 : status === 'sending' ? 1 : 0
  return [stage, sent_count + 2 * delivered_count + 3 * read_count + 3 * failed_count]
}

/**
 * Records without a time are ordered by progress.
 *
 * @public for its tests
 * @param {Broadcast | undefined} known
 * @param {Broadcast} heard
 */
export function newest(known, heard) {
  if (!known) return heard
  if (known.updated_at && heard.updated_at) return heard.updated_at > known.updated_at ? heard : known
  const [stage, count] = progressOf(known)
  const [other_stage, other_count] = progressOf(heard)
  return other_stage > stage || (other_stage === stage && other_count >= count) ? heard : known
}

export class Records {
  /** @type {Map<string, Broadcast>} */
  #known = new Map()
  /** @type {Map<string, Pace>} */
  #paces = new Map()

  /** @param {string} id */
  get(id) {
    return this.#known.get(id)
  }

  /**
   * Returns the record that is kept.
   *
   * @param {Broadcast} record
   */
  keep(record) {
    const counts = newest(this.#known.get(record.id), record)
    this.#known.set(record.id, counts)
    if (hasEnded(counts)) this.#paces.delete(counts.id)
    else if (counts.updated_at) this.#paceOf(counts.id).add(Date.parse(counts.updated_at), doneOf(counts), Date.now())
    return counts
  }

  /**
   * Messages a second over the last moments; null while too little is known, or when nothing is sent any more.
   *
   * @param {string} id
   */
  perSecond(id) {
    return this.#paces.get(id)?.perSecond(Date.now()) ?? null
  }

  /** @param {string} id */
  #paceOf(id) {
    const pace = this.#paces.get(id) ?? new Pace()
    this.#paces.set(id, pace)
    return pace
  }
}

/** @type {BroadcastStatus[]} */
export const STATUSES = ['queued', 'sending', 'completed', 'failed', 'cancelled']

/**
 * In the order of drawing: the furthest status comes first.
 *
 * @type {RecipientStatus[]}
 */
export const COUNTS = ['read', 'delivered', 'sent', 'failed', 'pending']

/** @param {Pick<Broadcast, 'status'>} broadcast */
export function hasEnded({ status }) {
  return status !== 'queued' && status !== 'sending'
}

/**
 * Number of messages that the provider has answered, or will never be asked about.
 *
 * @param {Broadcast} broadcast
 */
export function doneOf({ total, pending_count }) {
  return total - pending_count
}

/**
 * The name for people.
 *
 * @param {Broadcast} broadcast
 */
export function nameOf({ campaign_name, template_name }) {
  return campaign_name || template_name
}

/** Known broadcasts, by id. They come live and from answers, in any order; the newest one is kept. No DOM. */
import type { Broadcast, BroadcastStatus, RecipientStatus } from '../records/broadcast.ts'
import type { Definitions } from '../records/definitions.ts'
import { Pace } from './pace.ts'

/** Progress as numbers that only grow, because a message only moves forward. */
function progressOf({
  status,
  sent_count,
  delivered_count,
  read_count,
  failed_count,
}: Broadcast): [stage: number, count: number] {
  const stage = hasEnded({ status }) ? 2 : status === 'sending' ? 1 : 0
  return [stage, sent_count + 2 * delivered_count + 3 * read_count + 3 * failed_count]
}

/**
 * Records without a time are ordered by progress.
 *
 * @public for its tests
 */
export function newest(known: Broadcast | undefined, heard: Broadcast) {
  if (!known) return heard
  if (known.updated_at && heard.updated_at) return heard.updated_at > known.updated_at ? heard : known
  const [stage, count] = progressOf(known)
  const [other_stage, other_count] = progressOf(heard)
  return other_stage > stage || (other_stage === stage && other_count >= count) ? heard : known
}

export class Records {
  #known = new Map<string, Broadcast>()
  #paces = new Map<string, Pace>()

  get(id: string) {
    return this.#known.get(id)
  }

  /** Returns the record that is kept. */
  keep(record: Broadcast) {
    const counts = newest(this.#known.get(record.id), record)
    this.#known.set(record.id, counts)
    if (hasEnded(counts)) this.#paces.delete(counts.id)
    else if (counts.updated_at) this.#paceOf(counts.id).add(Date.parse(counts.updated_at), doneOf(counts), Date.now())
    return counts
  }

  /** Messages a second over the last moments; null while too little is known, or when nothing is sent any more. */
  perSecond(id: string) {
    return this.#paces.get(id)?.perSecond(Date.now()) ?? null
  }

  #paceOf(id: string) {
    const pace = this.#paces.get(id) ?? new Pace()
    this.#paces.set(id, pace)
    return pace
  }
}

export const STATUSES: BroadcastStatus[] = ['queued', 'sending', 'completed', 'failed', 'cancelled']

/** In the order of drawing: the furthest status comes first. */
export const COUNTS: RecipientStatus[] = ['read', 'delivered', 'sent', 'failed', 'pending']

export function hasEnded({ status }: Pick<Broadcast, 'status'>) {
  return status !== 'queued' && status !== 'sending'
}

/** Number of messages that the provider has answered, or will never be asked about. */
export function doneOf({ total, pending_count }: Broadcast) {
  return total - pending_count
}

/** The name for people. */
export function nameOf({ campaign_name, template_name }: Broadcast) {
  return campaign_name || template_name
}

/** The numbers of WhatsApp's Cloud API: only they have templates and broadcasts. */
export function cloudChannels(definitions: Definitions | undefined) {
  const channels = definitions?.channels ?? []
  return channels.filter(({ channel_type, provider }) => channel_type === 'whatsapp' && provider !== 'qr')
}

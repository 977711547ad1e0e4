/** Tells visitors whether people answer now, and how long an answer usually takes. */
import { type Opening, openingAt } from '../../actors/mod.ts'
import { type Database, newDate, Project, readReplyTimes, readRows } from '../../storage/mod.ts'
import type { ReadLimiter } from '../server/limits/read_limiter.ts'
import type { WebChannel } from './channels.ts'

export type Availability = {
  is_open: boolean
  /** When that changes (ISO 8601); null where that is unknown or far ahead. */
  changes_at: string | null
  /** The median of the last waits, in seconds; null where there were few, or most took longer than a day. */
  replies_in_s: number | null
}

/** `opening`: the last one that was found, as finding it costs milliseconds. */
type Times = Pick<Project, 'office_hours'> & { replies_in_s: number | null; opening?: Opening }

type Known = { until: number; times: Promise<Times> }

/** Time after which hours and waits are read again. */
const BELIEVED_MS = 60_000
const MAX_KNOWN = 10_000
/** Waits of which there is a median worth telling. */
const MIN_WAITS = 5
const DAY_S = 86_400

export class Availabilities {
  readonly #database: Database
  readonly #read_limiter: ReadLimiter
  readonly #known = new Map<string, Known>()

  constructor(database: Database, read_limiter: ReadLimiter) {
    this.#database = database
    this.#read_limiter = read_limiter
  }

  async of(channel: WebChannel): Promise<Availability> {
    const times = await this.#times(channel)
    const { office_hours, replies_in_s } = times
    const now = newDate()
    const changed_at = times.opening?.changes_at
    if (!times.opening || (changed_at && changed_at <= now)) times.opening = openingAt(office_hours, now)
    const { is_open, changes_at } = times.opening
    return { is_open, changes_at: changes_at?.toISOString() ?? null, replies_in_s }
  }

  #times(channel: WebChannel): Promise<Times> {
    const known = this.#known.get(channel._id)
    if (known && known.until > performance.now()) return known.times
    const times = Promise.resolve(this.#read_limiter.run(() => this.#read(channel), channel.project_id))
    times.catch(() => this.#known.delete(channel._id))
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    this.#known.set(channel._id, { until: performance.now() + BELIEVED_MS, times })
    return times
  }

  async #read({ _id, project_id }: WebChannel): Promise<Times> {
    const [project] = await readRows(this.#database, Project, { _id: project_id })
    const waits = (await readReplyTimes(this.#database, project_id, _id)).sort((one, other) => one - other)
    const median = waits.length < MIN_WAITS ? null : waits[Math.floor(waits.length / 2)]!
    return {
      office_hours: project?.office_hours ?? null,
      replies_in_s: median === null || median > DAY_S ? null : Math.ceil(median),
    }
  }
}

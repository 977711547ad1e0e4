/** One broadcast with its speed, its recipients and the reasons for failures. No DOM. */

import { faultOf } from '../data/errors.ts'
import type { Broadcast, RecipientStatus } from '../records/broadcast.ts'
import type { Fault } from '../records/fault.ts'
import type { BroadcastsApi } from './broadcasts_api.ts'
import { type Failures, readFailures } from './failures.ts'
import { type ReadPage, RecipientPages } from './recipient_pages.ts'
import { hasEnded, type Records } from './records.ts'

const TICK_MS = 1_000
/** While a broadcast is sent, its recipients are read again at most this often. */
const RECIPIENTS_EVERY_MS = 2_000
const FAILURES_EVERY_MS = 5_000

export class BroadcastDetail {
  readonly project_id: string
  readonly id: string
  readonly recipients: RecipientPages

  state: 'loading' | 'ready' | 'failed' = 'loading'
  error: Fault | null = null
  is_stale = false
  /** Null while unknown. */
  speed: { per_second: number | null; left_s: number | null } = { per_second: null, left_s: null }
  /** The time of this machine when the record was last heard of: without a connection nothing later is known. */
  heard_at = Date.now()
  /** Once there are failures. */
  failures: Failures | null = null
  #api
  #records
  #changed
  #reads = 0
  #ticker: number | undefined
  #recipients_read
  #failures_read
  #is_closed = false
  #isLive

  /** `every` may set the milliseconds between two readings of recipients and of failures. */
  constructor({
    api,
    records,
    project_id,
    id,
    recipients,
    changed,
    isLive = () => true,
    every = {},
  }: {
    api: BroadcastsApi
    records: Records
    project_id: string
    id: string
    recipients: RecipientStatus | undefined
    changed(): void
    isLive?(): boolean
    every?: { recipients_ms?: number; failures_ms?: number }
  }) {
    this.#api = api
    this.#isLive = isLive
    this.#records = records
    this.#changed = changed
    this.project_id = project_id
    this.id = id
    const readPage: ReadPage = (query) => api.recipients(id, query)
    this.recipients = new RecipientPages(readPage, changed)
    this.recipients.status = recipients
    this.#recipients_read = new Seldom(every.recipients_ms ?? RECIPIENTS_EVERY_MS, () => this.recipients.read())
    this.#failures_read = new Seldom(every.failures_ms ?? FAILURES_EVERY_MS, () => this.#readFailures(readPage))
  }

  get broadcast() {
    return this.#records.get(this.id)
  }

  get recipientsFile() {
    return this.#api.recipientsFile(this.id)
  }

  async read() {
    const read = ++this.#reads
    try {
      const record = await this.#api.one(this.id)
      if (read !== this.#reads || this.#is_closed) return
      this.state = 'ready'
      this.error = null
      this.is_stale = false
      this.#follow(this.#records.keep(record))
      this.#recipients_read.ask()
    } catch (error) {
      if (read !== this.#reads) return
      this.is_stale = true
      if (this.state !== 'ready') {
        this.state = 'failed'
        this.error = faultOf(error)
      }
    } finally {
      this.#changed()
    }
  }

  retry() {
    this.state = 'loading'
    this.error = null
    this.#changed()
    return this.read()
  }

  /** A changed record, of this broadcast or of another one. */
  hear(record: Broadcast) {
    if (record.id !== this.id) return
    this.state = 'ready'
    this.#follow(record)
    this.#recipients_read.ask()
  }

  /**
   * Resolves once it is cancelled.
   *
   * @throws ApiError BROADCAST_FINISHED when there is nothing left to cancel
   */
  async cancel() {
    try {
      this.#follow(this.#records.keep(await this.#api.cancel(this.id)))
    } catch (error) {
      if (faultOf(error).status === 409) void this.read()
      throw error
    }
  }

  close() {
    this.#is_closed = true
    clearInterval(this.#ticker)
    this.#recipients_read.end()
    this.#failures_read.end()
  }

  #follow(record: Broadcast) {
    if (this.#is_closed) return
    this.heard_at = Date.now()
    if (record.failed_count > 0) this.#failures_read.ask(record.failed_count)
    if (hasEnded(record)) {
      clearInterval(this.#ticker)
      this.#ticker = undefined
    } else if (this.#ticker === undefined) {
      this.#ticker = setInterval(() => this.#tick(), TICK_MS)
      this.#tick()
    }
    this.#changed()
  }

  /** Updates speed and time left once a second, so that they stay readable. Without a connection the last ones stay. */
  #tick() {
    if (!this.#isLive() && Date.now() - this.heard_at > TICK_MS) return
    const per_second = this.#records.perSecond(this.id)
    const { broadcast } = this
    const left_s = per_second && broadcast ? broadcast.pending_count / per_second : null
    this.speed = { per_second, left_s }
    this.#changed()
  }

  async #readFailures(readPage: ReadPage) {
    try {
      const failures = await readFailures(readPage)
      if (!this.#is_closed) this.failures = failures
      this.#changed()
    } catch {
      // The recipients' table shows the error; the next change tries again.
      this.#failures_read.forget()
    }
  }
}

/** Throttles an action: it runs when asked, but not again before some time has passed; the last ask is always served. */
class Seldom {
  #wait_ms
  #act
  #timer: number | undefined
  #is_asked = false
  #last: number | undefined
  #has_ended = false

  constructor(wait_ms: number, act: () => unknown) {
    this.#wait_ms = wait_ms
    this.#act = act
  }

  /** With a `reason`, runs only when the reason has changed. */
  ask(reason?: number) {
    if (this.#has_ended || (reason !== undefined && reason === this.#last)) return
    this.#last = reason
    if (this.#timer !== undefined) {
      this.#is_asked = true
      return
    }
    this.#is_asked = false
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      if (this.#is_asked) this.ask()
    }, this.#wait_ms)
    void this.#act()
  }

  forget() {
    this.#last = undefined
  }

  end() {
    this.#has_ended = true
    clearTimeout(this.#timer)
  }
}

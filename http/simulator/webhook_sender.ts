import { Agent, request } from 'undici'
import type { Schedule } from './schedule.ts'

export type WebhookOptions = {
  /** Maximum milliseconds of a receiver's answer to one call. */
  timeout_ms: number
  /** Pause before a call that was not answered 200 is repeated, in milliseconds; it doubles each time up to the cap. */
  retry_base_ms: number
  retry_cap_ms: number
  /** Maximum calls, including the first. */
  attempts: number
  /** Maximum calls in flight to one receiver. */
  in_flight: number
  /** Callbacks joined into one call, and the maximum wait of the first, in milliseconds. */
  batch_size: number
  batch_wait_ms: number
  /** Calls kept in the log of GET /_control/webhooks. */
  log_limit: number
}

export type WebhookCall = {
  url: string
  /** Target of a retry, because the receiver may have moved since. */
  current_url: () => string | undefined
  headers: Record<string, string>
  body: string
  /** Short names of the call's events, for the log. */
  events: string[]
}

export type WebhookOutcome = { status: number | null; body: string; error: string | null; duration_ms: number }

export type WebhookLogEntry = WebhookOutcome & {
  url: string
  at: string
  attempt: number
  will_retry: boolean
  events: string[]
  request: string
}

type Queued = WebhookCall & { attempt: number; settle: ((outcome: WebhookOutcome) => void) | undefined }
/** `head` is the index of the next call to make: taking from the front of a long array would copy it each time. */
type Lane = { waiting: Queued[]; head: number; in_flight: number }

/** Maximum bytes kept of a receiver's answer. */
const ANSWER_LIMIT = 4096

/**
 * Calls receivers, one lane per URL, so that a slow receiver delays no other.
 *
 * 1. At most `in_flight` calls to one URL at a time, started in the order given.
 * 2. Any status but 200 is retried with backoff; like Meta, a retry does not delay later calls.
 * 3. Waiting calls exist in memory only.
 */
export class WebhookSender {
  readonly #options: WebhookOptions
  readonly #schedule: Schedule
  readonly #agent: Agent
  readonly #lanes = new Map<string, Lane>()
  readonly #stop = new AbortController()
  #log: WebhookLogEntry[] = []
  #pending = 0

  constructor(options: WebhookOptions, schedule: Schedule) {
    this.#options = options
    this.#schedule = schedule
    this.#agent = new Agent({
      connections: options.in_flight,
      headersTimeout: options.timeout_ms,
      bodyTimeout: options.timeout_ms,
      connectTimeout: options.timeout_ms,
    })
  }

  /** Calls neither answered with 200 nor given up. */
  get pending(): number {
    return this.#pending
  }

  log(): WebhookLogEntry[] {
    return this.#log.slice(-this.#options.log_limit)
  }

  clearLog(): void {
    this.#log = []
  }

  /** Queues a call; `settle` gets the outcome of the first attempt, and retries continue in the background. */
  send(call: WebhookCall, settle?: (outcome: WebhookOutcome) => void): void {
    this.#pending += 1
    this.#enqueue({ ...call, attempt: 1, settle })
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#agent.destroy()
  }

  #enqueue(queued: Queued): void {
    let lane = this.#lanes.get(queued.url)
    if (!lane) {
      lane = { waiting: [], head: 0, in_flight: 0 }
      this.#lanes.set(queued.url, lane)
    }
    lane.waiting.push(queued)
    this.#drain(lane)
  }

  #drain(lane: Lane): void {
    while (lane.in_flight < this.#options.in_flight) {
      const queued = lane.waiting[lane.head]
      if (!queued) break
      lane.head += 1
      lane.in_flight += 1
      void this.#attempt(queued).then(() => {
        lane.in_flight -= 1
        this.#drain(lane)
      })
    }
    if (lane.head > 0 && (lane.head === lane.waiting.length || lane.head >= 1024)) {
      lane.waiting = lane.waiting.slice(lane.head)
      lane.head = 0
    }
  }

  async #attempt(queued: Queued): Promise<void> {
    const started = performance.now()
    const outcome = await this.#call(queued, started)
    if (this.#stop.signal.aborted) return
    const will_retry = outcome.status !== 200 && queued.attempt < this.#options.attempts
    this.#log.push({
      ...outcome,
      url: queued.url,
      at: new Date().toISOString(),
      attempt: queued.attempt,
      will_retry,
      events: queued.events,
      request: queued.body,
    })
    if (this.#log.length >= 2 * this.#options.log_limit) this.#log = this.#log.slice(-this.#options.log_limit)
    queued.settle?.(outcome)
    if (!will_retry) {
      this.#pending -= 1
      return
    }
    const delay_ms = Math.min(this.#options.retry_cap_ms, this.#options.retry_base_ms * 2 ** (queued.attempt - 1))
    this.#schedule.after(delay_ms, () =>
      this.#enqueue({
        ...queued,
        url: queued.current_url() ?? queued.url,
        attempt: queued.attempt + 1,
        settle: undefined,
      }),
    )
  }

  async #call(queued: Queued, started: number): Promise<WebhookOutcome> {
    const limit = new AbortController()
    const abort = () => limit.abort(new Error('the simulator stopped'))
    this.#stop.signal.addEventListener('abort', abort, { once: true })
    const timer = setTimeout(() => {
      limit.abort(new Error(`no complete answer within ${this.#options.timeout_ms} ms`))
    }, this.#options.timeout_ms)
    const duration_ms = () => Math.round(performance.now() - started)
    try {
      const response = await request(queued.url, {
        method: 'POST',
        headers: queued.headers,
        body: queued.body,
        dispatcher: this.#agent,
        signal: limit.signal,
      })
      let body = ''
      for await (const chunk of response.body) {
        body += (chunk as Buffer).toString('utf8')
        if (body.length >= ANSWER_LIMIT) break
      }
      return { status: response.statusCode, body: body.slice(0, ANSWER_LIMIT), error: null, duration_ms: duration_ms() }
    } catch (error) {
      const reason = limit.signal.aborted ? (limit.signal.reason as Error) : (error as Error)
      return { status: null, body: '', error: reason.message || String(reason), duration_ms: duration_ms() }
    } finally {
      clearTimeout(timer)
      this.#stop.signal.removeEventListener('abort', abort)
    }
  }
}

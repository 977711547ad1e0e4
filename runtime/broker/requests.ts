/**
 * Requests over NATS whose replies all come to one subject of this process. The client library creates a timer, two
 * racing promises and two errors with stack traces for each request: three quarters of the asker's cost.
 */
import { createInbox, type Msg, type Subscription } from '@nats-io/transport-node'
import type { Clock } from '../time/clock.ts'
import type { Broker } from './broker.ts'
import { Pieces, publishWhole } from './pieces.ts'

const SWEEP_MS = 50

/** Outcome of a request: `nobody` when its subject has no listener, `late` when no reply came in time. */
export type Reply = { text: string } | 'nobody' | 'late'

/**
 * `ms`: patience for the reply, and again for each further piece of it. `late` takes a reply that comes after that, until
 * `deadline` (of the monotonic clock).
 */
export type Patience = { ms: number; deadline: number; late?: ((text: string) => void) | undefined }
type Waiting = Patience & { until: number; is_late: boolean; resolve(reply: Reply): void }

export class Requests {
  readonly #nats: Broker
  readonly #clock: Clock
  readonly #replies = `${createInbox()}.`
  readonly #waiting = new Map<number, Waiting>()
  readonly #subscription: Subscription
  readonly #endSweeps: () => void
  readonly #pieces = new Pieces()
  #last = 0

  constructor(nats: Broker, clock: Clock) {
    this.#nats = nats
    this.#clock = clock
    this.#subscription = nats.subscribe(`${this.#replies}*`, {
      callback: (error, message) => {
        if (!error) this.#replied(message)
      },
    })
    this.#endSweeps = clock.every(SWEEP_MS, () => this.#sweep())
  }

  /**
   * Resolves within `ms` (and a sweep), or later while pieces of the reply arrive, until `deadline`: a large reply over
   * a slow connection would be late for ever. Throws when the connection is closed.
   */
  send(subject: string, text: string, { ms, deadline, late }: Patience): Promise<Reply> {
    const number = ++this.#last
    publishWhole(this.#nats, subject, text, this.#replies + number)
    const until = Math.min(this.#clock.monotonic() + ms, deadline)
    return new Promise((resolve) => this.#waiting.set(number, { until, ms, deadline, late, is_late: false, resolve }))
  }

  #replied(message: Msg): void {
    const number = Number(message.subject.slice(this.#replies.length))
    const waiting = this.#waiting.get(number)
    if (!waiting) return
    const nobody = message.data.length === 0 && message.headers?.code === 503
    const text = nobody ? '' : this.#pieces.take(message)
    if (text === undefined) {
      waiting.until = Math.min(this.#clock.monotonic() + waiting.ms, waiting.deadline)
      return
    }
    this.#waiting.delete(number)
    if (!waiting.is_late) waiting.resolve(nobody ? 'nobody' : { text })
    else if (!nobody) waiting.late!(text)
  }

  #sweep(): void {
    const now = this.#clock.monotonic()
    for (const [number, waiting] of this.#waiting) {
      if (waiting.until > now) continue
      const resolve = waiting.is_late ? undefined : waiting.resolve
      if (waiting.late && waiting.deadline > now) {
        waiting.is_late = true
        waiting.until = waiting.deadline
      } else this.#waiting.delete(number)
      resolve?.('late')
    }
  }

  stop(): void {
    this.#endSweeps()
    if (!this.#nats.isClosed()) this.#subscription.unsubscribe()
    for (const { resolve } of this.#waiting.values()) resolve('late')
    this.#waiting.clear()
  }
}

/**
 * Who is alive. Every node says so on a plain subject twice a second and hears all others, itself included.
 *
 *  - A node that has not been heard for `LEASE_MS` counts as gone.
 *  - Hearing oneself is the proof of being heard: a node that does not hear itself is cut off, believes nobody to be
 *    gone, and takes nothing over. So a broker that is down for all changes nothing.
 */
import type { NatsConnection, Subscription } from '@nats-io/transport-node'
import type { Clock } from './clock.ts'
import type { Log } from './log.ts'

/** What a node says of itself. */
export type Beat = {
  id: string
  capacity: number
  /** A node that leaves gives away what it has and gets nothing. */
  leaving: boolean
  /** Milliseconds since the epoch. */
  started_at: number
  host: string
  pid: number
  partitions: number
  /** Messages taken in and not yet applied. */
  backlog: number
}

type Heard = { beat: Beat; at: number }

const BEAT_MS = 500
export const LEASE_MS = 2500

export class Membership {
  readonly #nats: NatsConnection
  readonly #subject: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #self: () => Beat
  readonly #changed: () => void
  readonly #heard = new Map<string, Heard>()
  /** When this node began to hear itself, after not having done so (milliseconds). */
  #connected_since = 0
  #subscription: Subscription | undefined
  #beating: NodeJS.Timeout | undefined

  constructor(
    nats: NatsConnection,
    options: { prefix: string; clock: Clock; log: Log; self: () => Beat; changed: () => void },
  ) {
    this.#nats = nats
    this.#subject = `${options.prefix}.node.beat`
    this.#clock = options.clock
    this.#log = options.log
    this.#self = options.self
    this.#changed = options.changed
  }

  start(): void {
    this.#subscription = this.#nats.subscribe(this.#subject, {
      callback: (error, message) => {
        if (error) return
        try {
          this.#hear(message.json<Beat>())
        } catch (thrown) {
          this.#log.warn({ error: (thrown as Error).message }, 'an unreadable heartbeat was passed over')
        }
      },
    })
    this.beat()
    this.#beating = setInterval(() => {
      this.beat()
      this.#forget()
    }, BEAT_MS)
    this.#beating.unref()
  }

  /** Says something at once, for what others should not learn half a second late. */
  beat(): void {
    if (this.#nats.isClosed()) return
    try {
      this.#nats.publish(this.#subject, JSON.stringify(this.#self()))
    } catch {
      // Closing; the silence says it.
    }
  }

  #hear(beat: Beat): void {
    if (beat.id === this.#self().id && !this.connected) this.#connected_since = this.#clock.now()
    const before = this.#heard.get(beat.id)?.beat
    this.#heard.set(beat.id, { beat, at: this.#clock.now() })
    // A newcomer learns of us at once.
    if (!before && beat.id !== this.#self().id) this.beat()
    if (before?.leaving !== beat.leaving || before?.capacity !== beat.capacity) this.#changed()
  }

  #forget(): void {
    if (!this.connected) return
    const before = this.#oldest()
    let gone = false
    for (const [id, { at }] of this.#heard) {
      if (at >= before) continue
      this.#heard.delete(id)
      this.#log.warn({ node: id }, 'a node is silent')
      gone = true
    }
    if (gone) this.#changed()
  }

  /** Whether this node hears itself, so that others can be believed to hear it. */
  get connected(): boolean {
    const own = this.#heard.get(this.#self().id)
    return own !== undefined && own.at >= this.#clock.now() - LEASE_MS / 2
  }

  get connected_since(): number {
    return this.#connected_since
  }

  /** Who was heard before this is gone. What was silent while this node was deaf gets a lease of its own. */
  #oldest(): number {
    const now = this.#clock.now()
    return now - this.#connected_since < LEASE_MS ? 0 : now - LEASE_MS
  }

  /** The nodes heard within the lease, this one included. */
  alive(): Beat[] {
    const before = this.#oldest()
    return [...this.#heard.values()].filter(({ at }) => at >= before).map(({ beat }) => beat)
  }

  stop(): void {
    clearInterval(this.#beating)
    this.#subscription?.unsubscribe()
  }
}

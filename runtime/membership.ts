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
  /** PostgreSQL does not answer this node: it can commit nothing, and others take what it has. */
  without_database: boolean
  /** Milliseconds since the epoch. */
  started_at: number
  host: string
  pid: number
  partitions: number
  /** Messages taken in and not yet applied. */
  backlog: number
  /** Which store of files it uses; undefined when it does not say. */
  files?: string | undefined
  /** Its last word: it has given everything away and ends. */
  gone?: boolean
}

type Heard = {
  beat: Beat
  at: number
  /** Since when it has said that its database does not answer (milliseconds). */
  without_database_at: number | undefined
}

const BEAT_MS = 500
export const LEASE_MS = 2500

export class Membership {
  readonly #nats: NatsConnection
  readonly #subject: string
  readonly #clock: Clock
  readonly #log: Log
  readonly #id: string
  readonly #self: () => Beat
  readonly #changed: () => void
  readonly #heard = new Map<string, Heard>()
  /** When this node began to hear itself, after not having done so (milliseconds). */
  #connected_since = 0
  #silent_looks = 0
  #subscription: Subscription | undefined
  #beating: NodeJS.Timeout | undefined

  constructor(
    nats: NatsConnection,
    options: { id: string; prefix: string; clock: Clock; log: Log; self: () => Beat; changed: () => void },
  ) {
    this.#nats = nats
    this.#subject = `${options.prefix}.node.beat`
    this.#clock = options.clock
    this.#log = options.log
    this.#id = options.id
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
      this.#leaveSilence()
    }, BEAT_MS)
    this.#beating.unref()
  }

  /** Says something at once, for what others should not learn half a second late. */
  beat(): void {
    this.#say(this.#self())
  }

  #say(beat: Beat): void {
    if (this.#nats.isClosed()) return
    try {
      this.#nats.publish(this.#subject, JSON.stringify(beat))
    } catch {
      // Closing; the silence says it.
    }
  }

  #hear(beat: Beat): void {
    if (beat.gone) {
      this.#hearGoodbye(beat.id)
      return
    }
    if (beat.id === this.#id && !this.connected) this.#connected_since = this.#clock.now()
    const heard = this.#heard.get(beat.id)
    const before = heard?.beat
    const now = this.#clock.now()
    const without_database_at = beat.without_database ? (heard?.without_database_at ?? now) : undefined
    this.#heard.set(beat.id, { beat, at: now, without_database_at })
    // A newcomer learns of us at once.
    if (!before && beat.id !== this.#id) this.beat()
    if (
      before?.leaving !== beat.leaving ||
      before?.capacity !== beat.capacity ||
      before?.without_database !== beat.without_database
    )
      this.#changed()
  }

  #hearGoodbye(id: string): void {
    if (id === this.#id || !this.#heard.delete(id)) return
    this.#log.info({ node: id }, 'a node has left')
    this.#changed()
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

  /**
   * A connection whose other end is gone without a word is left for a new one. Only when one's silence was found twice:
   * a process that was busy itself has its beats still before it.
   */
  #leaveSilence(): void {
    const own = this.#heard.get(this.#id)
    const silent = own !== undefined && own.at < this.#clock.now() - LEASE_MS
    this.#silent_looks = silent ? this.#silent_looks + 1 : 0
    if (this.#silent_looks !== 2 || this.#nats.isClosed()) return
    this.#log.warn({}, 'this node does not hear itself: connecting to the broker anew')
    this.#nats.reconnect().catch(() => {})
  }

  /** Whether this node hears itself, so that others can be believed to hear it. */
  get connected(): boolean {
    const own = this.#heard.get(this.#id)
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

  /** Since when a node has been saying that its database does not answer (milliseconds); undefined when it does. */
  withoutDatabaseSince(id: string): number | undefined {
    return this.#heard.get(id)?.without_database_at
  }

  /** Says goodbye, so that nobody takes the silence that follows for a death. */
  stop(): void {
    clearInterval(this.#beating)
    this.#subscription?.unsubscribe()
    this.#say({ ...this.#self(), gone: true })
  }
}

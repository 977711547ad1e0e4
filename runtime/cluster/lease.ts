/**
 * The lease of this node: its row in the table of nodes, renewed several times a second. While the lease is valid no
 * other node takes a partition from this one, so its memory of them is true.
 *
 *  I14 A lease is valid for `LEASE_MS` by the monotonic clock, counted from before the renewal was sent. Other nodes
 *      end it only after they have seen it unrenewed for `DEAD_MS` (`silent_nodes.ts`), which is longer, and no node
 *      takes a partition whose owner has a lease. So no clock has to agree with another; they have to run at the same
 *      rate, to within a tenth.
 *  I15 A node whose lease was ended holds nothing: it drops everything in memory before it begins another lease.
 */

import type { NodeFacts, Renewal, Store } from '../commit/store.ts'
import type { Log } from '../log.ts'
import type { Clock } from '../time/clock.ts'

export const LEASE_MS = 2000
const RENEW_MS = 400
/** A renewal that is not answered within this time never will be: the network swallows packets. */
const PATIENCE_MS = 1500
/** The wall clock ran this much further than the monotonic one: the machine slept, and its leases went on aging. */
const LEAP_MS = 1000

type LeaseOptions = {
  node: string
  store: Store
  clock: Clock
  log: Log
  facts(): NodeFacts
  /** Called with each renewal, and the times at which it was sent and answered by the monotonic clock. */
  renewed(renewal: Renewal, sent: number, answered: number): void
  /** The lease has ended: the node holds nothing any more. `rewound`: because the database has lost commits. */
  ended(rewound: boolean): void
}

export class Lease {
  readonly #options: LeaseOptions
  #valid_until = Number.NEGATIVE_INFINITY
  #stamp = 0
  #floor = 0
  #answers = true
  #joined = false
  #stopped = false
  #leap = 0
  #hurry = () => {}

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#leap = this.#distance()
  }

  /** Begins the lease. Rejects when the database fails. */
  async start(): Promise<void> {
    await this.#join()
    void this.#run()
  }

  get is_valid(): boolean {
    // Reads the age last, so that a stall before it counts.
    return this.#distance() - this.#leap < LEAP_MS && this.#options.clock.monotonic() < this.#valid_until
  }

  /** True when the last renewal was answered. */
  get answers(): boolean {
    return this.#answers
  }

  /** Renews at once, so that other nodes learn a change without delay. */
  hurry(): void {
    this.#hurry()
  }

  /** Gives the lease up: other nodes may take the partitions that this node still has. */
  async end(): Promise<void> {
    this.#stopped = true
    this.#valid_until = Number.NEGATIVE_INFINITY
    if (this.#joined) await this.#options.store.leave(this.#options.node)
  }

  /** Ends the lease at once, because this node may remember commits that the database has lost. */
  revoke(): void {
    this.#valid_until = Number.NEGATIVE_INFINITY
    if (!this.#joined) return
    this.#joined = false
    this.#options.ended(true)
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ms, resolve)
      this.#hurry = () => {
        cancel()
        resolve()
      }
    })
  }

  #distance(): number {
    const { clock } = this.#options
    return clock.wall() - clock.monotonic()
  }

  async #run(): Promise<void> {
    const { log, store } = this.#options
    for (let silent = 0; !this.#stopped; ) {
      await this.#pause(silent > 0 ? RENEW_MS / 4 : RENEW_MS)
      if (this.#stopped) return
      try {
        await (this.#joined ? this.#renew() : this.#join())
        if (silent > 0) log.info({}, 'PostgreSQL answers again')
        silent = 0
        this.#answers = true
      } catch (error) {
        if (++silent === 1) log.warn({ error: (error as Error).message }, 'the lease could not be renewed')
        this.#answers = false
        // A network that swallows packets closes no connection: other queries would wait for a quarter of an hour.
        if (isSilence(error)) store.breakConnections()
      }
    }
  }

  async #join(): Promise<void> {
    const { clock, store, node, facts } = this.#options
    const sent = clock.monotonic()
    this.#joined = false
    const renewal = await store.join(node, facts())
    this.#joined = true
    this.#take(renewal, sent)
  }

  async #renew(): Promise<void> {
    const { clock, store, node, facts, log } = this.#options
    const sent = clock.monotonic()
    const renewal = await store.renew(node, facts(), this.#stamp, this.#floor, PATIENCE_MS)
    if (this.#stopped || !this.#joined) return
    const rewound = renewal.before !== undefined && renewal.before < this.#stamp
    if (renewal.stamp === undefined || rewound) {
      this.#valid_until = Number.NEGATIVE_INFINITY
      this.#joined = false
      log.warn({ rewound }, 'the lease of this node was ended: dropping its memory and starting a new lease')
      this.#options.ended(rewound)
      return
    }
    this.#take(renewal, sent)
  }

  #take(renewal: Renewal, sent: number): void {
    const { clock } = this.#options
    this.#stamp = renewal.stamp!
    // A floor above all remaining stamps would hide every node.
    this.#floor = renewal.oldest[0]?.stamp ?? 0
    this.#valid_until = sent + LEASE_MS
    this.#leap = this.#distance()
    this.#options.renewed(renewal, sent, clock.monotonic())
  }
}

/** True for the driver's error about an answer that did not come in time. */
function isSilence(error: unknown): boolean {
  return /timeout|not answer|terminated/i.test(`${(error as Error).message}`)
}

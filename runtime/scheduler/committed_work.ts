/**
 * Slow work of committed turns (I11). It begins only under a lease and a held epoch, because a node that takes the
 * partition finds the work that has begun. Its result comes back to the actor as a message.
 */
import type { Activation } from '../actor/activation.ts'
import type { Message } from '../actor/actor.ts'
import type { Work } from '../actor/pending_turn.ts'
import type { SlowWork } from '../actor/slow_work.ts'
import type { Log } from '../log.ts'
import type { OrphanedResults } from './orphaned_results.ts'
import type { Residents } from './residents.ts'
import type { RunQueue } from './run_queue.ts'

export class CommittedWork {
  readonly #log: Log
  readonly #residents: Residents
  readonly #queue: RunQueue
  readonly #slow: SlowWork
  readonly #results: OrphanedResults
  readonly #isQuiet: () => boolean
  /** Work that has not begun because the lease is missing, or the cluster is quiet. */
  #waiting: { activation: Activation; generation: number; works: Work[] }[] = []

  constructor(
    log: Log,
    residents: Residents,
    queue: RunQueue,
    slow: SlowWork,
    results: OrphanedResults,
    isQuiet: () => boolean,
  ) {
    this.#log = log
    this.#residents = residents
    this.#queue = queue
    this.#slow = slow
    this.#results = results
    this.#isQuiet = isQuiet
  }

  /** Begins the work of a turn, or waits for the lease and the end of the quiet. */
  begin(activation: Activation, works: Work[]): void {
    if (works.length === 0) return
    const is_held = this.#residents.isHeld(activation)
    const is_quiet = this.#isQuiet()
    const waiting: Work[] = []
    for (const work of works) {
      if (is_held && !(is_quiet && work.outside)) this.#start(activation, work)
      else waiting.push(work)
    }
    if (waiting.length === 0) return
    activation.works++
    this.#waiting.push({ activation, generation: activation.generation, works: waiting })
  }

  /** The lease was renewed, so this node still holds its partitions. Called several times a second. */
  leaseRenewed(): void {
    for (const { activation, generation, works } of this.#waiting.splice(0)) {
      activation.works--
      if (activation.generation === generation) this.begin(activation, works)
    }
  }

  #start(activation: Activation, work: Work): void {
    const { address } = activation
    const { cause } = work
    const caused = (message: Message) => (cause && !message.cause ? { ...message, cause } : message)
    this.#slow.start(activation, work, () => this.#residents.isHeld(activation), {
      done: (message) =>
        this.#queue.put(activation, {
          message: caused(message),
          origin: 'self',
          attempts: 0,
          ...(work.unbroken && { is_result: true }),
        }),
      failed: (error) => {
        this.#log.error({ address, request_id: cause?.request_id, error }, 'slow work failed; the actor starts anew')
        activation.is_stale = true
        if (activation.phase === 'idle') this.#queue.schedule(activation)
      },
      orphaned: (message) => this.#results.tell(address, caused(message)),
    })
  }
}

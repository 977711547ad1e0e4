/**
 * Giving partitions away in order: no new asks, then the last turns. `quiet` does so for some partitions, `drain` for
 * good, when the node stops.
 */
import type { Activation } from '../actor/activation.ts'
import type { SlowWork } from '../actor/slow_work.ts'
import type { WaitingAsks } from '../actor/waiting_asks.ts'
import { type Clock, sleep } from '../time/clock.ts'
import type { OrphanedResults } from './orphaned_results.ts'
import type { Residents } from './residents.ts'
import type { RunQueue } from './run_queue.ts'
import type { WriteBehind } from './write_behind.ts'

/** Maximum wait for turns that are under way when their partition is given away. */
const LAST_TURNS_MS = 5000
const LOOK_MS = 5

type Parts = {
  residents: Residents
  queue: RunQueue
  asks: WaitingAsks
  slow: SlowWork
  results: OrphanedResults
  write_behind: WriteBehind
}

export class Handover {
  readonly #clock: Clock
  readonly #parts: Parts
  /** Partitions that are being given away. */
  readonly #closing = new Set<number>()
  #is_draining = false

  constructor(clock: Clock, parts: Parts) {
    this.#clock = clock
    this.#parts = parts
  }

  /** True once the node is stopping. */
  get is_draining(): boolean {
    return this.#is_draining
  }

  /** True while the partition takes no new asks. */
  isClosing(partition: number): boolean {
    return this.#is_draining || this.#closing.has(partition)
  }

  /**
   * Accepts no new asks for these partitions; resolves when none of their turns is under way, or after `ms`. Actors that
   * wait for locked rows are not waited for: nothing of their turns is done, so the next owner can do all of it.
   */
  async quiet(partitions: Set<number>, ms: number): Promise<void> {
    const { residents, slow } = this.#parts
    for (const partition of partitions) this.#closing.add(partition)
    const activations = [...partitions].flatMap((partition) => residents.of(partition))
    const goesOn = (activation: Activation) => !activation.is_suspect && hasTurns(activation)
    await this.#settle(activations, ms, (activation) => goesOn(activation) || slow.isBreakable(activation))
    // The next owner finds durable messages in the tables. Asks and write-behind messages exist only here, so they get
    // a longer wait.
    for (const activation of activations) this.#leaveDurable(activation)
    await this.#settle(activations, LAST_TURNS_MS, goesOn)
    for (const partition of partitions) this.#closing.delete(partition)
  }

  #leaveDurable(activation: Activation): void {
    const { asks, results } = this.#parts
    const left = activation.takeDurable()
    asks.dismiss(left)
    results.passOn(activation.address, left)
  }

  /** Accepts no new asks; resolves when no turn is under way and all mailboxes are empty, or after `ms`. */
  async drain(ms: number): Promise<void> {
    this.#is_draining = true
    await this.#settle(this.#parts.residents.all(), ms, hasTurns)
  }

  /** Runs the write-behind messages now; waits while `is_busy` returns true for one of the actors. */
  async #settle(
    activations: Iterable<Activation>,
    ms: number,
    is_busy: (activation: Activation) => boolean,
  ): Promise<void> {
    const until = this.#clock.monotonic() + ms
    const all = [...activations]
    for (const activation of all) {
      this.#parts.write_behind.flush(activation)
      if (activation.phase === 'idle') this.#parts.queue.schedule(activation)
    }
    while (this.#clock.monotonic() < until) {
      if (!all.some(is_busy)) break
      await sleep(this.#clock, LOOK_MS)
    }
  }
}

function hasTurns({ phase, waiting }: Activation): boolean {
  return phase !== 'idle' || waiting > 0
}

/**
 * A turn that stands, because it was committed or had nothing to commit, is settled: timers are armed, callers get their
 * replies, watchers hear, slow work begins, and the actor's next turn may come.
 */
import type { Message } from '../actor/actor.ts'
import { isDurable } from '../actor/entry.ts'
import type { PendingTurn, TimerChange } from '../actor/pending_turn.ts'
import type { WaitingAsks } from '../actor/waiting_asks.ts'
import type { CommittedWork } from './committed_work.ts'
import type { SchedulerOptions } from './options.ts'
import type { Residents } from './residents.ts'
import type { RunQueue } from './run_queue.ts'

type SettlementOptions = Pick<SchedulerOptions, 'log' | 'timers' | 'publish' | 'gatherNotices' | 'surroundings'>

export class Settlement {
  readonly #options: SettlementOptions
  readonly #residents: Residents
  readonly #queue: RunQueue
  readonly #asks: WaitingAsks
  readonly #work: CommittedWork

  constructor(
    options: SettlementOptions,
    residents: Residents,
    queue: RunQueue,
    asks: WaitingAsks,
    work: CommittedWork,
  ) {
    this.#options = options
    this.#residents = residents
    this.#queue = queue
    this.#asks = asks
    this.#work = work
  }

  /** Settles a turn that was committed. */
  settleCommitted(pending_turn: PendingTurn): void {
    const { activation } = pending_turn
    // A later owner of the partition has read the timers itself.
    if (activation && this.#residents.isOwned(activation)) {
      for (const change of pending_turn.timers) {
        // A firing of the former setting that still waits in the mailbox is void.
        activation.dropTimer(change.name)
        this.#arm(change)
      }
    }
    this.settle(pending_turn)
  }

  #arm({ address, partition, name, due, json }: TimerChange): void {
    const { timers } = this.#options
    if (due === null || json === null) timers.clear(address, name)
    else timers.changed({ address, partition, name, due, message: JSON.parse(json) as Message })
  }

  /** Settles a turn whose timers are as they were. */
  settle(pending_turn: PendingTurn): void {
    const { activation } = pending_turn
    this.#answer(pending_turn)
    if (pending_turn.lives.length > 0) this.#options.publish(pending_turn.lives)
    if (pending_turn.notices.length > 0) this.#options.gatherNotices(pending_turn.notices)
    pending_turn.reportUnwatched()
    pending_turn.endSpans()
    for (const effect of pending_turn.effects) {
      try {
        effect()
      } catch (error) {
        this.#options.log.error({ address: activation?.address, error }, 'an effect after a commit failed')
      }
    }
    if (!activation) return
    activation.blocked = 0
    if (pending_turn.entries.some(isDurable)) activation.holds = 0
    // The commit stands, but the partition is another node's by now: drop this memory and begin nothing.
    if (!this.#residents.isOwned(activation)) {
      this.#residents.forget(activation)
      return
    }
    // Only the owner announces it, because only an owner can take it back.
    const { address, partition } = activation
    if (pending_turn.is_full !== undefined) this.#options.surroundings.setFull(address, partition, pending_turn.is_full)
    this.#work.begin(activation, pending_turn.works)
    activation.enter('idle')
    this.#queue.schedule(activation)
  }

  #answer(pending_turn: PendingTurn): void {
    const { activation, entries, replies } = pending_turn
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!
      if (entry.timer && !pending_turn.changesTimer(entry.timer.name)) {
        this.#options.timers.clear(activation!.address, entry.timer.name, entry.timer.due)
      }
      if (entry.origin === 'ask') this.#asks.answer(entry, replies[i])
      entry.release?.()
    }
  }
}

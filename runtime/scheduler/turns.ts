/**
 * The turns of actors: a batch of the mailbox is read for, decided synchronously, and given to the lane.
 *
 *  I13 An ask whose deadline passed before its turn is not applied.
 */
import type { Activation } from '../actor/activation.ts'
import type { Message } from '../actor/actor.ts'
import { type Entry, isVoid } from '../actor/entry.ts'
import { PendingTurn } from '../actor/pending_turn.ts'
import type { WaitingAsks } from '../actor/waiting_asks.ts'
import { isHeld } from '../failure.ts'
import { Refusal } from '../refusal.ts'
import type { EarlyDelivery } from './early_delivery.ts'
import type { Faults } from './faults.ts'
import type { Hindrances } from './hindrances.ts'
import type { SchedulerOptions } from './options.ts'
import type { Residents } from './residents.ts'
import type { Settlement } from './settlement.ts'
import type { WriteBehind } from './write_behind.ts'

type TurnsOptions = Pick<SchedulerOptions, 'database' | 'clock' | 'log' | 'partitions' | 'push' | 'surroundings'>

type Parts = {
  residents: Residents
  asks: WaitingAsks
  write_behind: WriteBehind
  early: EarlyDelivery
  settlement: Settlement
  faults: Faults
  hindrances: Hindrances
}

const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'Error')

class UnknownType extends Error {}

export class Turns {
  readonly #options: TurnsOptions
  readonly #parts: Parts
  readonly stats = { turns: 0, messages: 0 }

  constructor(options: TurnsOptions, parts: Parts) {
    this.#options = options
    this.#parts = parts
  }

  /** Runs the next turn of an actor that is loaded. */
  run(activation: Activation): void {
    const batch = activation.take()
    // Nothing may be left to read for when the turns of early messages have failed.
    if (activation.kind.read && !batch.every(isVoid)) void this.#read(activation, batch)
    else this.#decide(activation, batch, undefined)
  }

  async #read(activation: Activation, batch: Entry[]): Promise<void> {
    const { database, clock, log } = this.#options
    const live = batch.filter((entry) => !entry.expired && !isVoid(entry))
    activation.reading = live
    const { generation } = activation
    let records: unknown
    try {
      records = await activation.kind.read!(live.map((entry) => entry.message) as never, {
        key: activation.key,
        state: activation.state,
        database,
        now: new Date(clock.now()),
      })
    } catch (error) {
      log.warn({ address: activation.address, error: (error as Error).message }, 'reading for a turn failed')
      if (generation !== activation.generation) return
      activation.reading = undefined
      if (isHeld(error)) this.#parts.hindrances.hold(activation, error as Error, live, live)
      else this.#parts.faults.failedRead(activation, live, error as Error)
      return
    }
    if (generation !== activation.generation) return
    activation.reading = undefined
    this.#decide(activation, live, records)
  }

  #decide(activation: Activation, batch: Entry[], records: unknown): void {
    const { clock, partitions, push, surroundings } = this.#options
    const { residents, asks, write_behind, early, settlement, faults, hindrances } = this.#parts
    const now = clock.now()
    const soon = (ms: number, message: Message) => write_behind.soon(activation, ms, message)
    const pending_turn = new PendingTurn(activation, new Date(now), records, partitions, batch, soon, surroundings)
    activation.enter('ready')
    for (const [at, entry] of batch.entries()) {
      if (asks.isOver(entry) || isVoid(entry)) continue
      if (entry.timer && pending_turn.changesTimer(entry.timer.name)) continue
      const receive = activation.kind.receive[entry.message.type]
      const { changes } = pending_turn
      pending_turn.begin(entry)
      try {
        if (!receive)
          throw new UnknownType(`${activation.kind.kind || 'nobody'} here does not receive ${entry.message.type}`)
        pending_turn.settle(entry, receive(pending_turn as never, entry.message as never))
      } catch (error) {
        if (error instanceof Refusal && pending_turn.changes === changes) {
          pending_turn.settle(entry, error)
          if (entry.origin === 'tell' || entry.origin === 'timer') faults.bury(pending_turn, entry, error)
          continue
        }
        if (error instanceof UnknownType) hindrances.holdUnknown(pending_turn, entry, error)
        else {
          pending_turn.endSpans(nameOf(error))
          faults.fault(activation, entry, error as Error, batch)
        }
        return
      }
      activation.cut(batch, at + 1, pending_turn.changes)
    }
    activation.warm(batch.length, clock.monotonic())
    pending_turn.begin()
    try {
      if (pending_turn.writes.length > 0) activation.kind.decided?.(pending_turn as never, pending_turn.writes)
    } catch (error) {
      faults.fault(activation, batch.length === 1 ? batch[0] : undefined, error as Error, batch)
      return
    }
    this.stats.turns++
    this.stats.messages += pending_turn.entries.length
    pending_turn.decided()
    if (pending_turn.empty && residents.isHeld(activation)) {
      settlement.settle(pending_turn)
      return
    }
    activation.enter('committing')
    early.deliver(pending_turn)
    push(pending_turn)
  }
}

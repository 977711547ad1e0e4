/**
 * Gives the messages of a decided turn to receivers on this node before the turn is committed (`actor/early_message.ts`).
 *
 *  I18 A message goes early only when nothing that was sent before it can come after it: its receiver's partition is held
 *      here under a lease and not closing, the inbox follows this lane, the receiver handles its mailbox in order, and no
 *      message of the same turn to the same receiver goes the usual way before it.
 *  I19 At most `MAX_DEPTH` turns depend on each other, and early messages take places in the inbox like all others.
 *
 * A kind names the types that it receives early: their receivers do not need what the sender's turn writes, because that
 * is not committed yet.
 */
import { EarlyMessage } from '../actor/early_message.ts'
import type { PendingTurn, Send } from '../actor/pending_turn.ts'
import type { Handover } from './handover.ts'
import type { SchedulerOptions } from './options.ts'
import type { Residents } from './residents.ts'
import type { RunQueue } from './run_queue.ts'

type EarlyDeliveryOptions = Pick<SchedulerOptions, 'inbox' | 'leased' | 'knownSource'>

const MAX_DEPTH = 8

export class EarlyDelivery {
  readonly #options: EarlyDeliveryOptions
  readonly #residents: Residents
  readonly #queue: RunQueue
  readonly #handover: Handover
  readonly stats = { early: 0 }

  constructor(options: EarlyDeliveryOptions, residents: Residents, queue: RunQueue, handover: Handover) {
    this.#options = options
    this.#residents = residents
    this.#queue = queue
    this.#handover = handover
  }

  /** Call right before the turn is pushed to the lane: its receivers' turns have to come behind it. */
  deliver(turn: PendingTurn): void {
    const { sends, activation, batch, depth } = turn
    if (sends.length === 0 || depth >= MAX_DEPTH) return
    const source = this.#options.knownSource()
    if (source === undefined || !this.#options.leased()) return
    // A suspect may wait long, and a turn that may fail again would undo its receivers again.
    if (activation?.is_suspect || activation?.is_solo || batch.some(({ attempts }) => attempts > 0)) return
    const passed = new Set<string>()
    for (const send of sends) {
      if (!passed.has(send.address) && !this.#give(turn, send, source)) passed.add(send.address)
    }
  }

  #give(turn: PendingTurn, send: Send, source: number): boolean {
    const { address, partition, sender, type, json } = send
    if (!this.#residents.kind(address).early?.[type] || address === turn.activation?.address) return false
    const inbox = this.#options.inbox(partition)
    if (!inbox?.takesEarly(address, source) || this.#handover.isClosing(partition)) return false
    const receiver = this.#residents.at(address, partition)
    if (receiver.is_suspect || receiver.catch_up) return false
    const message = JSON.parse(json)
    const { length: size } = json
    const early = new EarlyMessage(turn, inbox, message, size)
    send.early = early
    this.stats.early++
    this.#queue.put(receiver, {
      message,
      sender,
      size,
      origin: 'tell',
      attempts: 0,
      early,
      release: () => early.release(),
    })
    return true
  }
}

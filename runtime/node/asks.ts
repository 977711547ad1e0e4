/**
 * Asks and tells whose callers wait on this node. The owner of the address answers, here or on another node. While
 * ownership changes, the call looks for the owner until its deadline.
 */

import type { Message } from '../actor/actor.ts'
import type { Entry } from '../actor/entry.ts'
import { PendingTurn } from '../actor/pending_turn.ts'
import { checkAddress, partitionOf } from '../address.ts'
import type { Lane } from '../commit/lane.ts'
import { type AskClient, type Asked, OWNER_LOST, readAnswer } from '../messages/ask_client.ts'
import { Moved, Unavailable } from '../refusal.ts'
import type { Scheduler } from '../scheduler/scheduler.ts'
import { type Clock, sleep } from '../time/clock.ts'
import type { Span, Tracer } from '../tracing/tracer.ts'

const MOVED_RETRY_MS = 25
/** Longer than the other pauses, because many calls may wait while the broker is away. */
const AWAY_RETRY_MS = 200

type AsksOptions = {
  node: string
  partitions: number
  clock: Clock
  line: AskClient
  scheduler: Scheduler
  lane: Lane
  /** This node holds the partition. */
  isHere(partition: number): boolean
  /** Other nodes can be asked. */
  isReachable(): boolean
  /** No answer can arrive any more. */
  isOver(): boolean
  tracer: Tracer | undefined
}

export class Asks {
  readonly #options: AsksOptions
  #last = 0
  #waiting = 0

  constructor(options: AsksOptions) {
    this.#options = options
  }

  /** Asks that are not answered yet. */
  get waiting(): number {
    return this.#waiting
  }

  /** Resolves to the reply; rejects with `Refusal` or `Unavailable`. `deadline` is a time of the monotonic clock. */
  async ask(address: string, message: Message, deadline: number, repeatable = false): Promise<unknown> {
    const id = `${this.#options.node}.${++this.#last}`
    const span = this.#spanOf(address, message)
    const question = { id, address, message: span ? { ...message, cause: span.cause } : message, repeatable }
    this.#waiting++
    try {
      const reply = await this.#ask({ ...question, unanswered: false }, deadline)
      span?.end()
      return reply
    } catch (error) {
      span?.end({ error: (error as Error).name })
      throw error
    } finally {
      this.#waiting--
    }
  }

  #spanOf(address: string, { type, cause }: Message): Span | undefined {
    if (cause?.traceparent === undefined) return undefined
    return this.#options.tracer?.inside(cause, {
      name: `ask ${address.slice(0, address.indexOf('/'))} ${type}`,
      kind: 'internal',
      attributes: { 'parley.actor': address },
    })
  }

  async #ask(question: Asked, deadline: number): Promise<unknown> {
    const { partitions, clock, line, isHere, isReachable, isOver } = this.#options
    const { address, message } = question
    const partition = partitionOf(address, partitions)
    for (;;) {
      if (isOver()) throw new Unavailable('This node is shutting down.')
      if (question.late) return readAnswer(question.late)
      try {
        if (isHere(partition)) {
          // The former owner may have executed it.
          if (!line.mayDo(partition, question)) throw new Unavailable(OWNER_LOST)
          return await this.#askHere(address, partition, message, deadline)
        }
        // A question buffered for a broker that is away would be executed long after its caller has gone.
        if (!isReachable()) throw new Moved()
        return await line.ask(partition, question, deadline)
      } catch (error) {
        if (!(error instanceof Moved)) throw error
        if (clock.monotonic() + MOVED_RETRY_MS >= deadline) throw new Unavailable('Nobody answers for this right now.')
        await sleep(clock, isReachable() ? MOVED_RETRY_MS : AWAY_RETRY_MS)
      }
    }
  }

  /** Answers a question of another node, which allows `ms` milliseconds. Rejects with `Moved` when the address is not here. */
  async answer(address: string, message: Message, ms: number): Promise<unknown> {
    checkAddress(address)
    const { partitions, clock, isHere } = this.#options
    const partition = partitionOf(address, partitions)
    if (!isHere(partition)) throw new Moved()
    return this.#askHere(address, partition, message, clock.monotonic() + ms)
  }

  #askHere(address: string, partition: number, message: Message, deadline: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const entry: Entry = { message, origin: 'ask', deadline, resolve, reject, attempts: 0 }
      this.#options.scheduler.deliver(address, partition, entry)
    })
  }

  /** Durable once resolved, applied exactly once, whichever node holds the actor. */
  tell(address: string, message: Message, deadline: number): Promise<void> {
    const { partitions, clock, scheduler, lane } = this.#options
    return new Promise((resolve, reject) => {
      const pending_turn = new PendingTurn(null, new Date(clock.now()), undefined, partitions)
      pending_turn.tell(address, message)
      const entry: Entry = { message, origin: 'ask', attempts: 0, deadline, resolve: () => resolve(), reject }
      pending_turn.entries.push(entry)
      pending_turn.replies.push(undefined)
      scheduler.expect(entry)
      lane.push(pending_turn)
    })
  }
}

/**
 * A decided turn that waits for its commit: its state, sends, timers and replies. The actor writes to it as its `Turn`;
 * the lane puts many of them into one transaction. A pending turn is the unit of failure: when a transaction fails, its
 * turns are tried one by one. One file: it is one class, and most of its methods are the few lines of one part of `Turn`.
 */
import type { EntityRef, Write } from '../../storage/mod.ts'
import { checkAddress, partitionOf } from '../address.ts'
import type { OutgoingEvent, PublishedEvent } from '../live/event_batch.ts'
import type { OutgoingNotice } from '../live/gathered_notices.ts'
import { type Cause, jsonWith } from '../tracing/cause.ts'
import type { Tracer } from '../tracing/tracer.ts'
import type { Activation } from './activation.ts'
import type { Message, Turn } from './actor.ts'
import type { EarlyMessage } from './early_message.ts'
import type { Entry } from './entry.ts'
import { TurnSpans } from './turn_spans.ts'

/** An outgoing message; `json` is serialised once and used for the outbox and for the transport. */
export type Send = {
  partition: number
  address: string
  sender: string | null
  /** The type of the message. */
  type: string
  json: string
  /** Set when the receiver has been given the message already. */
  early?: EarlyMessage
}
/** A committed message with its number in its lane and partition. */
export type Sent = Omit<Send, 'type'> & {
  number: number
  /** On the first message of a source: the lane's former source and its next number for the partition. */
  former?: { source: number; next: number }
}
export type TimerChange = { address: string; partition: number; name: string; due: number | null; json: string | null }
export type Work = {
  run: (signal: AbortSignal) => Promise<Message>
  unbroken: boolean
  outside: boolean
  cause: Cause | undefined
}
export type DeadLetter = { partition: number; address: string; sender: string | null; json: string; error: string }

/** Facts outside the actor that a turn may ask for. */
export type Surroundings = {
  isWatched(channel: string): boolean
  dropLive(channel: string): void
  /** Watchers of the channel read again. `error`: the cause, where it is a fault. */
  missLive(channel: string, error?: unknown): void
  isQuiet(): boolean
  isFull(address: string): boolean
  setFull(address: string, partition: number, is_full: boolean): void
  tracer: Tracer | undefined
}

const NONE: Surroundings = {
  isWatched: () => false,
  dropLive: () => {},
  missLive: () => {},
  isQuiet: () => false,
  isFull: () => false,
  setFull: () => {},
  tracer: undefined,
}

/** Maximum items in one gathered message, because one turn handles all of them. */
const GATHERED = 100

/** Characters of a live event from which on its brief form is published. */
const MAX_EVENT = 64 * 1024

/** Prefix of the rows that keep an actor awake. Cancelling this very name deletes all of them. */
export const AWAKE = '#awake'

export class PendingTurn implements Turn<unknown, unknown> {
  readonly activation: Activation | null
  readonly now: Date
  readonly records: unknown
  /** The messages this turn was given; they go back to the mailbox when it is undone. */
  readonly batch: Entry[]
  /** The messages of the batch that this turn settles. */
  readonly entries: Entry[] = []
  readonly replies: unknown[] = []
  readonly writes: Write[] = []
  readonly sends: Send[] = []
  readonly timers: TimerChange[] = []
  readonly works: Work[] = []
  readonly effects: (() => void)[] = []
  readonly dead: DeadLetter[] = []
  readonly lives: OutgoingEvent[] = []
  readonly notices: OutgoingNotice[] = []
  /** Channels without a watcher when this turn was decided, which may have one when it is committed. */
  #unwatched: Set<string> | undefined
  /** The early messages among the entries. */
  readonly early: EarlyMessage[] = []
  /** Number of turns, one depending on the next, on which this one depends. */
  depth = 0
  /** The lane's attempt at a transaction that this turn took part in last. */
  attempt = 0
  saved = false
  /** True announces that the actor has too long a backlog, and false that it has not; undefined announces nothing. */
  is_full: boolean | undefined = undefined
  /** Changes recorded so far; a refusal must not follow one made for the same message. */
  changes = 0
  #cause: Cause | undefined
  /** The type of the message that is being received. */
  #receiving = ''
  #spans: TurnSpans | undefined
  #awake: string | null | undefined
  /** Open gathered messages by receiver; one closes when another message to that receiver follows. */
  readonly #gathered = new Map<string, { type: string; send: Send; open: string; count: number }>()
  readonly #partitions: number
  readonly #soon: (ms: number, message: Message) => void
  readonly #surroundings: Surroundings

  constructor(
    activation: Activation | null,
    now: Date,
    records: unknown,
    partitions: number,
    batch: Entry[] = [],
    soon: (ms: number, message: Message) => void = () => {},
    surroundings: Surroundings = NONE,
  ) {
    this.activation = activation
    this.now = now
    this.records = records
    this.#partitions = partitions
    this.batch = batch
    this.#soon = soon
    this.#surroundings = surroundings
  }

  get address(): string {
    return this.activation!.address
  }

  get key(): string {
    return this.activation!.key
  }

  get state(): unknown {
    return this.activation!.state
  }

  set state(state: unknown) {
    this.activation!.state = state
  }

  /** A message is about to be received. Without one the turn goes on for all of its messages. */
  begin(entry?: Entry): void {
    this.#receiving = entry ? entry.message.type : ''
    this.cause = entry?.message.cause
  }

  get cause(): Cause | undefined {
    return this.#cause
  }

  set cause(cause: Cause | undefined) {
    this.#cause = cause
    const { tracer } = this.#surroundings
    if (cause?.traceparent === undefined || tracer === undefined) return
    this.#spans ??= new TurnSpans(tracer)
    this.#cause = this.#spans.below(cause, this.address, this.#receiving)
  }

  /** The turn is decided: it waits for its commit from now on. */
  decided(): void {
    this.#spans?.decided()
  }

  /** The turn stands, or has failed. */
  endSpans(error?: string): void {
    this.#spans?.end(error)
  }

  /** Notes that this turn settles the message, with the reply to it. */
  settle(entry: Entry, reply: unknown): void {
    this.entries.push(entry)
    this.replies.push(reply)
    const { early } = entry
    if (!early) return
    this.early.push(early)
    early.receiver_turn = this
    if (early.is_open) this.depth = Math.max(this.depth, early.sender_turn.depth + 1)
  }

  /** This turn has failed, so the messages that its receivers were given early were never sent. */
  cancelSends(): void {
    for (const { early } of this.sends) early?.cancel()
  }

  #write(entity: EntityRef, kind: Write['kind'], key: object, values: object): void {
    this.changes++
    this.writes.push({ entity, kind, key: key as Write['key'], values: values as Write['values'] })
  }

  insert(entity: EntityRef, row: object): void {
    this.#write(entity, 'insert', row, row)
  }

  update(entity: EntityRef, key: object, patch: object): void {
    this.#write(entity, 'update', key, patch)
  }

  upsert(entity: EntityRef, row: object): void {
    this.#write(entity, 'upsert', row, row)
  }

  remove(entity: EntityRef, key: object): void {
    this.#write(entity, 'remove', key, {})
  }

  tell(address: string, message: Message): void {
    this.#gathered.delete(address)
    this.#send(address, message.type, jsonWith(message, this.#causeOfSend(address, message.type)))
  }

  forward(address: string, message: Message, sender: string | null): void {
    this.#gathered.delete(address)
    this.#send(address, message.type, jsonWith(message, this.#causeOfSend(address, message.type))).sender = sender
  }

  gather(address: string, type: string, item: object): void {
    const json = jsonWith(item, this.#causeOfSend(address, type))
    const known = this.#gathered.get(address)
    if (known?.type === type && known.count < GATHERED) {
      this.changes++
      known.count++
      // Append only: removing the end would copy the whole text for each item.
      known.open += `,${json}`
      known.send.json = `${known.open}]}`
      return
    }
    const open = `{"type":"${type}","items":[${json}`
    const send = this.#send(address, type, `${open}]}`)
    this.#gathered.set(address, { type, send, open, count: 1 })
  }

  #causeOfSend(address: string, type: string): Cause | undefined {
    const cause = this.#cause
    return cause && this.#spans ? this.#spans.send(cause, address, type) : cause
  }

  #send(address: string, type: string, json: string): Send {
    checkAddress(address)
    this.changes++
    const partition = partitionOf(address, this.#partitions)
    const send = { partition, address, sender: this.activation?.address ?? null, type, json }
    this.sends.push(send)
    return send
  }

  timer(name: string, due_at: Date, message: Message): void {
    this.#timer(name, due_at.getTime(), JSON.stringify(message))
  }

  cancel(name: string): void {
    this.#timer(name, null, null)
  }

  #timer(name: string, due: number | null, json: string | null): void {
    const activation = this.activation!
    this.changes++
    this.timers.push({ address: activation.address, partition: activation.partition, name, due, json })
  }

  work(run: Work['run'], options: Partial<Work> = {}): void {
    const { unbroken = false, outside = false } = options
    const cause = 'cause' in options ? options.cause : this.#cause
    this.changes++
    this.works.push({ run, unbroken, outside, cause })
  }

  awake(yes: boolean): void {
    const activation = this.activation!
    const known = this.#awake === undefined ? activation.awake : this.#awake
    if (known !== undefined && (known !== null) === yes) return
    if (known !== null) this.#timer(known ?? AWAKE, null, null)
    // A new name each time: a busy actor wakes and rests all day, and a row with the same key would queue behind all
    // its dead versions.
    const name = yes ? `${AWAKE}:${this.now.getTime().toString(36)}` : null
    if (name !== null) this.#timer(name, null, '{"type":"wake"}')
    this.#awake = name
    this.effects.push(() => {
      activation.awake = name
    })
  }

  save(): void {
    this.changes++
    this.saved = true
  }

  after(effect: () => void): void {
    this.effects.push(effect)
  }

  soon(ms: number, message: Message): void {
    this.#soon(ms, message)
  }

  isWatched(channel: string): boolean {
    if (this.#surroundings.isWatched(channel)) return true
    this.#unwatched ??= new Set()
    this.#unwatched.add(channel)
    return false
  }

  live(channel: string, event: () => PublishedEvent): void {
    if (!this.isWatched(channel)) return
    try {
      const { brief, ...whole } = event()
      let json = JSON.stringify(whole)
      if (brief && json.length > MAX_EVENT) json = JSON.stringify({ ...whole, data: brief() })
      this.lives.push({ channel, json, is_private: whole.user_id !== undefined })
    } catch (error) {
      this.missLive(channel, error)
    }
  }

  missLive(channel: string, error?: unknown): void {
    this.effects.push(() => this.#surroundings.missLive(channel, error))
  }

  notice(channel: string, notice: Omit<OutgoingNotice, 'channel'>): void {
    if (this.isWatched(channel)) this.notices.push({ channel, ...notice })
  }

  /** Called when this turn is committed: somebody may have begun to watch, and have read before. */
  reportUnwatched(): void {
    for (const channel of this.#unwatched ?? []) {
      if (this.#surroundings.isWatched(channel)) this.#surroundings.missLive(channel)
    }
  }

  dropLive(channel: string): void {
    this.effects.push(() => this.#surroundings.dropLive(channel))
  }

  full(yes: boolean): void {
    this.is_full = yes
  }

  get is_quiet(): boolean {
    return this.#surroundings.isQuiet()
  }

  isFull(address: string): boolean {
    return this.#surroundings.isFull(address)
  }

  /** True when this turn has set or cancelled the timer: a firing of its former setting is then void. */
  changesTimer(name: string): boolean {
    return this.timers.some((change) => change.name === name)
  }

  /** True when committing this pending turn would write nothing. */
  get empty(): boolean {
    if (this.changes > 0 || this.dead.length > 0) return false
    return this.entries.every((entry) => entry.origin === 'ask' || entry.origin === 'self')
  }
}

/**
 * How an actor kind is written down. One kind, one file, three questions:
 * how its state is loaded, what it reads before a turn, and how it receives each message.
 *
 * A receiver is synchronous and decides: it may change `turn.state`, record writes, sends, timers and slow work, and
 * return a reply. It checks before it changes: a `Refusal` after a recorded change is a fault.
 */
import type { Database, WriteSet } from '../storage/mod.ts'
import type { Address } from './address.ts'
import { checkAddress } from './address.ts'
import type { LiveEvent } from './live/feed.ts'

/** A message is a plain JSON object; `type` names the receiver. */
export type Message = { type: string }

/** A protocol names, for each message type, what comes in and what goes back. */
export type Protocol = Record<string, { message: object; reply: unknown }>
export type MessageOf<P extends Protocol> = { [T in keyof P & string]: { type: T } & P[T]['message'] }[keyof P & string]
export type ReplyOf<P extends Protocol, T extends keyof P> = P[T]['reply']

export interface Turn<State = unknown, Records = unknown> extends WriteSet {
  readonly address: string
  readonly key: string
  readonly now: Date
  /** Assign to replace it as a whole. */
  state: State
  /** What `read` brought for this turn. */
  readonly records: Records
  /** Durable and in order per receiver: committed with this turn, applied exactly once. */
  tell<M extends Message>(address: string, message: M): void
  /** As `tell`, in the name of another actor: for a message that was kept and goes on. */
  forward(address: string, message: Message, sender: string | null): void
  /**
   * As `tell`, of `{ type, items }`: what a turn gathers for one receiver goes in one message, as far as no other message to
   * it comes between. For what there is much of.
   */
  gather(address: string, type: string, item: object): void
  /** Sets (or moves) the durable timer `name`; `message` comes back to this actor at or after `due_at`. */
  timer(name: string, due_at: Date, message: Message): void
  cancel(name: string): void
  /**
   * Slow work beside the turn: started after the commit, its result comes back as a message to self. It is lost when
   * the node dies, so pair it with `awake(true)` and take it up again on `wake`.
   *
   * Work whose state is thrown away meanwhile (a fault, another owner) is aborted. `unbroken` is for calls whose effect
   * outside must not be in doubt more often than need be: they run to their end, and their result is told to the actor
   * wherever it is then. It may come to a state that has not started it. All work asks `mayBegin(signal)` right before its
   * first byte leaves.
   */
  work(run: (signal: AbortSignal) => Promise<Message>, options?: { unbroken?: boolean }): void
  /** While true, a new owner of this partition sends this actor `{ type: 'wake' }`. */
  awake(yes: boolean): void
  /** Writes `state` to the generic `actor_state` table (for kinds without tables of their own). */
  save(): void
  /** Runs right after the commit, on this node only; must not throw. */
  after(effect: () => void): void
  /** Brings `message` to self within about `ms`, not durably; several calls of one type become one. For write-behind. */
  soon(ms: number, message: Message): void
  /**
   * Says `event` to whoever watches the channel (letters, digits, `-`, `_`), after the commit, at most once. Not called when
   * nobody watches. Only for what watchers can read again where it is stored.
   */
  live(channel: string, event: () => LiveEvent): void
  /** Whether somebody may watch the channel. */
  isWatched(channel: string): boolean
  /** After the commit: this actor has so much waiting that senders should refuse more (or it has room again). */
  full(yes: boolean): void
  /**
   * Whether the actor at `address`, or its partition, has too much waiting. For a sender to ask before it promises anything:
   * nothing keeps it from telling all the same.
   */
  isFull(address: string): boolean
}

/** The view a `peek` receiver gets: no writes, no commit; changes to state live in memory only. */
export interface Glance<State = unknown> {
  readonly key: string
  readonly now: Date
  readonly state: State
  /** As on a turn. */
  soon(ms: number, message: Message): void
}

// biome-ignore lint/suspicious/noExplicitAny: a registry holds kinds of every protocol
export interface ActorKind<P extends Protocol = any, State = any, Records = any> {
  readonly kind: string
  /** Loads many actors at once. A key missing from the map gets `create(key)`. Default: the `actor_state` table. */
  load?(keys: string[], database: Database): Promise<Map<string, State>>
  create(key: string): State
  /** Batched reads for all messages of a turn, before it. */
  read?(
    messages: MessageOf<P>[],
    context: { key: string; state: State; database: Database; now: Date },
  ): Promise<Records>
  readonly receive: {
    [T in keyof P & string]: (turn: Turn<State, Records>, message: { type: T } & P[T]['message']) => P[T]['reply']
  }
  /** Synchronous answers without a commit; `undefined` sends the message through a turn instead. */
  readonly peek?: {
    [T in keyof P & string]?: (
      glance: Glance<State>,
      message: { type: T } & P[T]['message'],
    ) => P[T]['reply'] | undefined
  }
  /** Most messages waiting; beyond it an ask is answered `Unavailable`. Default 10 000. */
  readonly mailbox_limit?: number
  /** Most messages in one turn. Default 512. */
  readonly turn_limit?: number
  address(key: string): Address<P>
}

/** Defines an actor kind. `kind` is the first part of its addresses. */
export function defineActor<P extends Protocol, State, Records = undefined>(
  definition: Omit<ActorKind<P, State, Records>, 'address'>,
): ActorKind<P, State, Records> {
  return {
    ...definition,
    address(key: string) {
      const address = `${definition.kind}/${key}`
      checkAddress(address)
      return address as Address<P>
    },
  }
}

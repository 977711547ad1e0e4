/**
 * Defines actor kinds. Each kind is one file and answers three questions: how its state is loaded, what it reads before
 * a turn, and how it receives each message.
 *
 * A receiver is synchronous and decides: it may change `turn.state`, record writes, sends, timers and slow work, and
 * return a reply. It checks before it changes: a `Refusal` after a recorded change is a fault.
 */
import type { Database, Write, WriteSet } from '../../storage/mod.ts'
import type { Address } from '../address.ts'
import { checkAddress } from '../address.ts'
import type { PublishedEvent } from '../live/event_batch.ts'
import type { Notice } from '../live/gathered_notices.ts'
import type { Cause } from '../tracing/cause.ts'

/** A message is a plain JSON object; `type` names the receiver. The engine adds the `cause` to what a turn sends. */
export type Message = { type: string; cause?: Cause | undefined }

/** A protocol maps each message type to the fields of the message and of its reply. */
export type Protocol = Record<string, { message: object; reply: unknown }>
export type MessageOf<P extends Protocol> = {
  [T in keyof P & string]: { type: T; cause?: Cause | undefined } & P[T]['message']
}[keyof P & string]
export type ReplyOf<P extends Protocol, T extends keyof P> = P[T]['reply']

/** The protocol of each kind of actor, by the kind. Whoever defines a kind adds it here (`actors/protocols.ts`). */
// biome-ignore lint/suspicious/noEmptyInterface: filled in by declaration merging
export interface Protocols {}

/**
 * The messages that the actor at this address receives. An address of which only its being a text is known, such as one
 * that was kept for an answer, takes any.
 */
export type MessageTo<To extends string> = To extends `${infer Kind}/${string}`
  ? Kind extends keyof Protocols
    ? Protocols[Kind] extends infer P extends Protocol
      ? MessageOf<P>
      : never
    : AnyMessage
  : AnyMessage

type AnyMessage = Message & { [field: string]: unknown }

/** The same for messages that are gathered: their `items`. */
type ItemTo<To extends string, Type extends string> =
  MessageTo<To> extends infer M
    ? M extends AnyMessage
      ? object
      : M extends { type: Type; items: (infer Item)[] }
        ? Item
        : never
    : never

export interface Turn<State = unknown, Records = unknown> extends WriteSet {
  readonly address: string
  readonly key: string
  readonly now: Date
  /** Assign to replace the whole state. */
  state: State
  /** Result of `read` for this turn. */
  readonly records: Records
  /**
   * The cause of the message that is being received; what the turn sends and the result of its slow work carry it on. A
   * receiver of gathered messages, or of one that goes on with other work, assigns the cause of each item first. Timers
   * do not carry it, because one timer often stands for many things: a timer for one thing names the cause in its message.
   */
  cause: Cause | undefined
  /** Durable and in order per receiver: committed with this turn, applied exactly once. */
  tell<const To extends string>(address: To, message: MessageTo<To>): void
  /** As `tell`, with another actor as the sender: for passing on a message that was kept. */
  forward(address: string, message: Message, sender: string | null): void
  /**
   * As `tell`, but the items for one receiver go in one message `{ type, items }`, as long as no other message to that
   * receiver comes between them. For messages that come in large numbers.
   */
  gather<const To extends string, Type extends string>(address: To, type: Type, item: ItemTo<To, Type>): void
  /** Sets (or moves) the durable timer `name`; `message` comes back to this actor at or after `due_at`. */
  timer<M extends Message>(name: string, due_at: Date, message: M): void
  cancel(name: string): void
  /**
   * Runs slow work beside the turn. It starts after the commit and its result comes back as a message to self. It is
   * lost when the node dies, so pair it with `awake(true)` and start it again on `wake`.
   *
   * Work is aborted when its state is thrown away (a fault, another owner). `unbroken` work is not: it is for calls
   * whose effect outside must be in doubt as rarely as possible. It runs to its end, and its result is told to the
   * actor wherever the actor is then, so it may reach a state that did not start it. All work asks `mayBegin(signal)`
   * right before its first byte leaves. Its result carries `cause`, by default that of the turn, and none where `undefined` is named. `outside` work begins something outside of the cluster: it waits while that is
   * quiet. An actor that notes an attempt before it makes it asks `is_quiet` first.
   */
  work(
    run: (signal: AbortSignal) => Promise<Message>,
    options?: { unbroken?: boolean; outside?: boolean; cause?: Cause | undefined },
  ): void
  /** True while nothing may go out of the cluster. */
  readonly is_quiet: boolean
  /** While true, a new owner of this partition sends this actor `{ type: 'wake' }`. */
  awake(yes: boolean): void
  /** Writes `state` to the generic `actor_state` table (for kinds without tables of their own). */
  save(): void
  /** Runs right after the commit, on this node only. Must not throw. */
  after(effect: () => void): void
  /** Delivers `message` to self within about `ms`, not durably. Several calls with the same type become one. For write-behind. */
  soon(ms: number, message: Message): void
  /**
   * Publishes `event` to the watchers of the channel (letters, digits, `-`, `_`) after the commit, at most once.
   * `event` is not called when the channel has no watchers. Only for facts that watchers can read again from storage.
   * Where `event` throws, the watchers read again.
   */
  live(channel: string, event: () => PublishedEvent): void
  /** After the commit, the watchers of the channel read again, because an event could not be made. */
  missLive(channel: string, error?: unknown): void
  /**
   * Names records to the watchers of the channel after the commit, together with those of other turns: one event each
   * half second at most. For changes in large numbers.
   */
  notice(channel: string, notice: Notice): void
  /** True when the channel may have watchers. */
  isWatched(channel: string): boolean
  /**
   * After the commit, removes the channel's published events from the broker's memory, once and without a promise: they
   * expire anyway. Watchers read again.
   */
  dropLive(channel: string): void
  /**
   * After the commit, announces that this actor's backlog is too long, so that senders refuse more work (or that it has
   * room again).
   */
  full(yes: boolean): void
  /**
   * True when the actor at `address`, or its partition, has too long a backlog. Senders check before they promise
   * anything; tells are still accepted.
   */
  isFull(address: string): boolean
}

/** The view of a `peek` receiver: no writes, no commit. Changes to the state stay in memory. */
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
  /** Reads for all messages of a turn at once, before the turn. */
  read?(
    messages: MessageOf<P>[],
    context: { key: string; state: State; database: Database; now: Date },
  ): Promise<Records>
  readonly receive: {
    [T in keyof P & string]: (turn: Turn<State, Records>, message: { type: T } & P[T]['message']) => P[T]['reply']
  }
  /**
   * Called once for each turn, when all of its messages were received, with everything that the turn writes. It may
   * publish live events, and must not write. An error is a fault of the turn.
   */
  readonly decided?: (turn: Turn<State, Records>, writes: readonly Write[]) => void
  /**
   * The types that may be received before the sender's turn is committed, if both actors are on this node. Their
   * receivers must not need the rows that the sender's turn writes. Each type names others whose `read` has to find
   * those rows; they take a turn apart. Default: none.
   */
  readonly early?: { readonly [T in keyof P & string]?: readonly (keyof P & string)[] }
  /**
   * The types that take a turn of their own: their `read` finds everything that earlier messages have done, and later
   * messages read what they have done. Default: none.
   */
  readonly alone?: readonly (keyof P & string)[]
  /** Answers synchronously and without a commit; `undefined` sends the message through a turn instead. */
  readonly peek?: {
    [T in keyof P & string]?: (
      glance: Glance<State>,
      message: { type: T } & P[T]['message'],
    ) => P[T]['reply'] | undefined
  }
  /** Maximum number of waiting messages; further asks are answered `Unavailable`. Default 10 000. */
  readonly mailbox_limit?: number
  /** Maximum number of messages in one turn. Default 512. */
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

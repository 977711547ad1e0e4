/** A message in a mailbox, with the fields needed to answer or settle it. */
import type { Message } from './actor.ts'
import type { EarlyMessage } from './early_message.ts'

export type Entry = {
  readonly message: Message
  /** `tell` settles an outbox row, `timer` a timer row; `ask` and `self` leave nothing behind. */
  readonly origin: 'ask' | 'tell' | 'timer' | 'self'
  readonly sender?: string | null
  /** tell: source of its outbox row. Read it by `rowOf`. */
  readonly source?: number
  readonly number?: number
  /** tell: set when the sender's turn was not committed yet as the message came. */
  readonly early?: EarlyMessage
  /** tell: length of the message in characters. */
  readonly size?: number
  /** timer: which row fired. */
  readonly timer?: { name: string; due: number }
  /** ask: the waiting caller; `deadline` by the monotonic clock. */
  readonly deadline?: number
  readonly resolve?: (reply: unknown) => void
  readonly reject?: (error: Error) => void
  /** Called once when the message has been applied, parked or given up. */
  readonly release?: () => void
  /** self: the result of a call that must not be aborted; it cannot be obtained a second time. */
  readonly is_result?: boolean
  /** Turns that faulted on this message so far. */
  attempts: number
  /** The caller has been told that the deadline of this ask passed; the ask must not be applied any more. */
  expired?: boolean
}

/** True for messages that stay in the database until they are applied. */
export function isDurable(entry: Entry): boolean {
  return entry.origin === 'tell' || entry.timer !== undefined
}

export function isTell(entry: Entry): boolean {
  return entry.origin === 'tell'
}

/** The outbox row of a tell. An early message has none before its sender's turn is committed. */
export function rowOf({ source, number, early }: Entry): { source: number; number: number } | undefined {
  if (early) return early.row
  return source === undefined || number === undefined ? undefined : { source, number }
}

/** True for an early message whose sender's turn has failed: it was never sent. */
export function isVoid(entry: Entry): boolean {
  return entry.early?.is_void === true
}

export function isAsk(entry: Entry): boolean {
  return entry.origin === 'ask'
}

/** What a line of the log says of a message: its type, and the request from which it came, where one is known. */
export function factsOf(entry: Entry | undefined): { type: string | undefined; request_id: string | undefined } {
  return { type: entry?.message.type, request_id: entry?.message.cause?.request_id }
}

/** True for results of slow work, and whatever else an actor sends to itself without a row. */
export function isSelf(entry: Entry): boolean {
  return entry.origin === 'self'
}

/** Tells an actor that slow work or write-behind messages of its former state are lost. */
export function wake(): Entry {
  return { message: { type: 'wake' }, origin: 'self', attempts: 0 }
}

export function isWake({ message }: Entry): boolean {
  return message.type === 'wake'
}

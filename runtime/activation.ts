/** A resident actor: its state, mailbox and phase. Written only by the scheduler. */
import type { ActorKind, Message } from './actor.ts'
import type { Behind } from './behind.ts'

/** A message in a mailbox, with the fields needed to answer or settle it. */
export type Entry = {
  readonly message: Message
  /** `tell` settles an outbox row, `timer` a timer row; `ask` and `self` leave nothing behind. */
  readonly origin: 'ask' | 'tell' | 'timer' | 'self'
  readonly sender?: string | null
  /** tell: source of its outbox row. */
  readonly source?: number
  readonly number?: number
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

/**
 * idle → loading → (reading →) ready → committing → idle. An activation has at most one turn under way. The next turn
 * sees the decisions of this one only once they are committed.
 */
export type Phase = 'idle' | 'loading' | 'reading' | 'ready' | 'committing'

export class Activation {
  readonly address: string
  readonly key: string
  readonly kind: ActorKind
  readonly partition: number
  /** The epoch with which this node held the partition when the activation was made; it fences all turns of the activation. */
  readonly epoch: number | undefined
  phase: Phase = 'idle'
  loaded = false
  /** Slow work of this state has failed without the state knowing. It serves the turn under way and no other. */
  is_stale = false
  state: unknown = undefined
  mailbox: Entry[] = []
  /** The batch of the turn whose reads are under way. */
  reading: Entry[] | undefined = undefined
  /** Messages still to be handled one per turn, after a commit with several of them failed. */
  solo = 0
  /** Consecutive turns that could not be committed because other transactions hold rows that they need. */
  blocked = 0
  /** Durable messages, in order, set aside until this version or the database supports what the first of them needs. */
  held: Entry[] | undefined = undefined
  /** Times that these messages were set aside. */
  holds = 0
  /** Set while later messages run past this actor because too many waited while it could not go on. */
  behind: Behind | undefined = undefined
  /** Slow work in flight; an activation with work is not passivated. */
  works = 0
  /** Name of the timer row that keeps the actor awake; null when there is none, undefined until that is known. */
  awake: string | null | undefined = undefined
  /** Write-behind messages that are scheduled already, by type. */
  soon: Map<string, Message> | undefined = undefined
  used = 0
  /** Raised whenever the in-memory state is thrown away; results of slow work started before are then ignored. */
  generation = 0

  constructor(address: string, key: string, kind: ActorKind, partition: number, epoch: number | undefined) {
    this.address = address
    this.key = key
    this.kind = kind
    this.partition = partition
    this.epoch = epoch
  }

  /** A recent turn was blocked, so its next turns commit apart from the others. */
  get is_suspect(): boolean {
    return this.blocked > 0
  }
}

/** A resident actor: its state, its mailbox and where it stands. Written only by the scheduler. */
import type { ActorKind, Message } from './actor.ts'
import type { Behind } from './behind.ts'

/** A message waiting in a mailbox, with what it takes to answer or settle it. */
export type Entry = {
  readonly message: Message
  /** `tell` settles an outbox row, `timer` a timer row; `ask` and `self` leave nothing behind. */
  readonly origin: 'ask' | 'tell' | 'timer' | 'self'
  readonly sender?: string | null
  /** tell: where its outbox row is. */
  readonly source?: number
  readonly number?: number
  /** tell: characters of the message. */
  readonly size?: number
  /** timer: which row fired. */
  readonly timer?: { name: string; due: number }
  /** ask: the waiting caller; `deadline` by the monotonic clock. */
  readonly deadline?: number
  readonly resolve?: (reply: unknown) => void
  readonly reject?: (error: Error) => void
  /** Called once when the message has been applied, parked or given up. */
  readonly release?: () => void
  /** self: what came of a call that must not be cut short, which nobody can find out a second time. */
  readonly is_result?: boolean
  /** Turns that faulted on this message. */
  attempts: number
  /** An ask whose caller has been told that its time ran out; it must not be applied any more. */
  expired?: boolean
}

/**
 * idle → loading → (reading →) ready → committing → idle. An activation has at most one turn under way, and what it decided is
 * visible to its next turn only once committed.
 */
export type Phase = 'idle' | 'loading' | 'reading' | 'ready' | 'committing'

export class Activation {
  readonly address: string
  readonly key: string
  readonly kind: ActorKind
  readonly partition: number
  /** With which this node held the partition when the activation was made; all its turns are fenced by it. */
  readonly epoch: number | undefined
  phase: Phase = 'idle'
  loaded = false
  /** Slow work of this state has failed, which it does not know: it serves the turn under way and no other. */
  is_stale = false
  state: unknown = undefined
  mailbox: Entry[] = []
  /** What the turn that is being read for was given. */
  reading: Entry[] | undefined = undefined
  /** Messages still to be handled one per turn, after a commit that failed with several in it. */
  solo = 0
  /** Turns of it in a row that could not be committed because others hold rows that they need. */
  blocked = 0
  /** Durable messages in order, put aside until this version or the database knows what the first of them needs. */
  held: Entry[] | undefined = undefined
  /** Times that they were put aside. */
  holds = 0
  /** Set while messages run past it: too much waited while it could not go on. */
  behind: Behind | undefined = undefined
  /** Slow work in flight; an activation with work is not passivated. */
  works = 0
  /** The name of the row that keeps it awake; null when there is none, undefined while that is not known. */
  awake: string | null | undefined = undefined
  /** Write-behind messages already scheduled, by their type. */
  soon: Map<string, Message> | undefined = undefined
  used = 0
  /** Raised whenever the in-memory state is thrown away; slow work started before is then ignored. */
  generation = 0

  constructor(address: string, key: string, kind: ActorKind, partition: number, epoch: number | undefined) {
    this.address = address
    this.key = key
    this.kind = kind
    this.partition = partition
    this.epoch = epoch
  }

  /** A turn of it was blocked lately: it must not keep others waiting. */
  get is_suspect(): boolean {
    return this.blocked > 0
  }
}

/** The surroundings of the scheduler. Each of its parts takes from them what it needs. */
import type { Database } from '../../storage/mod.ts'
import type { ActorKind, Message } from '../actor/actor.ts'
import type { PendingTurn, Sent, Surroundings } from '../actor/pending_turn.ts'
import type { Lost } from '../commit/lane.ts'
import type { Store } from '../commit/store.ts'
import type { OutgoingEvent } from '../live/event_batch.ts'
import type { OutgoingNotice } from '../live/gathered_notices.ts'
import type { Log } from '../log.ts'
import type { Inbox } from '../messages/inbox.ts'
import type { Clock } from '../time/clock.ts'
import type { Timers } from './timers.ts'

export type SchedulerOptions = {
  database: Database
  kinds: ActorKind[]
  clock: Clock
  log: Log
  partitions: number
  /** An idle actor leaves memory after this long. */
  idle_ms: number
  /** True when the process is short of memory. */
  isShort(): boolean
  epoch(partition: number): number | undefined
  /** The inbox of a partition, while it takes messages. */
  inbox(partition: number): Inbox | undefined
  /** The source under which the lane sends, when the next message follows those before; undefined when none may go early. */
  knownSource(): number | undefined
  /** Gives a turn to the lane. */
  push(pending_turn: PendingTurn): void
  store: Store
  timers: Timers
  /** Routes committed messages to their partitions. */
  send(sent: Sent[], source: number): void
  /** Publishes events to watchers. */
  publish(events: readonly OutgoingEvent[]): void
  /** Gathers notices for watchers with those of other turns. */
  gatherNotices(notices: readonly OutgoingNotice[]): void
  surroundings: Surroundings
  /** Durable and applied exactly once, wherever the actor is. */
  tell(address: string, message: Message): Promise<void>
  /**
   * True while this node holds its lease: no other node can have taken a partition from it. Without the lease nothing
   * is answered without the fence, and no slow work begins.
   */
  leased(): boolean
  /** The database has lost commits that were acknowledged here. */
  rewound(lost: Lost): void
  /** A commit found that this partition has another owner. */
  moved(partition: number, epoch: number | undefined): void
}

/**
 * The engine of a node: the parts that run actors and carry their messages, wired to each other. It owns no partition
 * until one is given to `owned_partitions`.
 */

import { OwnedPartitions } from '../cluster/owned_partitions.ts'
import { Lane, type Lost } from '../commit/lane.ts'
import { AskClient } from '../messages/ask_client.ts'
import type { FullReceivers } from '../messages/full_receivers.ts'
import { MessageRouter } from '../messages/message_router.ts'
import { Scheduler } from '../scheduler/scheduler.ts'
import { Timers } from '../scheduler/timers.ts'
import { Asks } from './asks.ts'
import { inboxLimitOf, type NodePorts, type NodeSettings } from './node_options.ts'

type EngineOptions = {
  node: string
  settings: NodeSettings
  ports: NodePorts
  /** Number of partitions of the cluster. */
  partitions: number
  full: FullReceivers
  /** True while no other node can have taken a partition from this one. */
  leased(): boolean
  /** The database has lost commits that were acknowledged here. */
  rewound(lost: Lost): void
  /** No answer can arrive any more. */
  isOver(): boolean
}

export class Engine {
  /** The partitions held here, with the epochs under which they are. Written by `owned_partitions`, cleared at the end. */
  readonly epochs = new Map<number, number>()
  readonly timers: Timers
  readonly scheduler: Scheduler
  readonly lane: Lane
  readonly line: AskClient
  readonly asks: Asks
  readonly owned_partitions: OwnedPartitions
  readonly router: MessageRouter

  constructor(options: EngineOptions) {
    const { node, settings, ports, partitions, full, leased } = options
    const { database, prefix, kinds, idle_ms, isShort, cluster, transport_only, clock, log } = settings
    const { store, broker, transport, announcer } = ports
    this.timers = new Timers({
      store,
      clock,
      log,
      fire: ({ partition, address, name, due, message }) =>
        this.scheduler.deliver(address, partition, { message, origin: 'timer', timer: { name, due }, attempts: 0 }),
    })
    this.scheduler = new Scheduler({
      database,
      store,
      kinds,
      clock,
      log,
      partitions,
      idle_ms,
      isShort,
      epoch: (partition) => this.epochs.get(partition),
      inbox: (partition) => this.owned_partitions.inbox(partition),
      // The lane tells the scheduler, and the scheduler pushes to the lane.
      push: (pending_turn) => this.lane.push(pending_turn),
      knownSource: () => (transport_only ? undefined : this.lane.known_source),
      timers: this.timers,
      send: (sent, source) => this.router.send(sent, source),
      publish: (events) => announcer.publish(events),
      gatherNotices: (notices) => announcer.gather(notices),
      surroundings: {
        isWatched: (channel) => announcer.isWatched(channel),
        dropLive: (channel) => announcer.drop(channel),
        missLive(channel, error) {
          if (error) log.error({ channel, error }, 'a live event could not be made; its watchers read again')
          announcer.miss(channel)
        },
        isQuiet: settings.isQuiet,
        isFull: (address) => full.isFull(address),
        setFull: (address, partition, is_full) => full.set(address, partition, is_full),
        tracer: settings.tracer,
      },
      tell: (address, message) => this.asks.tell(address, message, Number.POSITIVE_INFINITY),
      leased,
      moved: (partition, epoch) => void this.owned_partitions.check(partition, epoch),
      rewound: options.rewound,
    })
    this.lane = new Lane(store, node, this.scheduler.outcomes, clock, log)
    this.line = new AskClient(broker, prefix, log, clock, leased)
    this.asks = new Asks({
      node,
      partitions,
      clock,
      line: this.line,
      scheduler: this.scheduler,
      lane: this.lane,
      isHere: (partition) => this.epochs.has(partition),
      isReachable: () => transport.up,
      isOver: options.isOver,
      tracer: settings.tracer,
    })
    this.owned_partitions = new OwnedPartitions(this.epochs, {
      node,
      store,
      clock,
      transport,
      line: this.line,
      scheduler: this.scheduler,
      timers: this.timers,
      lane: this.lane,
      log,
      full,
      inbox_limit: inboxLimitOf(settings, partitions),
      answering: {
        peek: (address, message) => this.scheduler.peek(address, message),
        answer: (address, message, deadline_ms) => this.asks.answer(address, message, deadline_ms),
      },
      by_hand: cluster === undefined,
    })
    this.router = new MessageRouter({
      transport,
      inbox: (partition) => this.owned_partitions.inbox(partition),
      leased,
      transport_only,
    })
  }
}

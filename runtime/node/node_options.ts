/** The options of a node, and their defaults. */
import { getHeapStatistics } from 'node:v8'
import type { Database } from '../../storage/mod.ts'
import type { ActorKind } from '../actor/actor.ts'
import type { Broker } from '../broker/broker.ts'
import type { Member } from '../cluster/membership.ts'
import type { Store } from '../commit/store.ts'
import { type Log, silentLog } from '../log.ts'
import type { Announcer, Transport } from '../messages/ports.ts'
import { type Clock, systemClock } from '../time/clock.ts'
import type { Tracer } from '../tracing/tracer.ts'

export type NodeOptions = {
  /** Names the node in its cluster. Default a new one. */
  id?: string
  database: Database
  nats_url: string
  kinds: ActorKind[]
  /** Prefix of all subjects and streams of this cluster. Default `parley`. */
  prefix?: string
  /** Partitions of a new cluster. Default 64. */
  partitions?: number
  /** The partitions that this node takes and keeps, for a cluster that is laid out by hand. Default all. */
  take?: number[]
  /** Shares partitions with the other living nodes, instead of `take`. */
  cluster?: {
    /** True when there can be no other node, because the servers are this node's own: it waits for none. */
    alone?: boolean
    /** The file store that this node uses, for the others to compare. */
    files?: string | undefined
    /** The ids of its keys of `PARLEY_SECRET`, the one that it seals with first. */
    keys?: readonly string[]
    /** The release that this node runs, for people. */
    release?: string
    /** Called before partitions are taken; rejects when this node must not take any, because it could not work for them. */
    confirm?(): Promise<void>
    /** Called with the living nodes when one comes, goes or changes. */
    changed?(nodes: Member[]): void
  }
  /** Aborted when the node is not wanted any more: a start that waits for NATS then rejects with its reason. */
  given_up?: AbortSignal | undefined
  /** True while no work may begin anything outside: it waits. Default never. */
  isQuiet?(): boolean
  /** Replicas of the streams. Default 1. */
  replicas?: number
  idle_ms?: number
  /** True when actors should leave memory sooner. Default: most of the heap is in use. */
  isShort?(): boolean
  /** Sends messages to partitions of this node over the transport, too. Slower; for tests of the transport. */
  transport_only?: boolean
  /** Maximum messages of a partition in memory that are not yet settled. Default its share of 100 000. */
  inbox_limit?: number
  clock?: Clock
  log?: Log
  /** Records traces. Default none. */
  tracer?: Tracer | undefined
}

/** The ports of a node to the outside. A simulation passes its own. */
export type NodePorts = {
  store: Store
  broker: Broker
  transport: Transport
  announcer: Announcer
}

/** The options with defaults filled in. */
export type NodeSettings = NodeOptions & ReturnType<typeof defaultsOf>

/** Messages received and not yet applied, of all partitions together: some hundred MiB at most. */
const INBOXES_LIMIT = 100_000
/** Memory is short beyond this part of the heap. */
const HEAP_LIMIT = 0.7 * getHeapStatistics().heap_size_limit
const isHeapFull = (): boolean => getHeapStatistics().used_heap_size > HEAP_LIMIT

export function settingsOf(options: NodeOptions): NodeSettings {
  return { ...options, ...defaultsOf(options) }
}

function defaultsOf({
  prefix = 'parley',
  partitions = 64,
  replicas = 1,
  idle_ms = 60_000,
  isShort = isHeapFull,
  isQuiet = () => false,
  transport_only = false,
  clock = systemClock,
  log = silentLog,
}: NodeOptions) {
  return { prefix, partitions, replicas, idle_ms, isShort, isQuiet, transport_only, clock, log }
}

/** Maximum messages in memory for each partition. */
export function inboxLimitOf({ inbox_limit }: NodeOptions, partitions: number): number {
  return inbox_limit ?? Math.max(500, Math.ceil(INBOXES_LIMIT / partitions))
}

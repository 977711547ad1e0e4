/** The public interface of the engine. */
export {
  type ActorKind,
  defineActor,
  type Glance,
  type Message,
  type MessageOf,
  type Protocol,
  type ReplyOf,
  type Turn,
} from './actor/actor.ts'
export { type Address, partitionOf } from './address.ts'
export type { Bus } from './broker/bus.ts'
export { causedBy } from './caused_runtime.ts'
export type { Cluster, ClusterStatus } from './cluster/cluster.ts'
export { isStorageTrouble } from './failure.ts'
export { EventBatch, type LiveEvent } from './live/event_batch.ts'
export type { LiveListener } from './live/feed.ts'
export type { LiveFeed, LiveFeeds } from './live/live.ts'
export { type Log, silentLog } from './log.ts'
export { Node, newNodeId } from './node/node.ts'
export type { NodeOptions } from './node/node_options.ts'
export { Refusal, Unavailable } from './refusal.ts'
export type { AskOptions, Runtime } from './runtime.ts'
export { natsBinary } from './servers/nats.ts'
export { natsOptions } from './servers/nats_options.ts'
export { freePort } from './servers/port.ts'
export { runningPostgresUrl } from './servers/running_postgres.ts'
export { ServerError } from './servers/server_error.ts'
export { type Servers, startServers } from './servers/start_servers.ts'
export { waitForServers } from './servers/wait_for_servers.ts'
export type { Clock } from './time/clock.ts'
export { DueHeap } from './time/due_heap.ts'
export { type Cause, causeColumns, causeOf, isRequestId } from './tracing/cause.ts'
export type { OutsideSpan, Span, SpanAttributes, SpanEnd, SpanStart, Tracer } from './tracing/tracer.ts'
export { FairLine } from './work/fair_line.ts'
export { FairSlots } from './work/fair_slots.ts'
export { IdlePool } from './work/idle_pool.ts'
export { givePermit, mayBegin } from './work/permit.ts'
export { JobFailed, type JobFailure, ThreadPool } from './work/thread_pool.ts'

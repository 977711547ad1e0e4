/** The counters of a node, for metrics and benchmarks. */
import type { Engine } from './engine.ts'
import type { NodePorts } from './node_options.ts'

export function statsOf(engine: Engine, { transport, announcer }: NodePorts) {
  const { epochs, scheduler, timers, router, lane, owned_partitions } = engine
  return {
    partitions: epochs.size,
    resident: scheduler.resident,
    timers: timers.armed,
    scheduler: scheduler.stats,
    transport: transport.stats,
    short_way: router.stats,
    live: announcer.stats,
    lane: { source: lane.source, ...lane.stats },
    inboxes: owned_partitions.stats(),
  }
}

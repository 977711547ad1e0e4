/** Metrics of the engine. */
import type { Registry } from 'prom-client'
import type { Node } from '../../../runtime/mod.ts'
import { readCounter, readGauge } from '../../metrics/instruments.ts'
import type { CounterName, GaugeName } from '../../metrics/table.ts'

type Stats = ReturnType<Node['stats']>
type Figure<Name> = [name: Name, value: (stats: Stats) => number]

const gauges: Figure<GaugeName>[] = [
  ['parley_partitions_owned', (stats) => stats.partitions],
  ['parley_actors_resident', (stats) => stats.resident],
  ['parley_timers_armed', (stats) => stats.timers],
  ['parley_inbox_waiting', (stats) => stats.inboxes.waiting],
]

const counters: Figure<CounterName>[] = [
  ['parley_turns_total', (stats) => stats.scheduler.turns],
  ['parley_actor_messages_total', (stats) => stats.scheduler.messages],
  ['parley_actor_loads_total', (stats) => stats.scheduler.loads],
  ['parley_turn_faults_total', (stats) => stats.scheduler.faults],
  ['parley_dead_letters_total', (stats) => stats.scheduler.parked],
  ['parley_turns_blocked_total', (stats) => stats.scheduler.blocked],
  ['parley_messages_held_total', (stats) => stats.scheduler.held],
  ['parley_commits_total', (stats) => stats.lane.commits],
  ['parley_commit_retries_total', (stats) => stats.lane.retries],
  ['parley_actor_messages_handed_total', (stats) => stats.short_way.handed + stats.lane.fused],
  ['parley_actor_messages_early_total', (stats) => stats.scheduler.early],
  ['parley_actor_messages_fused_total', (stats) => stats.lane.fused],
  ['parley_turns_retracted_total', (stats) => stats.lane.retracted],
  ['parley_transport_published_total', (stats) => stats.transport.published],
  ['parley_transport_received_total', (stats) => stats.transport.received],
  ['parley_inbox_gaps_total', (stats) => stats.inboxes.gaps],
  ['parley_inbox_healed_total', (stats) => stats.inboxes.healed],
  ['parley_live_published_total', (stats) => stats.live.published],
  ['parley_live_received_total', (stats) => stats.live.received],
  ['parley_live_resyncs_total', (stats) => stats.live.resyncs],
  ['parley_live_gap_reads_total', (stats) => stats.live.gaps.reads],
  ['parley_live_gap_reads_shared_total', (stats) => stats.live.gaps.shared],
]

export function engineMetrics(registry: Registry, node: Node): void {
  for (const [name, value] of gauges) readGauge(registry, name, () => value(node.stats()))
  for (const [name, value] of counters) readCounter(registry, name, () => value(node.stats()))
}

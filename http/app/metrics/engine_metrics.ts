/** Metrics of the engine. */
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Node } from '../../../runtime/mod.ts'

type Stats = ReturnType<Node['stats']>
type Figure = [name: string, help: string, value: (stats: Stats) => number]

const gauges: Figure[] = [
  ['parley_partitions_owned', 'Partitions this node owns.', (stats) => stats.partitions],
  ['parley_actors_resident', 'Actors in memory.', (stats) => stats.resident],
  ['parley_timers_armed', 'Durable timers in memory, due within a minute or overdue.', (stats) => stats.timers],
  ['parley_inbox_waiting', 'Messages between actors taken in and not yet applied.', (stats) => stats.inboxes.waiting],
]

const counters: Figure[] = [
  ['parley_turns_total', 'Turns decided.', (stats) => stats.scheduler.turns],
  ['parley_actor_messages_total', 'Messages between actors handled in turns.', (stats) => stats.scheduler.messages],
  ['parley_actor_loads_total', 'Actors loaded from the database.', (stats) => stats.scheduler.loads],
  ['parley_turn_faults_total', 'Turns that failed and were undone.', (stats) => stats.scheduler.faults],
  ['parley_dead_letters_total', 'Messages parked in the dead-letter table.', (stats) => stats.scheduler.parked],
  [
    'parley_turns_blocked_total',
    'Actors that began to wait for rows that others hold.',
    (stats) => stats.scheduler.blocked,
  ],
  [
    'parley_messages_held_total',
    'Actors that began to wait for what this version or the database lacks.',
    (stats) => stats.scheduler.held,
  ],
  ['parley_commits_total', 'Transactions of the commit lane.', (stats) => stats.lane.commits],
  ['parley_commit_retries_total', 'Commits repeated because their outcome was unknown.', (stats) => stats.lane.retries],
  [
    'parley_actor_messages_handed_total',
    'Messages between actors to partitions of this node.',
    (stats) => stats.short_way.handed + stats.lane.fused,
  ],
  [
    'parley_actor_messages_early_total',
    'Messages between actors of this node given to the receiver before the commit of the sender.',
    (stats) => stats.scheduler.early,
  ],
  [
    'parley_actor_messages_fused_total',
    'Messages between actors of this node committed together with their effect, without a row in the outbox.',
    (stats) => stats.lane.fused,
  ],
  [
    'parley_turns_retracted_total',
    'Turns undone because a turn failed whose messages they had been given early.',
    (stats) => stats.lane.retracted,
  ],
  ['parley_transport_published_total', 'Publishes to the streams.', (stats) => stats.transport.published],
  ['parley_transport_received_total', 'Batches read from the streams.', (stats) => stats.transport.received],
  ['parley_inbox_gaps_total', 'Gaps on the transport, healed from the outbox.', (stats) => stats.inboxes.gaps],
  [
    'parley_inbox_healed_total',
    'Messages read from the outbox instead of the transport.',
    (stats) => stats.inboxes.healed,
  ],
  ['parley_live_published_total', 'Live events published, to watchers of a project.', (stats) => stats.live.published],
  ['parley_live_received_total', 'Live events received for the consoles of this node.', (stats) => stats.live.received],
  ['parley_live_resyncs_total', 'Times the consoles were told to read again.', (stats) => stats.live.resyncs],
  [
    'parley_live_gap_reads_total',
    'Reads of the live events that watchers had missed.',
    (stats) => stats.live.gaps.reads,
  ],
  [
    'parley_live_gap_reads_shared_total',
    'Watchers that came back and were served by the read for another one.',
    (stats) => stats.live.gaps.shared,
  ],
]

export function engineMetrics(registry: Registry, node: Node): void {
  const registers = [registry]
  for (const [name, help, value] of gauges) {
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(value(node.stats()))
      },
    })
  }
  for (const [name, help, value] of counters) {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(value(node.stats()))
      },
    })
  }
}

/** Labels of the node: its id and the port of its API. */
export function nodeMetrics(registry: Registry, node: string, port: number): void {
  new Gauge({
    name: 'parley_node_info',
    help: 'Always 1; the labels say which node this is and on which port its API is.',
    labelNames: ['node', 'port'],
    registers: [registry],
  }).set({ node, port }, 1)
}

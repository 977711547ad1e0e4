/** Metrics of the engine of actors. */
import type { MetricGroup } from './metric.ts'

const gauge = (help: string) => ({ type: 'gauge', unit: '', help }) as const
const counter = (help: string) => ({ type: 'counter', unit: '', help }) as const

export const ENGINE = {
  title: 'The engine',
  owner: 'http/app/metrics/engine_metrics.ts',
  metrics: {
    parley_partitions_owned: gauge('Partitions this node owns.'),
    parley_actors_resident: gauge('Actors in memory.'),
    parley_timers_armed: gauge('Durable timers in memory, due within a minute or overdue.'),
    parley_inbox_waiting: gauge('Messages between actors taken in and not yet applied.'),
    parley_turns_total: counter('Turns decided.'),
    parley_actor_messages_total: counter('Messages between actors handled in turns; not messages of tenants.'),
    parley_actor_loads_total: counter('Actors loaded from the database.'),
    parley_turn_faults_total: counter('Turns that failed and were undone.'),
    parley_dead_letters_total: counter('Messages parked in the dead-letter table since the start of the node.'),
    parley_turns_blocked_total: counter('Actors that began to wait for rows that others hold.'),
    parley_messages_held_total: counter('Actors that began to wait for what this version or the database lacks.'),
    parley_commits_total: counter('Transactions of the commit lane.'),
    parley_commit_retries_total: counter('Commits repeated because their outcome was unknown.'),
    parley_actor_messages_handed_total: counter('Messages between actors to partitions of this node.'),
    parley_actor_messages_early_total: counter(
      'Messages between actors of this node given to the receiver before the commit of the sender.',
    ),
    parley_actor_messages_fused_total: counter(
      'Messages between actors of this node committed together with their effect, without a row in the outbox.',
    ),
    parley_turns_retracted_total: counter(
      'Turns undone because a turn failed whose messages they had been given early.',
    ),
    parley_transport_published_total: counter('Publishes to the streams.'),
    parley_transport_received_total: counter('Batches read from the streams.'),
    parley_inbox_gaps_total: counter('Gaps on the transport, healed from the outbox.'),
    parley_inbox_healed_total: counter('Messages read from the outbox instead of the transport.'),
    parley_live_published_total: counter('Live events published, to watchers of a project.'),
    parley_live_received_total: counter('Live events received for the consoles of this node.'),
    parley_live_resyncs_total: counter('Times the consoles were told to read again.'),
    parley_live_gap_reads_total: counter('Reads of the live events that watchers had missed.'),
    parley_live_gap_reads_shared_total: counter('Watchers that came back and were served by the read for another one.'),
  },
} as const satisfies MetricGroup

/** The parts of `/ready`. */
const CHECKS = ['database', 'broker', 'partitions', 'lane', 'secret', 'node'] as const
const POOL = { db_client_connection_pool_name: ['parley'] } as const

export const NODE = {
  title: 'The node',
  owner: 'http/app/metrics/node_metrics.ts',
  metrics: {
    parley_node_info: {
      ...gauge('Always 1; the labels say which node this is and on which port its API is.'),
      labels: { node: 'nodes', port: 'the port of the node' },
    },
    parley_build_info: {
      ...gauge('Always 1; the labels are the version of Parley and that of Node.js.'),
      labels: { version: 'versions', node_version: 'versions of Node.js' },
    },
    parley_ready: gauge('1 while /ready answers 200, else 0.'),
    parley_readiness_check: {
      ...gauge(
        '1 for each part of /ready that is well, 0 for one that is not; node is 0 once the node was told to stop.',
      ),
      labels: { check: CHECKS },
    },
    parley_warnings: gauge('Sentences in the warnings of /ready.'),
    db_client_connection_count: {
      ...gauge("Connections to PostgreSQL of this node's pool, in use and idle."),
      labels: { ...POOL, db_client_connection_state: ['used', 'idle'] },
      semantic: 'db.client.connection.count',
    },
    db_client_connection_max: {
      ...gauge('The most connections that the pool may have.'),
      labels: POOL,
      semantic: 'db.client.connection.max',
    },
    db_client_connection_pending_requests: {
      ...gauge('Statements that wait for a connection of the pool.'),
      labels: POOL,
      semantic: 'db.client.connection.pending_requests',
    },
  },
} as const satisfies MetricGroup

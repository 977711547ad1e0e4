/**
 * Metrics of the tables, for the whole cluster. One node reports them: the owner of the actor that replays dead letters.
 * Each count stops at a bound, so that a look at a long queue costs little.
 */
import type { MetricGroup } from './metric.ts'

const count = (help: string) => ({ type: 'gauge', unit: '', help, reported_by: 'cluster' }) as const
const age = (help: string) => ({ type: 'gauge', unit: 'seconds', help, reported_by: 'cluster' }) as const

export const DEAD_LETTER = {
  title: 'Dead letters',
  owner: 'http/app/metrics/dead_letter_metrics.ts',
  metrics: {
    parley_dead_letters_kept: {
      ...count('Parked messages between actors, by the kind of the actor they are for; the newest 10000 are counted.'),
      labels: { kind: 'kinds of actors' },
      is_rare: true,
    },
    parley_dead_letter_oldest_seconds: age('Age of the oldest of them, by the clock of PostgreSQL; 0 without one.'),
  },
} as const satisfies MetricGroup

export const CLUSTER = {
  title: 'What waits in the cluster',
  owner: 'http/app/metrics/cluster_metrics.ts',
  metrics: {
    parley_sends_waiting: count('Messages that wait to be sent; at most 100000 are counted.'),
    parley_sends_waiting_oldest_seconds: age('Time since the oldest of them was accepted; 0 without one.'),
    parley_deliveries_waiting: {
      ...count(
        'Webhook deliveries that wait for their first attempt (pending) or another one (retrying); at most 100000 are counted.',
      ),
      labels: { state: ['pending', 'retrying'] },
    },
    parley_deliveries_overdue_seconds: age(
      'Time since the attempt at a waiting delivery that is longest overdue was due; 0 without one.',
    ),
    parley_deliveries_dead: count('Webhook deliveries that were given up and are kept; at most 1000 are counted.'),
    parley_channels: {
      ...count('Channels by status; inactive ones have been switched off. At most 10000 of each are counted.'),
      labels: { status: ['connected', 'unverified', 'disconnected', 'inactive'] },
    },
    parley_subscriptions_disabled: count(
      'Webhook subscriptions that Parley disabled because their receivers failed too long; at most 1000 are counted.',
    ),
    parley_tokens_expiring: count('Access tokens that expire within 7 days; at most 1000 are counted.'),
    parley_assistant_conversations: count(
      'Open tickets that assistants hold at the moment; at most 100000 are counted.',
    ),
    parley_knowledge_pending: count('Documents that wait to be indexed or taken out of the index.'),
    parley_knowledge_pending_oldest_seconds: age('Time for which the oldest of them has been due; 0 without one.'),
    parley_outbox_waiting: count('Messages between actors in the outbox; at most 100000 are counted.'),
    parley_outbox_oldest_seconds: age('Age of the oldest of them; 0 without one.'),
    parley_timers_waiting: count('Durable timers of actors; at most 100000 are counted.'),
    parley_timers_overdue_seconds: age('Time since the timer that is longest overdue was due; 0 without one.'),
    parley_partitions_unowned: count('Partitions without an owner, or whose owner is gone.'),
    parley_nodes: count('Nodes that hold a lease.'),
  },
} as const satisfies MetricGroup

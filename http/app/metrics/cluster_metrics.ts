/**
 * Metrics of the tables. They describe the cluster, so only one node reports them: the owner of the actor that replays
 * dead letters. Without an answer of the database within the time for a scrape they are missing.
 */
import type { Registry } from 'prom-client'
import { DEAD_LETTERS } from '../../../actors/mod.ts'
import type { Runtime } from '../../../runtime/mod.ts'
import { type Database, readBacklogs, readStates } from '../../../storage/mod.ts'
import { readGauge, readGauges } from '../../metrics/instruments.ts'
import type { GaugeName } from '../../metrics/table.ts'
import { cached } from './cached_value.ts'
import { inTime } from './in_time.ts'

/** Milliseconds for which scrapes share one look: more often would cost a busy database more than it tells. */
const FRESH_MS = 5_000

const readBoth = async (database: Database) => {
  const [backlogs, states] = await Promise.all([readBacklogs(database), readStates(database)])
  return { ...backlogs, ...states }
}
type Figures = Awaited<ReturnType<typeof readBoth>>

const GAUGES: [GaugeName, keyof Figures][] = [
  ['parley_sends_waiting', 'sends'],
  ['parley_sends_waiting_oldest_seconds', 'sends_oldest_s'],
  ['parley_deliveries_overdue_seconds', 'deliveries_overdue_s'],
  ['parley_deliveries_dead', 'deliveries_dead'],
  ['parley_subscriptions_disabled', 'webhooks_disabled'],
  ['parley_tokens_expiring', 'tokens_expiring'],
  ['parley_assistant_conversations', 'assistant_conversations'],
  ['parley_knowledge_pending', 'documents'],
  ['parley_knowledge_pending_oldest_seconds', 'documents_overdue_s'],
  ['parley_outbox_waiting', 'outbox'],
  ['parley_outbox_oldest_seconds', 'outbox_oldest_s'],
  ['parley_timers_waiting', 'timers'],
  ['parley_timers_overdue_seconds', 'timers_overdue_s'],
  ['parley_partitions_unowned', 'partitions_unowned'],
  ['parley_nodes', 'nodes'],
]

export function clusterMetrics(registry: Registry, database: Database, runtime: Pick<Runtime, 'isHere'>): void {
  const fresh = cached(() => readBoth(database).catch(() => undefined), FRESH_MS)
  const figures = async () => (runtime.isHere(DEAD_LETTERS) ? inTime(fresh()) : undefined)
  for (const [name, figure] of GAUGES) readGauge(registry, name, async () => (await figures())?.[figure])
  readGauges(registry, 'parley_deliveries_waiting', async () => {
    const found = await figures()
    return (
      found && [
        [{ state: 'pending' }, found.deliveries_pending],
        [{ state: 'retrying' }, found.deliveries_retrying],
      ]
    )
  })
  readGauges(registry, 'parley_channels', async () => {
    const found = await figures()
    return (
      found && [
        [{ status: 'connected' }, found.channels_connected],
        [{ status: 'unverified' }, found.channels_unverified],
        [{ status: 'disconnected' }, found.channels_disconnected],
        [{ status: 'inactive' }, found.channels_inactive],
      ]
    )
  })
}

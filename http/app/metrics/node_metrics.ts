/** Metrics that say which node this is, what it runs, and how it does. */
import type { Registry } from 'prom-client'
import type { Database } from '../../../storage/mod.ts'
import { readGauge, readGauges } from '../../metrics/instruments.ts'
import type { Readiness } from '../../server/probes.ts'
import { RELEASE } from '../node/release.ts'
import { inTime } from './in_time.ts'

type Options = {
  node: string
  port: number
  readiness: Readiness
  database: Pick<Database, 'pool_size' | 'pool_use'>
}

/** The database is the only part that can be slow to answer. */
const SILENT = { ok: false, checks: { database: 'silent' }, warnings: [] }
/** The parts that `/ready` tells only when they are not well. */
const WELL = { node: 'ok' }

export function nodeMetrics(registry: Registry, { node, port, readiness, database }: Options): void {
  readGauges(registry, 'parley_node_info', () => [[{ node, port }, 1]])
  const build = { version: RELEASE, node_version: process.version }
  readGauges(registry, 'parley_build_info', () => [[build, 1]])
  const read = async () => (await inTime(readiness())) ?? SILENT
  readGauge(registry, 'parley_ready', async () => ((await read()).ok ? 1 : 0))
  readGauges(registry, 'parley_readiness_check', async () => {
    const { checks } = await read()
    return Object.entries({ ...WELL, ...checks }).map(([check, found]) => [{ check }, found === 'ok' ? 1 : 0] as const)
  })
  readGauge(registry, 'parley_warnings', async () => (await read()).warnings?.length ?? 0)
  const pool = { db_client_connection_pool_name: 'parley' }
  readGauges(registry, 'db_client_connection_count', () => {
    const { used, idle } = database.pool_use
    return [
      [{ ...pool, db_client_connection_state: 'used' }, used],
      [{ ...pool, db_client_connection_state: 'idle' }, idle],
    ]
  })
  readGauges(registry, 'db_client_connection_max', () => [[pool, database.pool_size]])
  readGauges(registry, 'db_client_connection_pending_requests', () => [[pool, database.pool_use.waiting]])
}

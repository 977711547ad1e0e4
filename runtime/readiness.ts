/** The readiness of a node: a sentence for each part that cannot work. */
import type { Database } from '../storage/mod.ts'
import type { Lane } from './lane.ts'
import type { Ownership } from './ownership.ts'
import type { Transport } from './ports.ts'

/** A commit that waits this long is stuck. */
const STUCK_MS = 5000

type Parts = {
  database: Database
  ownership: Pick<Ownership, 'coordination' | 'is_serving'>
  transport: Pick<Transport, 'up'>
  lane: Pick<Lane, 'waiting_ms'>
  isStopping(): boolean
}

export type Readiness = { ok: boolean; checks: Record<string, string> }

export async function readinessOf({ database, ownership, transport, lane, isStopping }: Parts): Promise<Readiness> {
  const { coordination } = ownership
  const checks: Record<string, string> = {}
  try {
    // A query would wait for as long as PostgreSQL is silent.
    if (coordination?.lease.answers === false) throw new Error('PostgreSQL does not renew the lease of this node')
    await database.execute('select 1')
    checks.database = 'ok'
  } catch (error) {
    checks.database = (error as Error).message
  }
  const heard = coordination === undefined || coordination.heard !== null
  checks.broker = transport.up && heard ? 'ok' : 'not connected'
  checks.partitions = ownership.is_serving ? 'ok' : 'no partition is owned here'
  const { waiting_ms } = lane
  checks.lane = waiting_ms < STUCK_MS ? 'ok' : `a commit has been waiting for ${Math.round(waiting_ms / 1000)} s`
  if (isStopping()) checks.node = 'shutting down'
  return { ok: Object.values(checks).every((check) => check === 'ok'), checks }
}

/**
 * The readiness of a node: a sentence for each part that cannot work.
 *
 * A broker that is away from all nodes alike is no reason to send requests elsewhere: each node answers for its own
 * partitions, and a load balancer that avoided all nodes would answer for none.
 */
import { type Database, sql } from '../../storage/mod.ts'
import type { Lane } from '../commit/lane.ts'
import type { Transport } from '../messages/ports.ts'
import type { Ownership } from './ownership.ts'

/** A commit that waits this long is stuck. */
const STUCK_MS = 5000

type Parts = {
  node: string
  database: Database
  ownership: Pick<Ownership, 'coordination' | 'is_serving'>
  transport: Pick<Transport, 'up' | 'trouble'>
  lane: Pick<Lane, 'waiting_ms'>
  isStopping(): boolean
}

/** `warnings`: sentences about what keeps the node from a part of its work only. */
export type Readiness = { ok: boolean; checks: Record<string, string>; warnings: string[] }

const BROKER_AWAY =
  'The broker is away: this node serves its own partitions, and answers 503 to requests for those of other nodes.'

export async function readinessOf({
  node,
  database,
  ownership,
  transport,
  lane,
  isStopping,
}: Parts): Promise<Readiness> {
  const { coordination } = ownership
  const checks: Record<string, string> = {}
  try {
    // A query would wait for as long as PostgreSQL is silent.
    if (coordination?.lease.answers === false) throw new Error('PostgreSQL does not renew the lease of this node')
    await database.execute(sql`select 1`)
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
  const failed = Object.keys(checks).filter((name) => checks[name] !== 'ok')
  const is_apart = coordination?.membership.isApart(node) === true
  const is_tolerated = failed.join() === 'broker' && !is_apart
  return { ok: failed.length === 0 || is_tolerated, checks, warnings: warningsOf(is_tolerated, transport) }
}

function warningsOf(is_broker_away: boolean, { trouble }: Parts['transport']): string[] {
  if (is_broker_away) return [BROKER_AWAY]
  return trouble === undefined ? [] : [trouble]
}

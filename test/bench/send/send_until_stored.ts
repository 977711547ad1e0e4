import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { Load, Sample } from '../load/loop.ts'
import type { Remote } from '../servers/remote.ts'

const DRAIN_MS = 30_000

/**
 * Runs a load of sends, then waits until every accepted message has one of the final statuses in the table `message`.
 * The throughput counts to that moment; a message that has none after 30 s is an error.
 */
export async function sendUntilStored(
  database: pg.Client,
  load: Remote,
  round: Load,
  finals: string[],
): Promise<Sample> {
  const last = (await database.query("select coalesce(max(id), '') as id from message")).rows[0].id
  const from = performance.now()
  const posted = await load.call<Sample>('run', round)
  const accepted = posted.issued - posted.errors
  const stored = await drained(database, last, finals, accepted)
  const seconds = (performance.now() - from) / 1000
  return { ...posted, operations: stored, errors: posted.errors + accepted - stored, seconds }
}

/** Waits until `accepted` messages after id `last` have one of the statuses. Resolves to their number. */
async function drained(database: pg.Client, last: string, finals: string[], accepted: number): Promise<number> {
  const deadline = performance.now() + DRAIN_MS
  const count = 'select count(*) from message where id > $1 and status = any($2)'
  for (;;) {
    const stored = Number(
      (await database.query({ name: 'drained', text: count, values: [last, finals] })).rows[0].count,
    )
    if (stored >= accepted || performance.now() > deadline) return Math.min(stored, accepted)
    await pause(50)
  }
}

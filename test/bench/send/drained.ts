import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'

const DRAIN_MS = 30_000

/** Waits until `accepted` messages after id `last` have one of the final statuses; gives up after 30 s. Resolves to their number. */
export async function drained(database: pg.Client, last: string, finals: string[], accepted: number): Promise<number> {
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

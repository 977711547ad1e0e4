import type { Turn } from '../../runtime/mod.ts'
import { type Database, sql } from '../../storage/mod.ts'

/**
 * One durable timer, `due`, for everything an actor has to do later: it stands at the earliest time. `next_due` (ms) is
 * when it is set for, as loaded or as set last; null when nothing is to come.
 */
export function wakeAt(turn: Turn<{ next_due: number | null }>, at: Date): void {
  const { state, now } = turn
  const set = state.next_due
  if (set !== null && set <= now.getTime()) {
    // It is firing, or was lost in a crash before it could: what is due is looked for at once, and that sets it anew.
    turn.soon(0, { type: 'due' })
    return
  }
  if (set !== null && set <= at.getTime()) return
  state.next_due = at.getTime()
  turn.timer('due', at, { type: 'due' })
}

/** For when the timers of these actors are set, by key. */
export async function loadDueTimers(
  database: Database,
  kind: string,
  keys: string[],
  name = 'due',
): Promise<Map<string, number>> {
  const addresses = sql.list(keys.map((key) => `${kind}/${key}`))
  const rows = await database.execute<{ address: string; due: number }>(
    sql`select address, (extract(epoch from due_at) * 1000)::float8 as due from timer
     where name = ${name} and due_at is not null and address in (${addresses})`,
  )
  return new Map(rows.map(({ address, due }) => [address.slice(kind.length + 1), Math.round(due)]))
}

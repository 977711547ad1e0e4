/** Five states that a test saves again and again, and the look-ups for them. */
import type { Test } from 'tap'
import { PostgresStore } from '../../../runtime/commit/postgres_store.ts'
import type { Commit } from '../../../runtime/commit/store.ts'
import type { Database, Statement } from '../../../storage/mod.ts'
import { testDatabase } from '../../support/mod.ts'

export const ADDRESSES = Array.from({ length: 5 }, (_, i) => `counter/${i}`)
/** Counts the look-ups of this session since it last reported to the server's statistics. */
const LOOKS: Statement = {
  text: `select coalesce(sum(seq_scan + idx_scan), 0) as looks from pg_stat_xact_user_tables where relname = 'actor_state'`,
  params: [],
}

/** Opens a store on a database of the test's own, or on `opened`, and counts its look-ups. */
export async function begin(t: Test, opened?: Database) {
  const database = opened ?? (await testDatabase(t)).database
  const looks: number[] = []
  const watched: Database = {
    ...database,
    async commit(statements, options) {
      const rows = await database.commit([LOOKS, ...statements, LOOKS], options)
      looks.push(Number(rows.pop()!.looks) - Number(rows.shift()!.looks))
      return rows
    },
  }
  const store = new PostgresStore(watched)
  const source = await store.newSource('one', 0)
  let commits = 0
  const save = (n: number, addresses = ADDRESSES, by = store) => {
    const states = addresses.map((address) => ({ address, json: JSON.stringify({ n, text: 'x'.repeat(250) }) }))
    const nothing = { fences: [], settle: [], fired: [], timers: [], sent: [], dead: [], writes: [] }
    const commit: Commit = { source, commits: ++commits, ...nothing, states }
    return by.transaction(commit).run()
  }
  const saved = async () => {
    const rows = await database.execute<{ n: number }>(
      `select (state ->> 'n')::int as n from actor_state where address like 'counter/%' order by address`,
    )
    return rows.map(({ n }) => n)
  }
  return { database, watched, store, save, saved, looks }
}

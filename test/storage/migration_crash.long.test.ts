/** Migrations that are cut off continue where they stopped, and one node at a time works on them. */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { migrations } from '../../storage/migrations/list.ts'
import { buildIndex, inBatches, inTransaction, type Migration } from '../../storage/migrations/step.ts'
import { compareMigrations, type Database, migrate } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'

const ROWS = 600
/** A slow statement that must not run twice. */
const count = (column: string) =>
  inBatches({
    table: 'thing',
    key: 'id',
    set: `${column} = ${column} + 1 + length(pg_sleep(0.0003)::text)`,
    where: 'true',
  })

const long: Migration = {
  name: '9998_long',
  steps: [
    inTransaction('alter table thing add column once integer not null default 0'),
    count('once'),
    inTransaction(
      'alter table thing add column twice integer not null default 0',
      'update thing_changes set count = count + 1',
    ),
    buildIndex('thing_once', 'thing (once, id)'),
    count('twice'),
  ],
}
const list = [
  ...migrations,
  long,
  { name: '9999_last', steps: [inTransaction('insert into thing_changes values (100)')] },
]

async function withThings(database: Database): Promise<void> {
  await database.execute(`
    create table thing (id bigint primary key);
    insert into thing select n * 7 - 5000 from generate_series(1, ${ROWS}) n;
    create table thing_changes (count integer);
    insert into thing_changes values (0)`)
}

/** Ends the session that migrates, as a crash of its node does. */
async function kill(database: Database): Promise<boolean> {
  const killed = await database.execute(`select pg_terminate_backend(pid) from pg_locks
    where locktype = 'advisory' and granted and database = (select oid from pg_database where datname = current_database())`)
  return killed.length > 0
}

async function until(database: Database, condition: string): Promise<void> {
  for (;;) {
    const [row] = await database.execute<{ holds: boolean | null }>(`select (${condition}) as holds`)
    if (row?.holds) return
    await pause(5)
  }
}

t.test('a migration that is killed again and again does each step once', async (t) => {
  const { database } = await testDatabase(t)
  await withThings(database)
  let kills = 0
  const isDone = async () => (await compareMigrations(database, list)).missing.length === 0
  for (let tries = 0; !(await isDone()); tries++) {
    let is_over = false
    const migrating = migrate(database, { list })
      .catch((error: Error) => error)
      .finally(() => {
        is_over = true
      })
    // The pause grows with each try, so that the migration comes to its end.
    await Promise.race([pause(tries * 20 + Math.random() * 20), migrating])
    while (!is_over && !(await kill(database))) await pause(1)
    if (!is_over) kills++
    const ended = await migrating
    if (ended instanceof Error) t.match(ended.message, /^Migration 9|connection/i)
  }
  t.ok(kills > 2, `killed ${kills} times`)
  t.same(await database.execute('select once, twice, count(*)::integer from thing group by 1, 2'), [
    { once: 1, twice: 1, count: ROWS },
  ])
  t.same(await database.execute('select count from thing_changes order by 1'), [{ count: 1 }, { count: 100 }])
  t.same(await database.execute(`select indisvalid from pg_index where indexrelid = 'thing_once'::regclass`), [
    { indisvalid: true },
  ])
  t.same(await database.execute('select * from migration_progress'), [])
})

t.test('a waiting node takes over from a node that dies, and continues in the middle', async (t) => {
  const { database } = await testDatabase(t)
  await withThings(database)
  const said: object[] = []
  const first = migrate(database, { list })
  first.catch(() => {})
  await until(database, `exists (select 1 from migration_progress where step = 1 and rows > 0)`)
  const second = migrate(database, { list, log: (fields, text) => said.push({ text, ...fields }) })
  const older = await migrate(database, { list: migrations.slice(0, -1) })
  t.same(older, [], 'a node of an earlier release neither waits nor does anything')
  while (said.length === 0) await pause(5)
  await kill(database)
  await t.rejects(first, {
    name: 'MigrationFailed',
    message: /^Migration 9998_long, step 2 of 5: .* next start goes on/,
  })
  t.same(await second, ['9998_long', '9999_last'])
  t.match(said, [
    { text: 'another node migrates the database: this one waits for it' },
    { text: 'migrating the database', migrations: ['9998_long', '9999_last'] },
    { text: 'migration goes on', migration: '9998_long', step: 2, of: 5, rows: Number },
    { text: 'the database is up to date', ms: Number },
  ])
  t.same(await database.execute('select once, count(*)::integer from thing group by 1'), [{ once: 1, count: ROWS }])
})

t.test('an index that was left unfinished is made again', async (t) => {
  const { database } = await testDatabase(t, { pool_size: 6 })
  await withThings(database)
  const list = [
    ...migrations,
    { name: '9999_index', steps: [buildIndex('thing_id', 'thing (id desc)', { is_unique: true })] },
  ]
  const valid = () => database.execute(`select indisvalid from pg_index where indexrelid = to_regclass('thing_id')`)
  const [open, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const snapshot = database.em().transactional(
    async (em) => {
      await em.execute(`set local idle_in_transaction_session_timeout = 0; select 1 from thing`)
      open.resolve()
      await done.promise
    },
    { isolationLevel: 'repeatable read' },
  )
  await open.promise
  const said: object[] = []
  const first = migrate(database, { list, say_ms: 20, log: (fields) => said.push(fields) })
  first.catch(() => {})
  await until(database, `exists (select 1 from pg_stat_progress_create_index where current_locker_pid > 0)`)
  while (!said.some((line) => 'waits_for_pid' in line && line.waits_for_pid)) await pause(5)
  t.match(
    said.at(-1),
    { migration: '9999_index', step: 1, of: 1, table: 'thing', phase: /^waiting for/ },
    'who is waited for',
  )
  await kill(database)
  await t.rejects(first, { name: 'MigrationFailed' })
  t.same(await valid(), [{ indisvalid: false }])
  done.resolve()
  await snapshot
  t.same(await migrate(database, { list }), ['9999_index'])
  t.same(await valid(), [{ indisvalid: true }])
})

t.test('a node that is told to stop stops, and the next goes on', async (t) => {
  const { database } = await testDatabase(t)
  await withThings(database)
  const told = new AbortController()
  const migrating = migrate(database, { list, signal: told.signal })
  await until(database, `exists (select 1 from migration_progress where step = 1 and rows > 0)`)
  const reason = new Error('told to stop')
  told.abort(reason)
  t.equal(await migrating.catch((error) => error), reason)
  t.same(await migrate(database, { list }), ['9998_long', '9999_last'])
  t.same(await database.execute('select once, count(*)::integer from thing group by 1'), [{ once: 1, count: ROWS }])
})

t.test('a batch waits for a row that a node holds, and gives up the rows that the node waits for', async (t) => {
  const { database } = await testDatabase(t, { pool_size: 6 })
  await withThings(database)
  const [held, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const node = database.em().transactional(async (em) => {
    await em.execute('select 1 from thing where id = 2 for update')
    held.resolve()
    await done.promise
    // The order is the reverse of the batch's, so one of the two has to give way.
    await em.execute('select 1 from thing where id = -4993 for update')
  })
  await held.promise
  const migrating = migrate(database, { list })
  await until(
    database,
    `exists (select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock')`,
  )
  done.resolve()
  await t.resolves(node)
  t.same(await migrating, ['9998_long', '9999_last'])
  t.same(await database.execute('select once, twice, count(*)::integer from thing group by 1, 2'), [
    { once: 1, twice: 1, count: ROWS },
  ])
})

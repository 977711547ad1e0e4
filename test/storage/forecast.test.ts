/** The forecast of a migration says what each step does, to which tables, and changes nothing. */
import t from 'tap'
import { migrations } from '../../storage/migrations/list.ts'
import { buildIndex, inBatches, inTransaction, removeUnused } from '../../storage/migrations/step.ts'
import { forecastMigrations, migrate, openDatabase } from '../../storage/mod.ts'
import { emptyDatabaseUrl, testDatabase } from '../support/mod.ts'

const NEXT = [
  ...migrations,
  {
    name: '9998_marks',
    steps: [
      inTransaction('create table mark (id text primary key)', 'create index mark_id on mark (id)'),
      inTransaction('alter table crowd add column mark text, add column other text'),
      buildIndex('crowd_mark', 'crowd (mark) where mark is not null'),
      inBatches({ table: 'crowd', key: 'id', set: `mark = 'x'`, where: 'mark is null' }),
      inTransaction('alter table crowd validate constraint crowd_right'),
      removeUnused('0.1.0', 'alter table crowd drop column if exists old'),
      inTransaction('create or replace function nothing() returns void language sql as $$ $$'),
    ],
  },
]

t.test('each step has a sentence, the size of its table and an estimate', async (t) => {
  const { database } = await testDatabase(t)
  await database.execute('create table crowd (id integer primary key, name text)')
  await database.execute(`insert into crowd select n, repeat('x', 100) from generate_series(1, 30000) n`)
  await database.execute('analyze crowd')
  const { steps, newer, open_transactions } = await forecastMigrations(database, NEXT)
  t.strictSame(
    steps.map(({ summary }) => summary),
    [
      'Adds mark.',
      'Adds mark, other to crowd.',
      'Builds the index crowd_mark of crowd (about 30,000 rows) beside writers.',
      'Changes rows of crowd (about 30,000 rows) in short transactions.',
      'Reads crowd (about 30,000 rows) to prove a constraint.',
      'Removes what no release since 0.1.0 uses from crowd.',
      'Changes functions, triggers or settings.',
    ],
  )
  t.strictSame(
    steps.map(({ effect }) => effect),
    ['none', 'a moment', 'more load', 'more load', 'a moment', 'a moment', 'none'],
  )
  t.strictSame([steps[0]!.table, steps[0]!.rows], [null, 0], 'a new table has no rows')
  const [, , index, batches] = steps
  t.match(index, { migration: '9998_marks', step: 3, of: 7, table: 'crowd', rows: 30_000 })
  t.ok(index!.bytes > 3_000_000, `${index!.bytes} bytes`)
  t.ok(batches!.seconds > index!.seconds, 'a changed row costs more than one in an index')
  t.ok(batches!.disk_bytes >= batches!.bytes, 'each changed row is there twice for a while')
  t.strictSame([newer, open_transactions], [[], []])
  t.same(await database.execute(`select to_regclass('mark') as mark`), [{ mark: null }], 'nothing has changed')
})

t.test('an interrupted migration has its remaining steps, and one of a newer release is named', async (t) => {
  const { database } = await testDatabase(t)
  await database.execute('create table crowd (id integer primary key, name text)')
  await database.execute(`insert into migration_progress (name, step) values ('9998_marks', 2)`)
  await database.execute(`insert into migration (name) values ('9999_newer')`)
  const { steps, newer } = await forecastMigrations(database, NEXT)
  t.strictSame(
    steps.map(({ step }) => step),
    [3, 4, 5, 6, 7],
  )
  t.strictSame(newer, ['9999_newer'])
})

t.test('an empty database has all migrations before it, and one that is up to date has none', async (t) => {
  const url = await emptyDatabaseUrl(t)
  const database = await openDatabase({ url, pool_size: 2 })
  t.teardown(() => database.close())
  const { steps } = await forecastMigrations(database)
  t.equal(steps.length, migrations.flatMap(({ steps }) => steps).length)
  for (const { migration, step, summary } of steps) t.match(summary, /^[A-Z].*\.$/, `${migration} ${step}`)
  await migrate(database)
  t.strictSame((await forecastMigrations(database)).steps, [])
})

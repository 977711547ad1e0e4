/**
 * Events, deliveries and attempts have a table for each day. The tables are made ahead, and dropped when their time is
 * over.
 */
import t from 'tap'
import { migrations } from '../../storage/migrations/list.ts'
import { type Database, keepDayTables, migrate, objectIdAt, openDatabase } from '../../storage/mod.ts'
import { emptyDatabaseUrl, testDatabase } from '../support/mod.ts'

const DAY_MS = 86_400_000
const at = (days: number) => new Date(Date.now() + days * DAY_MS)
const nameOf = (table: string, days: number) => `${table}_${at(days).toISOString().slice(0, 10).replaceAll('-', '')}`

async function tables(database: Database): Promise<Set<string>> {
  const rows = await database.execute<{ name: string }>(`select inhrelid::regclass::text as name from pg_inherits
    where inhparent in ('event'::regclass, 'delivery'::regclass, 'attempt'::regclass)`)
  return new Set(rows.map(({ name }) => name))
}

/** Stores an event of some days ago, with a delivery and an attempt. */
async function store(database: Database, days: number): Promise<void> {
  const id = `${objectIdAt(at(days)).slice(0, 8)}0123456789abcdef`
  const created_at = at(days).toISOString()
  await database.execute(`
    insert into event values ('evt_${id}', 'p', 'x', '{}', '{wh_1}', '${created_at}');
    insert into delivery (id, subscription_id, project_id, event_id, event_type, created_at)
      values ('dlv_${id}', 'wh_1', 'p', 'evt_${id}', 'x', '${created_at}');
    insert into attempt values ('dlv_${id}', 1, '${created_at}', 200, 1, null, '{}', null)`)
}

const count = async (database: Database) =>
  (
    await database.execute(
      `select (select count(*)::int from event) as event, (select count(*)::int from delivery) as delivery,
        (select count(*)::int from attempt) as attempt`,
    )
  )[0]

t.test('tables exist a week ahead, and expired records are dropped with their table', async (t) => {
  const { database } = await testDatabase(t)
  // The days begin as if the installation had existed then.
  await database.execute(`select day_tables_add('${at(-40).toISOString().slice(0, 10)}', current_date)`)
  for (const days of [0, -29, -31, -39]) await store(database, days)
  t.same(await count(database), { event: 4, delivery: 4, attempt: 4 })
  const dropped = await keepDayTables(database, 30)
  for (const days of [-31, -39]) t.ok(dropped.includes(nameOf('delivery', days)))
  const left = await tables(database)
  for (const table of ['event', 'delivery', 'attempt']) {
    for (const days of [7, 0, -29]) t.ok(left.has(nameOf(table, days)), nameOf(table, days))
    t.notOk(left.has(nameOf(table, -31)))
  }
  t.same(await count(database), { event: 2, delivery: 2, attempt: 2 })
  t.same(await keepDayTables(database, 30), [], 'and again there is nothing to do')
})

t.test('nodes that tidy at once do it once', async (t) => {
  const { database } = await testDatabase(t)
  await database.execute(`select day_tables_add('${at(-40).toISOString().slice(0, 10)}', current_date)`)
  const dropped = await Promise.all([1, 2, 3].map(() => keepDayTables(database, 30)))
  t.equal(dropped.filter((names) => names.length > 0).length, 1)
})

t.test('a write and a look-up by id concern one day alone', async (t) => {
  const { database } = await testDatabase(t)
  await keepDayTables(database, 30)
  await store(database, 0)
  const id = `dlv_${objectIdAt(new Date()).slice(0, 8)}0123456789abcdef`
  const plans = await database.execute<Record<string, string>>(`explain select * from delivery where id = '${id}'`)
  const scanned = plans.map((row) => Object.values(row)[0]!).join('\n')
  t.equal(
    scanned.match(/delivery_\d{8}/g)?.every((name) => name === nameOf('delivery', 0)),
    true,
    scanned,
  )
})

t.test('records from before the day tables are kept', async (t) => {
  const url = await emptyDatabaseUrl(t)
  const database = await openDatabase({ url, pool_size: 2 })
  t.teardown(() => database.close())
  await migrate(database, { list: migrations.slice(0, 3) })
  const old = `${objectIdAt(at(-12)).slice(0, 8)}0123456789abcdef`
  await database.execute(`
    insert into event (id, project_id, type, data) values ('evt_${old}', 'p', 'x', '{"n": 1}');
    insert into delivery (id, subscription_id, project_id, event_id, event_type, status, attempts)
      values ('dlv_${old}', 'wh_1', 'p', 'evt_${old}', 'x', 'dead', 5)`)
  t.same(
    await migrate(database),
    migrations.map(({ name }) => name).filter((name) => name > '0003_rate_window'),
  )
  const [row] = await database.execute(`select d.status, d.attempts, e.subscription_ids, e.data
    from delivery d join event e on e.id = d.event_id where d.id = 'dlv_${old}'`)
  t.same(row, { status: 'dead', attempts: 5, subscription_ids: ['wh_1'], data: { n: 1 } })
})

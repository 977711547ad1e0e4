import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { entities } from '../../storage/entities/mod.ts'
import { migrations } from '../../storage/migrations/list.ts'
import { inTransaction } from '../../storage/migrations/step.ts'
import { migrate, openDatabase, TablesInUse } from '../../storage/mod.ts'
import { emptyDatabaseUrl, testDatabase } from '../support/mod.ts'

t.test('nodes that start at once migrate once', async (t) => {
  const url = await emptyDatabaseUrl(t)
  const nodes = await Promise.all([1, 2, 3, 4].map(() => openDatabase({ url, pool_size: 2 })))
  t.teardown(() => Promise.all(nodes.map((node) => node.close())))
  const applied = await Promise.all(nodes.map((node) => migrate(node)))
  t.same(
    applied.flat(),
    migrations.map(({ name }) => name),
    'each migration is applied by exactly one of them',
  )
  t.same(await migrate(nodes[0]!), [], 'and the next start finds nothing to do')
})

t.test('nodes go on working while a migration waits for a table that somebody reads', async (t) => {
  const { database } = await testDatabase(t)
  const list = [
    ...migrations,
    { name: '9999_mark', steps: [inTransaction('alter table message add column mark text')] },
  ]
  const [reading, done] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const backup = database.em().transactional(async (em) => {
    await em.execute('lock table message in access share mode')
    reading.resolve()
    await done.promise
  })
  await reading.promise
  await t.rejects(
    migrate(database, { list, patience_ms: 0 }),
    TablesInUse,
    'a start that has waited long enough says so',
  )
  const migrating = migrate(database, { list })
  await sleep(200)
  // Without the time-out, the statement would wait behind the migration, which waits for the backup.
  const work = database.execute(`set local statement_timeout = 10000; update message set type = type`)
  await t.resolves(work)
  done.resolve()
  await backup
  t.same(await migrating, ['9999_mark'])
})

t.test('a failed step leaves nothing behind and does not keep the lock', async (t) => {
  const url = await emptyDatabaseUrl(t)
  const database = await openDatabase({ url, pool_size: 2 })
  t.teardown(() => database.close())
  await database.execute('create table channel (x int)')
  const stopped = { name: 'MigrationFailed', message: /^Migration 0002_domain, step 1 of 1: .* already exists\. / }
  await t.rejects(migrate(database), stopped)
  t.same(await database.execute(`select to_regclass('project')::text as found`), [{ found: null }])
  await database.execute('drop table channel')
  t.same(
    await migrate(database),
    migrations.slice(1).map(({ name }) => name),
    'the next start goes on where it stopped',
  )
})

t.test('the entities and the tables have the same columns, types and keys', async (t) => {
  const { database } = await testDatabase(t)
  const columns = await database.execute<{ table: string; column: string; type: string; nullable: boolean }>(
    `select c.relname as "table", a.attname as "column", format_type(a.atttypid, a.atttypmod) as "type", not a.attnotnull as "nullable"
       from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relkind in ('r', 'p') and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and not a.attisdropped
        and a.attname <> 'of_a_later_release'
        -- What stays for nodes of the release before says so.
        and coalesce(col_description(c.oid, a.attnum), '') not like 'Unused since %'`,
  )
  const keys = await database.execute<{ table: string; key: string[] }>(
    `select conrelid::regclass::text as "table",
            array(select attname::text from unnest(conkey) with ordinality k(n, place)
                    join pg_attribute on attrelid = conrelid and attnum = n order by place) as "key"
       from pg_constraint where contype = 'p'`,
  )
  const spelling: Record<string, string> = {
    'timestamptz(3)': 'timestamp(3) with time zone',
    timestamptz: 'timestamp with time zone',
    int: 'integer',
    bool: 'boolean',
  }
  const metadata = database.orm.getMetadata()
  for (const entity of entities) {
    const meta = metadata.get(entity as never) as {
      tableName: string
      primaryKeys: string[]
      props: { name: string; fieldNames: string[]; columnTypes: string[]; nullable?: boolean; persist?: boolean }[]
    }
    const mapped = meta.props
      .filter(({ persist }) => persist !== false)
      .map(({ fieldNames, columnTypes, nullable }) => ({
        column: fieldNames[0]!,
        type: spelling[columnTypes[0]!] ?? columnTypes[0]!,
        nullable: nullable ?? false,
      }))
    const actual = columns
      .filter(({ table }) => table === meta.tableName)
      .map(({ column, type, nullable }) => ({ column, type, nullable }))
    t.same(sortByColumn(actual), sortByColumn(mapped), meta.tableName)
    t.ok(
      meta.props.every(({ name, fieldNames }) => name === fieldNames[0]),
      `${meta.tableName}: a property is named as its column`,
    )
    const key = keys.find(({ table }) => table.replaceAll('"', '') === meta.tableName)
    t.same(key?.key, meta.primaryKeys, `${meta.tableName}: primary key`)
  }
})

function sortByColumn<Row extends { column: string }>(rows: Row[]): Row[] {
  return rows.sort((a, b) => (a.column < b.column ? -1 : 1))
}

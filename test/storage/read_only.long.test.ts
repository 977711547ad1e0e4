/** A server that takes no more writes, although it answers and closes nothing. */
import t, { type Test } from 'tap'
import { type Database, openDatabase, planned, sql } from '../../storage/mod.ts'
import { plainQuery, privatePostgres, TEST_SECRET } from '../support/mod.ts'

const insert = (id: number) => [planned`insert into thing (id) values (${{ type: 'int', value: String(id) }})`]
const READ_ONLY = { code: '25006' }

/**
 * Opens a database with a connection of each kind. `turn` sets whether its server takes writes; `sessions` are its
 * backends.
 */
async function start(t: Test) {
  const { url } = await privatePostgres(t)
  const database = await openDatabase({ url, secret: TEST_SECRET, pool_size: 6 })
  t.teardown(() => database.close())
  await database.execute('create table thing (id int primary key)')
  const use = async () => {
    await Promise.all([1, 2, 3].map(() => database.execute('select pg_sleep(0.05)')))
    await database.ask(sql`select 1`, 30_000)
  }
  await database.commit(insert(0))
  await use()
  const turn = async (value: 'on' | 'off') => {
    await plainQuery(url, `alter system set default_transaction_read_only = ${value}`)
    await plainQuery(url, 'select pg_reload_conf()')
  }
  const sessions = async () =>
    (await plainQuery(url, `select pid from pg_stat_activity where application_name = 'parley' order by pid`)).map(
      ({ pid }) => pid,
    )
  return { url, database, turn, sessions, use }
}

async function eventually(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, 20))
}

const ways: [string, (database: Database) => Promise<unknown>][] = [
  ['a commit', (database) => database.commit(insert(1))],
  ['the pool', (database) => database.execute('insert into thing values (1)')],
  ['the connection that asks', (database) => database.ask(sql`insert into thing values (1)`, 30_000)],
]
for (const [name, write] of ways) {
  t.test(`when ${name} hears that the server takes no writes, all connections are dropped`, async (t) => {
    const { url, database, turn, sessions } = await start(t)
    const before = await sessions()
    t.equal(before.length, 5)
    await turn('on')
    // A session learns of the change with its next statement.
    await eventually(
      async () =>
        (
          await write(database).then(
            () => {},
            (error) => error,
          )
        )?.code === '25006',
    )
    await eventually(async () => (await sessions()).length === 0)
    await t.rejects(write(database), READ_ONLY)
    await t.rejects(database.execute('select 1'), { ...READ_ONLY, message: /^127\.0\.0\.1:\d+ takes no writes: / })
    await t.rejects(database.ask(sql`select 1`, 30_000), READ_ONLY)
    await t.rejects(openDatabase({ url, secret: TEST_SECRET }), READ_ONLY)
    await eventually(async () => (await sessions()).length === 0)
    await turn('off')
    await eventually(async () =>
      database.execute('delete from thing where id = 1').then(
        () => true,
        () => false,
      ),
    )
    await write(database)
    t.same(
      (await sessions()).filter((pid) => before.includes(pid)),
      [],
      'none of the former ones is left',
    )
  })
}

t.test('any role reads the history, and a server that does not tell it is still used', async (t) => {
  const { url, database } = await start(t)
  const plain = new URL(url)
  plain.username = 'plain'
  plain.password = 'plain'
  await plainQuery(url, `create role plain login password 'plain'`)
  const open = async () => {
    const opened = await openDatabase({ url: plain.href })
    await opened.ask(sql`select 1`, 30_000)
    const lock = await opened.execute(`select current_setting('lock_timeout') as lock_timeout`)
    await opened.close()
    return { history: opened.history, lock }
  }
  const lock = [{ lock_timeout: '5s' }]
  t.same(await open(), { history: database.history, lock })
  await plainQuery(url, 'revoke execute on function pg_control_system() from public')
  t.same(await open(), { history: '/00000001', lock })
  await plainQuery(url, 'revoke execute on function pg_walfile_name(pg_lsn) from public')
  t.same(await open(), { history: undefined, lock })
  const remarks: string[] = []
  const opened = await openDatabase({ url: plain.href, log: (remark) => remarks.push(remark) })
  await opened.commit([{ text: 'select 1', params: [] }])
  await opened.close()
  t.match(remarks, [/^PostgreSQL does not tell its timeline/], 'said once')
  t.equal(remarks.length, 1)
})

t.test('one session that an operator ends leaves the others', async (t) => {
  const { url, database, sessions } = await start(t)
  const before = await sessions()
  const [{ pid }] = (await database.ask<{ pid: number }>(sql`select pg_backend_pid() as pid`, 30_000)) as [
    { pid: number },
  ]
  await plainQuery(url, `select pg_terminate_backend(${pid})`)
  await eventually(async () =>
    database.ask(sql`select 1`, 30_000).then(
      () => true,
      () => false,
    ),
  )
  const after = await sessions()
  t.same(
    before.filter((one) => after.includes(one)),
    before.filter((one) => one !== pid),
  )
})

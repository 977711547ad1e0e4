import t from 'tap'
import { Company, migrate, objectId, openDatabase, sql } from '../../storage/mod.ts'
import { proxied } from '../runtime/support/proxy.ts'
import { privatePostgres, testDatabase } from '../support/mod.ts'

t.test('a server that dies does not end the process, and one that returns is used again', async (t) => {
  const postgres = await privatePostgres(t)
  const remarks: string[] = []
  const database = await openDatabase({ url: postgres.url, pool_size: 3, log: (remark) => remarks.push(remark) })
  t.teardown(() => database.close())
  const idle = Promise.all([1, 2, 3].map(() => database.execute('select pg_sleep(0.05)')))
  await idle
  const busy = database.execute('select pg_sleep(60)')
  busy.catch(() => {})
  await postgres.kill()
  await t.rejects(busy, 'a call in flight fails')
  await t.rejects(database.execute('select 1'), 'so do calls while it is away')
  await postgres.start()
  t.same(await database.execute('select 1 as one'), [{ one: 1 }])
  t.notMatch(remarks.join('\n'), 'pg_sleep', 'no statement is logged')
})

t.test('a server that cannot be reached fails the opening', async (t) => {
  await t.rejects(openDatabase({ url: 'postgresql://postgres@127.0.0.1:1/none', connect_timeout_ms: 1000 }))
})

t.test('text comes back unchanged', async (t) => {
  const { database } = await testDatabase(t)
  const name = `O'Hara ? $1 :x ?? \\ \\' "q" \u2028 😀 %s {} \\u0000 --`
  const now = new Date()
  const em = database.em()
  em.create(Company, { _id: objectId(), name, created_at: now, updated_at: now })
  await em.flush()
  const [company] = await database.em().find(Company, {})
  t.equal(company?.name, name)
  t.equal(company?.created_at.getTime(), now.getTime())
  const rows = await database.execute('select name, ?::json as doc from company where name = ?', [
    JSON.stringify({ name }),
    name,
  ])
  t.same(rows, [{ name, doc: { name } }])
  t.same(await migrate(database), [])
})

t.test('a silent server is noticed, and waiting statements can be made to fail', async (t) => {
  const { url } = await testDatabase(t)
  let silent = false
  const through = await proxied(t, url, {
    toServer: (piece, { server }) => !silent && server.write(piece),
    toClient: (piece, { client }) => !silent && client.write(piece),
  })
  const database = await openDatabase({ url: through, pool_size: 2 })
  t.teardown(() => database.close())
  const busy = [1, 2].map(() => database.execute('select pg_sleep(1)'))
  t.same(await database.ask(sql`select 1 as one`, 30_000), [{ one: 1 }], 'a busy pool is not silence')
  await Promise.all(busy)
  silent = true
  const waiting = database.execute('select 1')
  waiting.catch(() => {})
  await t.rejects(database.ask(sql`select 1`, 200), /^Connection terminated: PostgreSQL did not answer within 200 ms$/)
  database.breakConnections()
  await t.rejects(waiting)
  silent = false
  t.same(await database.ask(sql`select 1 as one`, 30_000), [{ one: 1 }])
  t.same(await database.execute('select 1 as one'), [{ one: 1 }])
})

t.test('a connection that is being opened when the database is closed fails then', async (t) => {
  const { url } = await testDatabase(t)
  let silent = false
  const through = await proxied(t, url, {
    toServer: (piece, { server }) => !silent && server.write(piece),
    toClient: (piece, { client }) => !silent && client.write(piece),
  })
  // The time-out is longer than the test may take, so no time limit ends the wait.
  const database = await openDatabase({ url: through, connect_timeout_ms: 600_000 })
  silent = true
  const opening = [database.session(), database.ask(sql`select 1`, 600_000)]
  const failed = Promise.allSettled(opening)
  await new Promise(setImmediate)
  await database.close()
  for (const { status } of await failed) t.equal(status, 'rejected')
})

t.test('a short question is answered beside a busy pool, or given up on both sides when it is late', async (t) => {
  const { url } = await testDatabase(t)
  const database = await openDatabase({ url, pool_size: 4 })
  t.teardown(() => database.close())
  const busy = [1, 2, 3].map(() => database.execute('select pg_sleep(0.5)'))
  t.match(await database.ask(sql`select 1 as one, now() as at`, 30_000), [{ one: 1, at: /^20/ }])
  await Promise.all(busy)
  const backend = async () => (await database.ask<{ pid: number }>(sql`select pg_backend_pid() as pid`, 30_000))[0]!.pid
  const pid = await backend()
  t.equal(await backend(), pid, 'one connection')
  await t.rejects(database.ask(sql`select nonsense`, 30_000), { code: '42703' })
  t.equal(await backend(), pid, 'which a wrong statement leaves')
  t.same(
    await Promise.all(
      [3, 1, 2].map((n) => database.ask(sql.raw(`select ${n} as n from pg_sleep(0.0${n})`, 'a test'), 30_000)),
    ),
    [[{ n: 3 }], [{ n: 1 }], [{ n: 2 }]],
    'one after the other',
  )
  await database.execute('create table thing (id int)')
  await database.em().transactional(async (em) => {
    await em.execute('lock table thing')
    const late = [
      database.ask(sql`insert into thing values (1)`, 100),
      database.ask(sql`insert into thing values (2)`, 200),
    ]
    for (const one of late) await t.rejects(one, /^Connection terminated: PostgreSQL did not answer within [12]00 ms$/)
    await em.execute('select pg_sleep(1)')
  })
  t.not(await backend(), pid, 'a connection that was late is not used again')
  t.same(await database.execute('select * from thing'), [])
})

t.test('connections of all kinds are within one number', async (t) => {
  const { url, database: witness } = await testDatabase(t)
  const database = await openDatabase({ url, pool_size: 6 })
  t.teardown(() => database.close())
  t.equal(database.pool_size, 4)
  const slow = 'select pg_sleep(0.3)'
  const work = [
    ...Array.from({ length: 20 }, () => database.execute(slow)),
    ...Array.from({ length: 5 }, () => database.commit([{ text: slow, params: [] }])),
    ...Array.from({ length: 5 }, () => database.ask(sql.raw(slow, 'a test'), 30_000)),
  ]
  const done = Promise.all(work).then(() => true)
  const counts: number[] = []
  const query = sql`select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
  while (!(await Promise.race([done, new Promise((resolve) => setTimeout(resolve, 50, false))]))) {
    counts.push((await witness.execute<{ n: number }>(query))[0]!.n)
  }
  // The witness has one or two connections of its own.
  t.ok(Math.max(...counts) <= 7 && Math.max(...counts) >= 6, String(counts))
})

t.test('the server drops a client that disappears without a word', async (t) => {
  const { database } = await testDatabase(t)
  const rows = await database.execute(`select name, setting from pg_settings
    where name in ('idle_in_transaction_session_timeout', 'lock_timeout', 'tcp_keepalives_idle',
      'tcp_keepalives_count') order by name`)
  t.same(
    rows.map(({ name, setting }) => [name, setting]),
    [
      ['idle_in_transaction_session_timeout', '5000'],
      ['lock_timeout', '5000'],
      ['tcp_keepalives_count', '4'],
      ['tcp_keepalives_idle', '10'],
    ],
  )
})

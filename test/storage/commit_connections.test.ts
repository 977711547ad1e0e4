/** Commits: all or nothing, whatever part of them a connection has prepared. */
import t, { type Test } from 'tap'
import { type Database, planned } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'

async function withTable(t: Test): Promise<Database> {
  const { database } = await testDatabase(t)
  await database.execute('create table thing (id int primary key, word text)')
  return database
}

const int = (value: number) => ({ type: 'int', value: String(value) })
const text = (value: string) => ({ type: 'text', value: `'${value.replaceAll("'", "''")}'` })
const insert = (id: number, word: string) => planned`insert into thing (id, word) values (${int(id)}, ${text(word)})`
const words = async (database: Database) =>
  (await database.execute('select word from thing order by id')).map(({ word }) => word)
/** Returns the number of statements that the connection has prepared, as a word. */
const count = (id: number) => ({
  text: `insert into thing select ${id}, count(*)::text from pg_prepared_statements`,
  params: [],
})

t.test('P1 a statement that comes again and again is prepared, and has the same effect', async (t) => {
  const database = await withTable(t)
  const strange = ["it's", '$1 $2', '?', '\\', "'); drop table thing; --", '', 'last']
  for (const [id, word] of strange.entries()) await database.commit([insert(id, word)])
  await database.commit([count(100)])
  t.same(await words(database), [...strange, '1'])
})

t.test('P1 P2 a commit that fails leaves nothing, and a later commit prepares its statements', async (t) => {
  const database = await withTable(t)
  await database.commit([insert(1, 'a')])
  await database.commit([insert(2, 'b')])
  const fails = { text: 'select 1 / 0', params: [] }
  await t.rejects(database.commit([insert(3, 'c'), fails]), { code: '22012' })
  await t.rejects(database.commit([fails, insert(3, 'c')]), { code: '22012' })
  t.same(await words(database), ['a', 'b'])
  await database.commit([insert(3, 'c'), insert(4, 'd')])
  await database.commit([insert(5, 'e')])
  await t.rejects(database.commit([insert(5, 'again')]), { code: '23505' })
  t.same(await words(database), ['a', 'b', 'c', 'd', 'e'])
})

t.test('P3 rows are found by their key, however small the table was when it was planned', async (t) => {
  const database = await withTable(t)
  const change = (ids: number[], word: string) =>
    planned`update thing t set word = ${text(word)} from json_to_recordset(${{ type: 'json', value: `'${JSON.stringify(ids.map((id) => ({ id })))}'` }}) as r(id int) where t.id = r.id`
  await database.commit([insert(1, 'a')])
  for (let n = 0; n < 5; n++) await database.commit([change([1], `w${n}`)])
  await database.execute("insert into thing select n, 'x' from generate_series(2, 20000) n")
  const scans = async () => {
    await database.commit([{ text: 'select pg_stat_force_next_flush()', params: [] }])
    const [row] = await database.execute("select seq_scan::int as n from pg_stat_user_tables where relname = 'thing'")
    return row!.n
  }
  const before = await scans()
  for (let n = 0; n < 5; n++) await database.commit([change([7, 15_000], `z${n}`)])
  t.equal(await scans(), before)
  t.equal((await words(database))[6], 'z4')
})

t.test('a connection that the server ended is replaced, and its prepared statements are forgotten', async (t) => {
  const database = await withTable(t)
  for (let id = 0; id < 5; id++) await database.commit([insert(id, 'a')])
  await database.execute(
    'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
  )
  let id = 5
  // The end of the connection may still be on its way; then a commit fails with this code.
  await database.commit([insert(id, 'b')]).catch((error) => t.match(error, { code: /^(57P01|ECONNRESET|EPIPE)$/ }))
  while (id++ < 9) await database.commit([insert(id, 'c')])
  t.equal((await words(database)).filter((word) => word === 'c').length, 4)
})

t.test('commits beyond the connections wait for one', async (t) => {
  const database = await withTable(t)
  await Promise.all(Array.from({ length: 20 }, (_, id) => database.commit([insert(id, `w${id}`)])))
  t.equal((await words(database)).length, 20)
  const slow = { text: 'select pg_sleep(0.5)', params: [] }
  const fails = { text: 'select 1 / 0', params: [] }
  const first = database.commit([slow])
  const others = Array.from({ length: 256 }, (_, n) => database.commit(n % 2 ? [fails] : [insert(100 + n, 'x')]))
  await t.rejects(database.commit([slow]), /too many commits wait/)
  await first
  const outcomes = await Promise.allSettled(others)
  t.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 128, 'a failure hands its place on')
})

t.test('a commit waits for a locked row no longer than allowed, and undoes everything', async (t) => {
  const database = await withTable(t)
  await database.commit([insert(1, 'a')])
  const change = { text: `update thing set word = 'b' where id = 1`, params: [] }
  await database.em().transactional(async (em) => {
    await em.execute('select * from thing where id = 1 for update')
    await t.rejects(database.commit([insert(2, 'x'), change]), { code: '55P03' }, 'after a second')
    await t.rejects(database.commit([insert(2, 'x'), change], { lock_timeout_ms: 20 }), { code: '55P03' })
  })
  t.same(await words(database), ['a'])
  await database.commit([insert(2, 'x'), change])
  t.same(await words(database), ['b', 'x'])
})

t.test('the time limit for locks holds for one commit alone, whatever is prepared', async (t) => {
  const database = await withTable(t)
  const setting = (id: number) => ({
    text: `insert into thing select ${id}, current_setting('lock_timeout')`,
    params: [],
  })
  const times = async (lock_timeout_ms?: number) => {
    const id = (await words(database)).length
    await database.commit([setting(id), insert(id + 1, 'x')], lock_timeout_ms === undefined ? {} : { lock_timeout_ms })
    return (await words(database))[id]
  }
  for (let n = 0; n < 4; n++) {
    t.equal(await times(250 + n), `${250 + n}ms`)
    t.equal(await times(), '1s')
  }
  const fails = { text: 'select 1 / 0', params: [] }
  await t.rejects(database.commit([insert(100, 'x'), fails], { lock_timeout_ms: 7 }), { code: '22012' })
  t.equal(await times(), '1s')
})

t.test('endless shapes of statements do not fill the server', async (t) => {
  const database = await withTable(t)
  for (let shape = 0; shape < 230; shape++) {
    const one = { text: `insert into thing (id, word) select $1, 's${shape}' where false`, params: [int(shape)] }
    await database.commit([one, one, one, one])
  }
  await database.commit([count(1)])
  t.ok(Number((await words(database))[0]) <= 200, 'some were let go')
})

const returning = (id: number) => planned`insert into thing (id, word) values (${int(id)}, 'a') returning word`

t.test('P5 a statement whose columns have changed is prepared anew, and the commit has its effect once', async (t) => {
  const database = await withTable(t)
  for (let id = 0; id < 5; id++) await database.commit([returning(id)])
  await database.execute('alter table thing alter word type varchar(20)')
  for (let id = 5; id < 8; id++) t.same(await database.commit([insert(id + 100, 'b'), returning(id)]), [{ word: 'a' }])
  t.equal((await words(database)).length, 11)
})

t.test('P3 P5 a connection that has lost its statements has lost its settings too, and is replaced', async (t) => {
  const database = await withTable(t)
  for (let id = 0; id < 5; id++) await database.commit([returning(id)])
  await database.commit([{ text: 'deallocate all', params: [] }])
  await database.commit([{ text: 'reset all', params: [] }])
  t.same(await database.commit([returning(5)]), [{ word: 'a' }])
  const setting = { text: `select current_setting('enable_seqscan') as scans`, params: [] }
  t.same(await database.commit([setting]), [{ scans: 'off' }])
  await t.rejects(database.commit([returning(5)]), { code: '23505' }, 'any other error is passed on')
})

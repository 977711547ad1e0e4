/** Reads that a connection plans once. */
import t, { type Test } from 'tap'
import { type Database, planned, sql } from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { testDatabase } from '../support/mod.ts'

/** One connection, so that each read meets what the former ones have prepared. */
async function withTable(t: Test): Promise<Database> {
  const { database } = await testDatabase(t, { pool_size: 1 })
  await database.execute('create table thing (id int primary key, word text, at timestamptz)')
  await database.execute(`insert into thing values (1, 'one', '2026-01-02T03:04:05Z'), (2, 'it''s', null)`)
  return database
}

const int = (value: number) => ({ type: 'int', value: String(value) })
const text = (value: string) => ({ type: 'text', value: `'${value.replaceAll("'", "''")}'` })
const byId = (id: number) => planned`select word from thing where id = ${int(id)}`
const prepared = { text: 'select count(*)::int as count from pg_prepared_statements', params: [] }

t.test('a read that comes again and again is prepared, and finds the same', async (t) => {
  const database = await withTable(t)
  for (const [id, rows] of [
    [1, [{ word: 'one' }]],
    [2, [{ word: "it's" }]],
    [3, []],
    [1, [{ word: 'one' }]],
  ] as const)
    t.same(await database.read(byId(id)), rows)
  t.same(await database.read(prepared), [{ count: 1 }])
  const strange = ["it's", '$1 $2', '?', '\\', "'); drop table thing; --", '']
  for (const word of strange) {
    t.same(await database.read(planned`select ${text(word)} as word`), [{ word }])
  }
})

t.test('fragments that come again are prepared together, whatever their values say', async (t) => {
  const database = await withTable(t)
  for (const word of ["it's", '$1 $2', "'); drop table thing; --", '', 'one', 'one']) {
    const words = [word, 'two']
    const rows = await database.readAll([
      sql`select id from thing where ${sql.join([sql`word = ${word}`, sql`id > ${0}`], ' and ')} and word <> 'two'`,
      sql`select ${word}::text as word, ${sql.json({ word })}::json ->> 'word' as same, ${words} as words, ${1}::int as n`,
      sql`select count(*)::int as count from thing`,
    ])
    const id = { one: 1, "it's": 2 }[word]
    t.same(rows, [id ? [{ id }] : [], [{ word, same: word, words, n: 1 }], [{ count: 2 }]], word)
  }
  const [{ count }] = (await database.read(prepared)) as [{ count: number }]
  t.ok(count >= 1, 'the first of them is prepared')
})

t.test('its settings end with it', async (t) => {
  const database = await withTable(t)
  const setting = `select current_setting('enable_seqscan') as scans`
  t.same(await database.read({ text: setting, params: [] }), [{ scans: 'off' }])
  t.same(await database.execute(setting), [{ scans: 'on' }])
})

t.test('a plan that the server refuses after a change of a column is made anew', async (t) => {
  const database = await withTable(t)
  for (let n = 0; n < 4; n++) await database.read(byId(1))
  await database.execute('alter table thing alter word type varchar(20)')
  t.same(await database.read(byId(1)), [{ word: 'one' }])
  t.same(await database.read(prepared), [{ count: 2 }], 'over the same connection, which keeps the former one')
})

t.test('statements that the connection has lost are prepared anew', async (t) => {
  const database = await withTable(t)
  for (let n = 0; n < 4; n++) await database.read(byId(1))
  await database.read({ text: 'deallocate all', params: [] })
  t.same(await database.read(byId(1)), [{ word: 'one' }])
  t.same(await database.read(prepared), [{ count: 1 }])
})

t.test('a connection that has ended is replaced, with what it had prepared', async (t) => {
  const database = await withTable(t)
  for (let n = 0; n < 4; n++) await database.read(byId(1))
  database.breakConnections()
  await eventually('there is another', () => database.read(byId(1)).catch(() => false as const))
  for (let n = 0; n < 4; n++) t.same(await database.read(byId(2)), [{ word: "it's" }])
  t.same(await database.read(prepared), [{ count: 1 }])
})

t.test('after the end it is refused', async (t) => {
  const database = await withTable(t)
  await database.close()
  await t.rejects(database.read(byId(1)), /the database was closed/)
})

t.test('connections share no name of a statement, so that none executes what another one has prepared', async (t) => {
  const { database } = await testDatabase(t, { pool_size: 1 })
  const names = { text: 'select name from pg_prepared_statements', params: [] }
  const planned_by = async () => {
    for (let n = 0; n < 4; n++) await database.read(planned`select ${int(n)} as n`)
    return (await database.read<{ name: string }>(names)).map(({ name }) => name)
  }
  const before = await planned_by()
  database.breakConnections()
  const after = await eventually('there is another', () => planned_by().catch(() => false as const))
  t.equal(new Set([...before, ...after]).size, 2)
})

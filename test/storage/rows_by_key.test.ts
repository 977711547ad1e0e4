/** Tables that swing between empty and large, under a snapshot that keeps every dead row. */
import t from 'tap'
import { testDatabase } from '../support/mod.ts'

const DEAD = 20_000
/** The most pages that a statement on one row may touch: some of the index, of the table and of the catalogues. */
const MAX_PAGES = 400

t.test('a row is found by its key, whatever the planner believes about a table full of dead rows', async (t) => {
  const { database } = await testDatabase(t)
  const holder = await database.session()
  const session = await database.session()
  t.teardown(() => Promise.all([holder.end(), session.end()]))
  await holder.query('begin isolation level repeatable read; select count(*) from lane')
  await database.execute(`insert into outbox (partition, source, number, address, message)
    select n % 8, 1, n, 'none/1', '{}' from generate_series(1, ${DEAD}) n`)
  await database.execute(`insert into timer (partition, address, name, due_at, message)
    select 1, 'none/' || n, 'x', now(), '{}' from generate_series(1, ${DEAD}) n`)
  await database.execute('delete from outbox')
  await database.execute('delete from timer')
  await database.execute(
    `insert into outbox (partition, source, number, address, message) values (3, 2, 1, 'none/1', '{}')`,
  )
  const timers = ['a', 'b'].map((name) => `(1, 'none/1', '${name}', '2030-01-01', '{}')`).join()
  await database.execute(`insert into timer (partition, address, name, due_at, message) values ${timers}`)
  await session.query('vacuum analyze outbox')
  await session.query('vacuum analyze timer')
  const pages = async (call: string) => {
    const answer = await session.query(`explain (analyze, buffers, format json) select ${call}`)
    const [{ Plan: plan }] = (answer as { rows: { 'QUERY PLAN': [{ Plan: Record<string, number> }] }[] }).rows[0]![
      'QUERY PLAN'
    ]
    return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!
  }
  const of = async (what: string, call: string) => {
    const count = await pages(call)
    t.ok(count < MAX_PAGES, `${what}: ${count} pages`)
  }
  await of('settling', `lane_settle('{3}', '{2}', '{1}')`)
  await of('firing', `lane_fired('{none/1}', '{a}', '{2030-01-01}')`)
  await of('cancelling', `lane_cancel('{none/1}', '{b}')`)
  const left = await database.execute(
    'select (select count(*) from outbox)::int + (select count(*) from timer)::int as left',
  )
  t.same(left, [{ left: 0 }])
  await holder.query('commit')
})

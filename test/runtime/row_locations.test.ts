/** States are saved where they were last seen. Each actor keeps one state, whatever has happened to that location. */
import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { PostgresStore } from '../../runtime/commit/postgres_store.ts'
import { RowLocations } from '../../runtime/commit/row_locations.ts'
import { openDatabase } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { ADDRESSES, begin } from './support/saved_states.ts'

t.test('a state that was saved or read here is saved without a look for it', async (t) => {
  const { watched, save, saved, looks } = await begin(t)
  await save(1)
  t.ok(looks.pop()! > 0, 'new ones are looked for')
  for (let n = 2; n < 12; n++) await save(n)
  t.same(looks.splice(0), Array(10).fill(0))
  for (const address of ADDRESSES) await save(11, [address])
  t.same(looks.splice(0), Array(5).fill(0), 'alone')
  const another = new PostgresStore(watched)
  await another.readStates(ADDRESSES)
  await save(12, ADDRESSES, another)
  t.same(looks.splice(0), [0], 'by a node that has read them')
  t.same(await saved(), Array(5).fill(12))
})

t.test('a state that was moved, changed or removed by others is saved all the same, once', async (t) => {
  const { database, save, saved, looks } = await begin(t)
  await save(1)
  await database.execute(`update actor_state set state = '{"n":0}' where address in ('counter/1', 'counter/3')`)
  await database.execute(`delete from actor_state where address = 'counter/4'`)
  await save(2)
  t.same(await saved(), Array(5).fill(2))
  looks.length = 0
  await save(3)
  t.same(looks, [0], 'the new locations are known')
  // The rows are written anew in another order, so locations now belong to other actors.
  await database.execute(`create table kept as select * from actor_state order by address desc`)
  await database.execute('truncate actor_state')
  await database.execute('insert into actor_state select * from kept')
  await save(4, ['counter/0', 'counter/4'])
  t.same(await saved(), [4, 3, 3, 3, 4])
  await save(5, ['counter/1'])
  await save(6, ['counter/1'])
  t.same(await saved(), [4, 6, 3, 3, 4])
})

t.test('a state that others remove and put back in one transaction meanwhile is saved once', async (t) => {
  const { database, watched, save, saved } = await begin(t)
  await save(1)
  const alone = ['counter/2']
  const cases: [string, string[], PostgresStore?][] = [
    ['its location is known', ADDRESSES],
    ['its location is not known', ADDRESSES, new PostgresStore(watched)],
    ['alone, its location is known', alone],
    ['alone, its location is not known', alone, new PostgresStore(watched)],
  ]
  for (const [what, addresses, store] of cases) {
    let saving: Promise<void> | undefined
    await database.em().transactional(async (em) => {
      await em.execute(`delete from actor_state where address = 'counter/2'`)
      await em.execute(`insert into actor_state (address, state) values ('counter/2', '{"n":0}')`)
      saving = save(2, addresses, store)
      const waits = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
      while ((await database.execute(waits)).length === 0) await pause(5)
    })
    await saving
    t.same(await saved(), Array(5).fill(2), what)
  }
})

t.test('a save does not scan the table, whatever an operator forbids the planner', async (t) => {
  const { database, url } = await testDatabase(t)
  await database.execute(`insert into actor_state (address, state)
    select 'other/' || n, '{}' from generate_series(1, 20000) n`)
  const name = new URL(url).pathname.slice(1)
  for (const what of ['tidscan', 'nestloop', 'indexscan', 'sort'])
    await database.execute(`alter database ${name} set enable_${what} = off`)
  const operated = await openDatabase({ url, pool_size: 4 })
  t.teardown(() => operated.close())
  const ways = [
    (location: string) => `states_save('[{"a":"other/7","s":{"n":1},"t":"${location}"}]', '{"${location}"}')`,
    (location: string) => `state_save('other/7', '{"n":1}', '${location}')`,
    (location: string) => `states_save('[{"a":"other/7","s":{"n":1},"t":"${location}"}]')`,
  ]
  const pages = async (save: string) => {
    const rows = await operated.execute(`explain (analyze, buffers, format json) select ${save}`)
    const [{ Plan: plan }] = rows[0]!['QUERY PLAN'] as [{ Plan: Record<string, number> }]
    return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!
  }
  for (const way of ways) {
    // The first call also reads the catalogues.
    await pages(way('(0,65535)'))
    const [row] = await operated.execute<{ location: string }>(
      `select ctid::text as location from actor_state where address = 'other/7'`,
    )
    for (const location of [row!.location, '(0,65535)', '(4000000,1)']) {
      const count = await pages(way(location))
      t.ok(count < 100, `${count} pages`)
    }
  }
})

t.test('one save takes any mixture of old and new states', async (t) => {
  const { save, saved } = await begin(t)
  await save(1, ['counter/1', 'counter/3'])
  await save(2, ['counter/0', 'counter/1', 'counter/2', 'counter/3', 'counter/4'])
  await save(3, ['counter/4', 'counter/2', 'counter/0'])
  t.same(await saved(), [3, 2, 3, 2, 3])
})

t.test('a node of the version before can still save', async (t) => {
  const { database, save, saved } = await begin(t)
  await save(1, ['counter/0', 'counter/1'])
  const rows = ADDRESSES.map((a) => ({ a, s: { n: 2 } }))
  await database.execute('select lane_save(?::json)', [JSON.stringify(rows)])
  t.same(await saved(), Array(5).fill(2))
  await save(3)
  t.same(await saved(), Array(5).fill(3))
})

t.test('two states of one actor are refused', async (t) => {
  const { database, store, save } = await begin(t)
  await save(1)
  await database.execute(`insert into actor_state select * from actor_state where address = 'counter/2'`)
  await t.rejects(store.readStates(ADDRESSES), /two states of counter\/2/)
  t.equal((await store.readStates(['counter/1'])).size, 1)
})

t.test('locations are forgotten in the order in which they were seen', async (t) => {
  const locations = new RowLocations(2)
  locations.see('counter/1', '(0,1)')
  locations.see('counter/2', '(0,2)')
  locations.see('counter/1', '(0,3)')
  locations.see('counter/3', '(0,4)')
  t.same(
    [1, 2, 3].map((key) => locations.of(`counter/${key}`)),
    ['(0,3)', undefined, '(0,4)'],
  )
})

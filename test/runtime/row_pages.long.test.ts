/** The room that states take on disk when they are saved where they were last seen. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { privatePostgres, TEST_SECRET } from '../support/mod.ts'
import { ADDRESSES, begin } from './support/saved_states.ts'

t.test('the pages of states that are saved again and again do not fill up', async (t) => {
  // The test has a server of its own: a long transaction in any database keeps PostgreSQL from looking anew for dead
  // rows. So does autovacuum while it works.
  const { url } = await privatePostgres(t)
  const alone = await openDatabase({ url, secret: TEST_SECRET, pool_size: 4 })
  t.teardown(() => alone.close())
  await alone.execute('alter system set autovacuum = off')
  await alone.execute('select pg_reload_conf()')
  const { database, save } = await begin(t, alone)
  for (let n = 0; n < 400; n++) await save(n)
  for (let n = 0; n < 400; n++) await save(n, [ADDRESSES[n % 5]!])
  const rows = await database.execute<{ pages: number }>(
    `select (pg_relation_size('actor_state') / current_setting('block_size')::int)::int as pages`,
  )
  t.ok(rows[0]!.pages <= 3, `${rows[0]!.pages} pages`)
})

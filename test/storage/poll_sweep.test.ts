/** Old acknowledgements of polls go, those of kept deliveries stay, and the key finds them. */
import t from 'tap'
import { sweepPollGroups } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'

t.test('acknowledgements of deliveries that are gone are deleted', async (t) => {
  const { database } = await testDatabase(t)
  // 12,000 of one subscription and one of each of fifty others, all of three days ago; one of each of today.
  await database.execute(`
    insert into poll_acknowledgement (subscription_id, up_to, status, acknowledged_at)
    select 'wh_' || lpad(s::text, 24, '0'), 'dlv_' || to_hex((extract(epoch from now())::bigint - age)) || lpad(n::text, 16, '0'),
      'success', now()
    from (values (3 * 86400), (60)) ages (age), generate_series(0, 50) s
      cross join lateral generate_series(1, case when s = 7 and age > 86400 then 12000 else 1 end) n`)
  const count = async () =>
    (await database.execute<{ count: number }>('select count(*)::int as count from poll_acknowledgement'))[0]!.count
  t.equal(await count(), 12_101)
  await sweepPollGroups(database, null)
  t.equal(await count(), 12_101, 'deliveries are kept for ever')
  await sweepPollGroups(database, 7)
  t.equal(await count(), 12_101)
  await sweepPollGroups(database, 1)
  t.equal(await count(), 51)
  const [old] = await database.execute(
    `select 1 from poll_acknowledgement where up_to < 'dlv_' || to_hex(extract(epoch from now())::bigint - 86400)`,
  )
  t.equal(old, undefined)
})

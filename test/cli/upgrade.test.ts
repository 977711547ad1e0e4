/** `parley upgrade check`, against databases of a former, the same and a newer release. */
import t from 'tap'
import { RELEASE } from '../../http/app/node/release.ts'
import { stepBetween } from '../../http/app/node/release_steps.ts'
import { durationOf, openTransactionText } from '../../http/cli/upgrade/upgrade_check.ts'
import { migrations } from '../../storage/migrations/list.ts'
import { migrate, openDatabase } from '../../storage/mod.ts'
import { emptyDatabaseUrl, type Owner, sharedServers, tempDir } from '../support/mod.ts'
import { run } from './command.ts'

async function databaseOf(t: Owner, list: typeof migrations) {
  const url = await emptyDatabaseUrl(t)
  const database = await openDatabase({ url, pool_size: 2 })
  t.teardown(() => database.close())
  if (list.length > 0) await migrate(database, { list })
  const check = async (...more: string[]) => {
    const { nats_url: NATS_URL } = await sharedServers()
    return run(['upgrade', 'check', ...more], { DATABASE_URL: url, NATS_URL, PARLEY_DATA_DIR: tempDir(t) })
  }
  const join = (release: string | undefined) =>
    database.execute(
      `select * from lease_join('${crypto.randomUUID().replaceAll('-', '').slice(0, 24)}', '${JSON.stringify({ release })}', 4)`,
    )
  return { database, check, join }
}

t.test('the steps of a former database are listed, with an estimate, and nothing changes', async (t) => {
  const { database, check, join } = await databaseOf(t, migrations.slice(0, -1))
  await join(RELEASE)
  const { code, out, err } = await check()
  t.equal(code, 0, err)
  t.match(out, `This is ${RELEASE}. Nodes that work now: 1 of ${RELEASE}.`)
  t.match(out, migrations.at(-1)!.name)
  t.match(out, /About .* in all/)
  t.match(out, /✔ nats/)
  t.match(out, 'The upgrade may begin.')
  const { out: json } = await check('--json')
  const checked = JSON.parse(json)
  t.equal(checked.ready, true)
  t.equal(checked.migrations.length, migrations.at(-1)!.steps.length)
  t.ok(checked.seconds > 0)
  const [{ count }] = (await database.execute<{ count: number }>('select count(*)::int as count from migration')) as [
    { count: number },
  ]
  t.equal(count, migrations.length - 1)
})

t.test('a database without nodes that is up to date needs nothing', async (t) => {
  const { check } = await databaseOf(t, migrations)
  const { code, out } = await check()
  t.equal(code, 0)
  t.match(out, 'No node works on this database now.')
  t.match(out, 'The database has all migrations of this release.')
})

t.test('nodes of a release that is too far have to be upgraded first', async (t) => {
  const { check, join } = await databaseOf(t, migrations)
  await join('9.7.0')
  await join(undefined)
  const { code, out } = await check()
  t.equal(code, 3)
  t.match(out.replace(/\s+/g, ' '), 'Upgrade by way of those between.')
  t.match(out, /! nodes\s+1 node of an unknown release/)
  t.match(out, 'Something has to be done first.')
})

t.test('a database of a newer release is named', async (t) => {
  const { database, check } = await databaseOf(t, migrations)
  await database.execute(`insert into migration (name) values ('9999_newer')`)
  const { code, out } = await check()
  t.equal(code, 0)
  t.match(out, /! database\s+A newer release has migrated it \(9999_newer\)/)
})

t.test('releases are one step apart, or too far', async (t) => {
  const steps = [
    ['0.1.0', '0.1.0', 'same'],
    ['0.1.0', '0.1.7', 'same'],
    ['0.1.0', '0.2.0', 'next'],
    ['0.2.3', '0.1.0', 'back'],
    ['0.1.0', '0.3.0', 'far'],
    ['0.9.0', '1.0.0', 'next'],
    ['1.0.0', '0.9.0', 'back'],
    ['1.1.0', '0.9.0', 'far'],
    ['1.0.0', '3.0.0', 'far'],
    ['today', '0.1.0', 'far'],
  ] as const
  for (const [from, to, step] of steps) t.equal(stepBetween(from, to), step, `${from} to ${to}`)
})

t.test('durations and open transactions are told in words', async (t) => {
  t.strictSame([0.1, 40, 600, 7200].map(durationOf), ['a moment', '40 s', '10 min', '2 h'])
  t.equal(
    openTransactionText({ pid: 7, application: 'pg_dump', seconds: 80 }),
    'Session 7 of pg_dump has had a transaction open for 80 s: builds of indexes wait for its end.',
  )
})

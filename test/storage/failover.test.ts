/** Two real servers, one of which takes writes: which one is used, and what is said when it is another one. */
import t, { type Test } from 'tap'
import { type Database, type HistoryChange, HistoryChanged, openDatabase, sql } from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { postgresPair, TEST_SECRET } from '../support/mod.ts'

async function open(t: Test, url: string): Promise<Database> {
  const database = await openDatabase({ url, secret: TEST_SECRET, pool_size: 6 })
  t.teardown(() => database.close())
  return database
}

const insert = (id: number) => [sql`insert into thing (id) values (${{ type: 'int', value: String(id) }})`]
const ids = async (database: Database) =>
  (await database.execute('select id from thing order by id')).map(({ id }) => id)

t.test(
  'of two servers the one that takes writes is used, and a promoted one is told of before it is used',
  async (t) => {
    const pair = await postgresPair(t)
    const database = await open(t, pair.url)
    const changes: HistoryChange[] = []
    let told: string | undefined
    let asked: Promise<unknown> | undefined
    database.onHistoryChange((change) => {
      changes.push(change)
      told = database.history
      // A statement that is begun by the listener goes to the new server, after the others were told.
      asked = database.ask('select 1 as one', 10_000)
    })
    await database.execute('create table thing (id int primary key)')
    await database.commit(insert(1))
    const first = database.history
    t.match(first, /^\d+\/00000001$/)
    await pair.caughtUp()
    await pair.cutReplication()
    await database.commit(insert(2))
    t.same(await ids(database), [1, 2])

    await pair.primary.kill()
    await t.rejects(
      database.ask('select 1', 10_000),
      /no server takes writes \(.*(standby|ECONNREFUSED).*\)/,
      'a standby is not used',
    )
    await pair.promote()
    const before = database.commit(insert(3), { history: first })
    await t.rejects(before, HistoryChanged, 'nothing that was decided on the former history is sent')
    t.same(changes, [{ from: first, to: first!.replace(/1$/, '2') }])
    t.equal(told, first, 'it is told before it holds')
    t.equal(database.history, changes[0]!.to)
    t.same(await ids(database), [1], 'the last commit is lost')
    await database.commit(insert(3), { history: database.history })
    t.same(await ids(database), [1, 3])
    t.same(await asked, [{ one: 1 }])

    // The former primary returns and takes writes, too: nobody told it.
    await pair.primary.start()
    t.same(await pair.primary.execute('select id from thing order by id'), [{ id: 1 }, { id: 2 }])
    database.breakConnections()
    for (let n = 4; n < 8; n++) await database.commit(insert(n))
    t.same(await ids(database), [1, 3, 4, 5, 6, 7])
    t.equal(changes.length, 1)
    // Only it is left: still nothing is sent to it.
    await pair.standby.kill()
    // A session of a killed PostgreSQL may answer once more before it notices.
    const insertion = 'insert into thing values (9) on conflict do nothing'
    const isRefused = () =>
      database.execute(insertion).then(
        () => false,
        () => true,
      )
    t.ok(await eventually('nothing is written', isRefused))
    const outcome = () => database.commit(insert(9)).then(String, String)
    // The first try may still end with the connection that broke.
    await outcome()
    t.match(await outcome(), /no server takes writes \(.*former primary.*\)/)
    t.same(await pair.primary.execute('select id from thing order by id'), [{ id: 1 }, { id: 2 }])
  },
)

/** Two real servers, one of which takes writes: the choice of the server, and the announcement of a change. */
import t, { type Test } from 'tap'
import { type Database, type HistoryChange, HistoryChanged, openDatabase, planned, sql } from '../../storage/mod.ts'
import { eventually } from '../e2e/client.ts'
import { postgresPair, TEST_SECRET } from '../support/mod.ts'

async function open(t: Test, url: string): Promise<Database> {
  const database = await openDatabase({ url, secret: TEST_SECRET, pool_size: 6 })
  t.teardown(() => database.close())
  return database
}

const insert = (id: number) => [planned`insert into thing (id) values (${{ type: 'int', value: String(id) }})`]
const ids = async (database: Database) =>
  (await database.execute('select id from thing order by id')).map(({ id }) => id)

t.test(
  'the one of two servers that takes writes is used, and a promoted one is announced before its use',
  async (t) => {
    const pair = await postgresPair(t)
    const database = await open(t, pair.url)
    const changes: HistoryChange[] = []
    let told: string | undefined
    let asked: Promise<unknown> | undefined
    database.onHistoryChange((change) => {
      changes.push(change)
      told = database.history
      // A statement that the listener begins goes to the new server, after all listeners were told.
      asked = database.ask(sql`select 1 as one`, 10_000)
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
      database.ask(sql`select 1`, 10_000),
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

    // The former primary returns and takes writes, too, because nobody told it.
    await pair.primary.start()
    t.same(await pair.primary.execute('select id from thing order by id'), [{ id: 1 }, { id: 2 }])
    database.breakConnections()
    for (let n = 4; n < 8; n++) await database.commit(insert(n))
    t.same(await ids(database), [1, 3, 4, 5, 6, 7])
    t.equal(changes.length, 1)
    // The former primary alone is left: still no statement goes to it.
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
    // The first try may still end with the broken connection.
    await outcome()
    t.match(await outcome(), /no server takes writes \(.*former primary.*\)/)
    t.same(await pair.primary.execute('select id from thing order by id'), [{ id: 1 }, { id: 2 }])
  },
)

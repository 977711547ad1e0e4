import t from 'tap'
import { migrations } from '../../storage/migrations/list.ts'
import { type Database, migrate, openDatabase } from '../../storage/mod.ts'
import { emptyDatabaseUrl } from '../support/mod.ts'

const contact = (database: Database, _id: string, customer_id: string | null) =>
  database.execute(
    `insert into contact (_id, company_id, project_id, channel_type, user_id, customer_id) values (?, 'c', 'p', 'web', ?, ?)`,
    [_id, _id, customer_id],
  )

t.test('contacts whose customer is gone lose the link, and all others stay unchanged', async (t) => {
  const database = await openDatabase({ url: await emptyDatabaseUrl(t), pool_size: 2 })
  t.teardown(() => database.close())
  const before = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name === '0028_held_customers'),
  )
  await migrate(database, { list: before })
  await database.execute(`insert into company (_id, name) values ('c', 'Acme')`)
  await database.execute(`insert into customer (_id, company_id, full_name) values ('ana', 'c', 'Ana')`)
  await contact(database, '1', 'ana')
  await contact(database, '2', 'gone')
  await contact(database, '3', null)
  await migrate(database)
  t.same(await database.execute('select _id, customer_id from contact order by _id'), [
    { _id: '1', customer_id: 'ana' },
    { _id: '2', customer_id: null },
    { _id: '3', customer_id: null },
  ])
  const broken = { code: '23503', constraint: 'contact_customer_id_fkey' }
  await t.rejects(contact(database, '4', 'gone'), broken)
  await t.rejects(database.execute(`delete from customer where _id = 'ana'`), broken)
})

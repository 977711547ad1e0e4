/** A node with another secret is noticed before it does anything. */
import t from 'tap'
import {
  checkSecret,
  compareSecret,
  confirmSecret,
  type Database,
  openDatabase,
  SecretMismatch,
} from '../../storage/mod.ts'
import { type Owner, TEST_SECRET, testDatabase } from '../support/mod.ts'
import { storeSubscription, storeTenant } from './records.ts'

/** Opens the same database for a node with a secret of its own. */
async function openWith(t: Owner, url: string, secret: string): Promise<Database> {
  const database = await openDatabase({ url, secret, pool_size: 4 })
  t.teardown(() => database.close())
  return database
}

t.test('the first start decides, also among several at once', async (t) => {
  const { url, database } = await testDatabase(t)
  t.equal(await compareSecret(database), false, 'nothing to compare with')
  await t.rejects(checkSecret(database), SecretMismatch, 'nothing is written by those who only look')
  const other = await openWith(t, url, 'a secret of somebody else')
  const starts = [database, other, database, other].map((one) => confirmSecret(one))
  const ends = await Promise.allSettled(starts)
  const [mine, theirs] = [ends[0]!.status, ends[1]!.status]
  t.strictSame([mine, theirs].sort(), ['fulfilled', 'rejected'])
  t.strictSame(
    ends.map(({ status }) => status),
    [mine, theirs, mine, theirs],
  )
  const [right, wrong] = mine === 'fulfilled' ? [database, other] : [other, database]
  await checkSecret(right)
  t.equal(await compareSecret(right), true)
  for (const look of [confirmSecret, checkSecret, compareSecret]) {
    await t.rejects(
      async () => void (await look(wrong)),
      /^The database was made with another PARLEY_SECRET, .*: set the PARLEY_SECRET it/,
    )
  }
})

t.test('a database without a canary is checked by its sealed values', async (t) => {
  const { url, database } = await testDatabase(t)
  const { project } = await storeTenant(database)
  for (let n = 0; n < 3; n++) await storeSubscription(database, project)
  await storeSubscription(database, project, { secret: 'v1:damaged' })
  const other = await openWith(t, url, 'a secret of somebody else')
  await t.rejects(compareSecret(other), SecretMismatch)
  await t.rejects(confirmSecret(other), SecretMismatch)
  t.strictSame(await database.execute('select * from vault_canary'), [], 'and not written by it')
  await confirmSecret(await openWith(t, url, TEST_SECRET))
  await checkSecret(database)
})

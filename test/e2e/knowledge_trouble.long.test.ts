/** Trouble with the database is no fault of the documents that are indexed meanwhile. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'
import { addDocument, foundBy, indexed } from './knowledge_client.ts'

/** More than a document gets when it is to blame. */
const ATTEMPTS = 7

// A node to itself, because a test cancels statements of the whole database.
const world = await startWorld(t)
const tenant = await makeTenant(world)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
t.teardown(() => database.close())

t.test('documents are tried until the trouble is over, however often', async (t) => {
  let id = ''
  await database.em().transactional(async (em) => {
    await em.execute('set local idle_in_transaction_session_timeout = 0')
    await em.execute('lock table knowledge_posting in access exclusive mode')
    id = await addDocument(tenant, 'Takahe', 'A takahe cannot fly.')
    await eventually('it was tried often', async () => {
      const [row] = await database.execute<{ attempts: number }>('select attempts from knowledge_reindex')
      // The test does not wait for the times of locks and pauses.
      await database.execute(`
        select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database()
          and wait_event_type = 'Lock' and pid <> pg_backend_pid() and query like '%knowledge_posting%'`)
      await database.execute(`
        update knowledge_reindex set due_at = now(), attempts = greatest(attempts, ${ATTEMPTS - 4})
        where due_at < now() + interval '29 seconds'`)
      const { body } = await tenant.api('GET', `knowledge/nodes/${id}`)
      t.equal(body.index_status, 'pending')
      return row!.attempts >= ATTEMPTS
    })
  })
  await database.execute('update knowledge_reindex set due_at = now()')
  await indexed(tenant, [id])
  t.same(await foundBy(tenant, 'takahe'), ['Takahe'])
})

/** A connection that breaks in a transaction, or before it begins, does not keep its place in the pool. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { proxied } from '../runtime/support/proxy.ts'
import { testDatabaseUrl } from '../support/mod.ts'

const POOL = 4

t.test('transactions whose connection breaks give their places back', async (t) => {
  let breaks: string | undefined
  const url = await proxied(t, await testDatabaseUrl(t), {
    toServer(piece, { client, server }) {
      if (breaks && piece.includes(breaks)) client.resetAndDestroy()
      else server.write(piece)
    },
  })
  const database = await openDatabase({ url, pool_size: POOL, connect_timeout_ms: 2000 })
  t.teardown(() => database.close())
  const transaction = () => database.em().transactional((em) => em.execute('select 1 as middle'))
  for (const words of ['begin', 'middle', 'commit']) {
    breaks = words
    await Promise.all(Array.from({ length: 2 * POOL }, () => t.rejects(transaction(), words)))
    breaks = undefined
    t.same(await database.execute('select 1 as one'), [{ one: 1 }], `after those that broke at "${words}"`)
    await t.resolves(transaction())
  }
})

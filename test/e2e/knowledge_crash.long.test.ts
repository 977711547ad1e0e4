/** A node that is killed while it indexes leaves its work to the next one, which does all of it, once. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { holdTable } from '../support/mod.ts'
import { eventually } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { foundBy, indexed } from './knowledge_client.ts'

const DOCUMENTS = 150
const KILLS = 3
/** Documents before each kill. */
const EACH = DOCUMENTS / KILLS

const world = await startKillable(t)
const tenant = await makeTenant(world)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

const count = async (from: string): Promise<number> =>
  (await database.execute<{ count: number }>(`select count(*)::integer as count from ${from}`))[0]!.count

t.test('kills while documents are indexed lose and double nothing', async (t) => {
  const ids: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const add = async (from: number, to: number) => {
      const added = Array.from({ length: to - from }, (_, n) => {
        const content = `The moa number ${kill * DOCUMENTS + from + n} is a bird that cannot fly. `.repeat(20)
        return made(tenant.api('POST', 'knowledge/nodes', { type: 'document', name: `Page ${from + n}`, content }))
      })
      for (const { _id } of await Promise.all(added)) ids.push(_id)
    }
    await add(0, EACH / 2)
    // The indexer could be faster than the requests: it gets no further than to here before the kill.
    const release = await holdTable(t, world.config.database_url!, 'knowledge_posting')
    await add(EACH / 2, EACH)
    t.ok((await count('knowledge_reindex')) > 0, 'there is work left')
    await world.process().end('SIGKILL')
    await release()
    // The claims of the killed node end with its lease, whatever their time is.
    const held = `pg_locks where relation = 'knowledge_reindex'::regclass and mode = 'RowExclusiveLock'`
    await eventually('its last statement has ended', async () => (await count(held)) === 0)
    // A claim without a node, made while the node had no lease, ends by its time alone, and so does a postponement.
    await database.execute(`
      update knowledge_reindex set due_at = now() + interval '1 day' where due_at > now() and claimed_by is not null`)
    await world.start()
  }
  await indexed(tenant, ids)
  t.equal(await count('knowledge_reindex'), 0)
  t.equal((await foundBy(tenant, 'moa', { limit: 50 })).length, 50)
  t.same(
    await database.execute(`
      select term, documents from knowledge_term where term = 'moa'
        or documents <> (select count(*) from knowledge_posting where term_id = id)`),
    [{ term: 'moa', documents: DOCUMENTS }],
    'every term counts its documents',
  )
  t.same(
    await database.execute(`
      select documents = (select count(*) from knowledge_node where words > 0) as documents,
        words = (select sum(words) from knowledge_node) as words from knowledge_corpus`),
    [{ documents: true, words: true }],
    'the totals are those of the documents',
  )
})

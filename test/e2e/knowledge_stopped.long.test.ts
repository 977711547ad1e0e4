/** A node that stands still while it indexes and converts, beside one that does the same work, and then goes on. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { freePort } from '../support/mod.ts'
import { startChild } from './child.ts'
import { eventually, type Json, patiently, sleep } from './client.ts'
import { made, makeTenant, OPERATOR_KEY, startWorld } from './fixture.ts'
import { importFile } from './import_client.ts'

const STOPS = process.env.PARLEY_TEST_ALL ? 3 : 2
/** Longer than a lease, and than an idle transaction may hold its locks. */
const STOPPED_MS = 7_000
const DOCUMENTS = 60
const FILES = 6

const world = await startWorld(t, { config: { partitions: 8 } })
const { config } = world
const child = startChild(t, new URL('./run_parley.ts', import.meta.url), {
  PARLEY_ENV: 'development',
  PARLEY_PORT: String(await freePort()),
  PARLEY_DATA_DIR: config.data_dir,
  PARLEY_OPERATOR_KEY: OPERATOR_KEY,
  PARLEY_SECRET: config.secret!,
  PARLEY_PARTITIONS: String(config.partitions),
  PARLEY_NATS_PREFIX: config.nats_prefix,
  DATABASE_URL: config.database_url!,
  NATS_URL: config.nats_url!,
})
await child.line(/^http:/)
const tenants = await Promise.all(Array.from({ length: 4 }, () => makeTenant(world)))
const database = await openDatabase({ url: config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

/** Makes the claims of both nodes due. The last statement of the stopped one may still have some of the rows. */
const giveBack = () =>
  database.execute(`
    update knowledge_reindex set due_at = now() where node_id in (select node_id from knowledge_reindex for update skip locked)`)

t.test('both nodes together do all of the work once', async (t) => {
  for (let stop = 0; stop < STOPS; stop++) {
    const work = tenants.flatMap((tenant) => [
      ...Array.from({ length: DOCUMENTS }, (_, n) => async () => {
        const content = `The moa number ${stop} ${n} is a bird that cannot fly. `.repeat(50)
        await patiently(() => tenant.api('POST', 'knowledge/nodes', { type: 'document', name: `Page ${n}`, content }))
      }),
      ...Array.from({ length: FILES }, (_, n) => async () => {
        await patiently(() => importFile(tenant, `# Moa ${stop} ${n}`, { filename: `${n}.md` }))
      }),
    ])
    const busy = Promise.all(work.map((one) => one()))
    await sleep(150 * (stop + 1))
    process.kill(child.pid, 'SIGSTOP')
    await sleep(STOPPED_MS / 2)
    await giveBack()
    await sleep(STOPPED_MS / 2)
    process.kill(child.pid, 'SIGCONT')
    await giveBack()
    await busy
  }
  await eventually('all is indexed', async () => {
    const [left] = await database.execute<{ n: number }>(`
      select (select count(*) from knowledge_reindex)::int
        + (select count(*) from knowledge_import where status in ('waiting', 'running'))::int as n`)
    return left!.n === 0
  })
  for (const tenant of tenants) {
    const { data } = (await made(tenant.api('GET', 'knowledge/imports'))) as { data: Json[] }
    t.equal(data.length, FILES, 'there is one document for each file')
    for (const { status } of data) t.equal(status, 'done')
  }
  t.same(
    await database.execute('select name, index_status from knowledge_node where index_status <> ?', ['indexed']),
    [],
  )
  t.same(
    await database.execute(`
      select term from knowledge_term where documents <> (select count(*) from knowledge_posting where term_id = id)`),
    [],
    'every term counts its documents',
  )
  t.same(
    await database.execute(`
      select c.project_id from knowledge_corpus c left join (
        select project_id, count(*) as documents, sum(words) as words from knowledge_node where words > 0 group by 1
      ) n using (project_id) where c.documents <> n.documents or c.words <> n.words`),
    [],
    'the totals are those of the documents',
  )
  t.same(
    await database.execute(`
      select name, content from knowledge_node node join knowledge_import on node_id = node._id
      where content <> '# Moa ${STOPS - 1} ' || split_part(source, '.', 1)`),
    [],
    'the last upload of each file stays',
  )
  t.equal(await child.end('SIGTERM'), 0, child.said())
})

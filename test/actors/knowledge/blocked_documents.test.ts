/** Documents that cannot be indexed, however many, keep no other document of their project waiting, and no other project. */
import t from 'tap'
import { Foreground, KnowledgeIndexer } from '../../../actors/mod.ts'
import { silentLog } from '../../../runtime/mod.ts'
import { objectId } from '../../../storage/mod.ts'
import { eventually } from '../../e2e/client.ts'
import { storeTenant } from '../../storage/records.ts'
import { testDatabase } from '../../support/mod.ts'

const MANY = 10_000

const { database } = await testDatabase(t)

const newProject = async () => (await storeTenant(database)).project._id

/** Adds documents with this name, which have waited longest. */
async function add(project_id: string, name: string, count = 1): Promise<void> {
  await database.execute(`
    insert into knowledge_node (_id, company_id, project_id, type, name, content, index_status)
      select '${objectId().slice(0, 16)}' || lpad(to_hex(n), 8, '0'), 'c', '${project_id}', 'document', '${name}', 'A takahe', 'pending'
      from generate_series(1, ${count}) n`)
}

async function count(name: string, condition: string): Promise<number> {
  const [row] = await database.execute<{ count: number }>(`
    select count(*)::int as count from knowledge_node left join knowledge_reindex on node_id = _id
      where name = '${name}' and ${condition}`)
  return row!.count
}

const indexed = (name: string) =>
  eventually(`${name} is indexed`, async () => (await count(name, `index_status = 'indexed'`)) > 0)

/** Runs the indexer while another session is in a transaction with this statement. */
async function indexing(during: string, work: () => Promise<unknown>): Promise<void> {
  await database.em().transactional(async (em) => {
    // A session of ours ends after five idle seconds.
    await em.execute('set local idle_in_transaction_session_timeout = 0')
    await em.execute(during)
    const indexer = new KnowledgeIndexer({
      database,
      log: silentLog,
      foreground: new Foreground(),
      node: () => undefined,
    })
    t.teardown(() => indexer.stop())
    indexer.wake()
    await work()
    await indexer.stop()
  })
}

t.test('documents that another session holds', async (t) => {
  const [one, other] = [await newProject(), await newProject()]
  await add(one, 'held', MANY)
  await add(one, 'free')
  await add(other, 'of another project')
  await indexing(`select from knowledge_node where name = 'held' for update`, async () => {
    await indexed('free')
    await indexed('of another project')
    t.equal(await count('held', 'attempts = 0'), MANY, 'they count no attempts')
  })
  await indexing('select', () => indexed('held'))
  await database.execute(`delete from knowledge_reindex where project_id = '${one}'`)
})

t.test('documents that fail again and again', async (t) => {
  const [one, other] = [await newProject(), await newProject()]
  await database.execute(`
    create function refuse() returns trigger language plpgsql as $$ begin
      raise exception 'as if others held what it needs' using errcode = '55P03'; end $$;
    create trigger refuse before update of words on knowledge_node for each row when (old.name = 'failing') execute function refuse()`)
  await add(one, 'failing', MANY)
  await database.execute('update knowledge_reindex set attempts = 2')
  await add(one, 'sound')
  await add(other, 'beside it')
  await indexing('select', async () => {
    await indexed('sound')
    await indexed('beside it')
    t.ok((await count('failing', 'attempts > 2')) < MANY / 10, 'nearly all of them wait')
    await eventually('one of them is tried', async () => (await count('failing', 'attempts > 2')) > 0)
  })
  await database.execute(`drop function refuse cascade; delete from knowledge_reindex where project_id = '${one}'`)
})

t.test('a project whose index another session holds', async (t) => {
  const [one, other] = [await newProject(), await newProject()].sort()
  await add(one!, 'waiting', MANY)
  await add(other!, 'free of locks')
  const outdated = (project_id: string) => `
    insert into knowledge_corpus (project_id, renormed) values ('${project_id}', 0)`
  await database.execute(outdated(one!))
  const held = `
    select pg_advisory_xact_lock(730731, hashtext('${one}')), knowledge_corpus from knowledge_corpus where project_id = '${one}' for update`
  await indexing(held, async () => {
    await indexed('free of locks')
    await database.execute(`
      delete from knowledge_reindex where project_id = '${one}'; update knowledge_corpus set renormed = 0 where project_id = '${other}'`)
    await eventually('the impacts of the other project are computed', async () => {
      const [row] = await database.execute(`select renormed from knowledge_corpus where project_id = '${other}'`)
      return row!.renormed === null
    })
    t.equal(await count('waiting', `index_status = 'indexed'`), 0)
  })
})

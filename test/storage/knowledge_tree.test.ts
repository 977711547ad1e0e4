/** The tables themselves keep the tree intact, whoever writes them. */
import t from 'tap'
import { type Database, objectId } from '../../storage/mod.ts'
import { testDatabase } from '../support/mod.ts'
import { storeTenant } from './records.ts'

const { database } = await testDatabase(t)
const { project } = await storeTenant(database)
const { project: other } = await storeTenant(database)

type Kind = 'folder' | 'document'

async function node(type: Kind, parent_id: string | null = null, project_id = project._id): Promise<string> {
  const _id = objectId()
  await database.execute(
    `insert into knowledge_node (_id, company_id, project_id, parent_id, type, name, content, index_status)
      values (?, 'c', ?, ?, ?, 'n', ?, 'pending')`,
    [_id, project_id, parent_id, type, type === 'folder' ? null : 'text'],
  )
  return _id
}

const move = (_id: string, parent_id: string | null) =>
  database.execute('update knowledge_node set parent_id = ? where _id = ?', [parent_id, _id])
const remove = (_id: string) =>
  database.execute('update knowledge_node set is_active = false, revision = revision + 1 where _id = ?', [_id])
const active = async (): Promise<string[]> => {
  const rows = await database.execute<{ _id: string }>('select _id from knowledge_node where is_active order by _id')
  return rows.map(({ _id }) => _id)
}
const totals = async (database: Database) =>
  (await database.execute('select folders, documents from knowledge_tree where project_id = ?', [project._id]))[0]
const queued = async (): Promise<string[]> => {
  const rows = await database.execute<{ node_id: string }>('select node_id from knowledge_reindex order by node_id')
  return rows.map(({ node_id }) => node_id)
}

t.test('a node is never outside of a folder of its project, nor below itself', async (t) => {
  const top = await node('folder')
  const middle = await node('folder', top)
  const bottom = await node('folder', middle)
  const page = await node('document', bottom)
  const foreign = await node('folder', null, other._id)
  for (const parent of [page, foreign, objectId()]) {
    await t.rejects(node('document', parent), { message: /is not in a folder of its project/ })
    await t.rejects(move(bottom, parent), { message: /is not in a folder|is below itself/ })
  }
  for (const parent of [top, middle, bottom]) await t.rejects(move(top, parent), { message: /is below itself/ })
  await move(bottom, top)
  await move(middle, bottom)
  await t.rejects(move(bottom, middle), { message: /is below itself/ })
})

t.test('two moves that each are right never make a cycle together', async (t) => {
  const [a, b] = [await node('folder'), await node('folder')]
  const swap = `update knowledge_node set parent_id = case _id when ? then ? else ? end where _id in (?, ?)`
  await t.rejects(database.execute(swap, [a, b, a, a, b]), { message: /is below itself/ })
})

t.test('one update deletes a whole subtree, counts its nodes and queues its documents', async (t) => {
  await database.execute('delete from knowledge_reindex')
  const kept = await active()
  const before = await totals(database)
  const top = await node('folder')
  const middle = await node('folder', top)
  const earlier = await node('folder', middle)
  const pages = [await node('document', top), await node('document', middle), await node('document', earlier)]
  t.same(await queued(), [...pages].sort())
  await remove(earlier)
  await database.execute('delete from knowledge_reindex')
  await remove(top)
  t.same(await active(), kept)
  t.same(await totals(database), before)
  t.same(await queued(), pages.slice(0, 2).sort(), 'documents deleted before are not queued again')
})

t.test('a document that leaves a folder in the same transaction is not deleted with it', async (t) => {
  const folder = await node('folder')
  const page = await node('document', folder)
  const arriving = await node('document')
  await database.em().transactional(async (em) => {
    const set = (values: string, _id: string) => em.execute(`update knowledge_node set ${values} where _id = ?`, [_id])
    await set('is_active = false', folder)
    await set('parent_id = null', page)
    await set(`parent_id = '${folder}'`, arriving)
  })
  const left = await active()
  t.ok(left.includes(page))
  t.notOk(left.includes(arriving))
})

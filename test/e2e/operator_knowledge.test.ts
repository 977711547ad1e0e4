/** Operators read and change the knowledge of any project, with the operator API and the command line. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type Finished, run } from '../cli/command.ts'
import { tempDir } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant, OPERATOR_KEY } from './fixture.ts'
import { addDocument, addFolder, foundBy, indexed } from './knowledge_client.ts'

const world = await joinWorld(t)
const { operator } = world
const tenant = await makeTenant(world)
const other = await makeSister(world, tenant)
const { project_id } = tenant
const nobody = 'f'.repeat(24)

const state = async (): Promise<Json> => made(operator('GET', `knowledge/index?project_id=${project_id}`))

t.test('what operators write is that of the API', async (t) => {
  const folder = await made(operator('POST', 'knowledge/nodes', { project_id, type: 'folder', name: 'Policies' }))
  const fields = { type: 'document', name: 'Returns', content: 'Goods may be returned.', parent_id: folder._id }
  const document = await made(operator('POST', 'knowledge/nodes', { project_id, ...fields }))
  t.match(document, { project_id, ...fields, index_status: 'pending' })
  await indexed(tenant, [document._id])
  const { project_id: _, ...shown } = await made(operator('GET', `knowledge/nodes/${document._id}`))
  t.same(shown, (await tenant.api('GET', `knowledge/nodes/${document._id}`)).body)
  const tree = await made(operator('GET', `knowledge/tree?project_id=${project_id}`))
  t.same(tree, (await tenant.api('GET', 'knowledge/tree')).body)
  const search = { query: 'returned', limit: 5 }
  const found = await made(operator('POST', 'knowledge/search', { project_id, ...search }))
  t.same(found, (await tenant.api('POST', 'knowledge/search', search)).body)
  t.equal(found.data.length, 1)
  const patch = { name: 'Returns and refunds', parent_id: null }
  t.match(await made(operator('PATCH', `knowledge/nodes/${document._id}`, patch)), patch)
  t.equal((await operator('DELETE', `knowledge/nodes/${document._id}`)).status, 204)
  for (const method of ['GET', 'DELETE', 'PATCH']) {
    const answer = await operator(method, `knowledge/nodes/${document._id}`, method === 'PATCH' ? patch : undefined)
    t.match(answer, { status: 404, body: { error: { code: 'NOT_FOUND' } } }, method)
  }
  t.same(await foundBy(tenant, 'returned'), [])
})

t.test('lists filter by project, folder, type and state, without contents', async (t) => {
  const folder = await addFolder(other, 'Folder')
  const inside = await addDocument(other, 'Inside', 'x', { parent_id: folder })
  const outside = await addDocument(other, 'Outside', 'x')
  await indexed(other, [inside, outside])
  const mine = `project_id=${other.project_id}`
  const lists: [query: string, ids: string[]][] = [
    [mine, [outside, inside, folder]],
    [`${mine}&type=folder`, [folder]],
    [`${mine}&parent_id=${folder}`, [inside]],
    [`${mine}&index_status=pending`, []],
    [`${mine}&limit=1&offset=1`, [inside]],
  ]
  for (const [query, ids] of lists) {
    const { data, total } = await made(operator('GET', `knowledge/nodes?${query}`))
    const found = data.map(({ _id }: Json) => _id)
    t.same(found, ids, query)
    t.equal(total, query.includes('limit') ? 3 : ids.length)
    for (const node of data) t.notOk('content' in node)
  }
})

t.test('an unknown project and refusals of the tree have their codes', async (t) => {
  const unknown = { status: 422, body: { error: { code: 'PROJECT_NOT_FOUND' } } }
  t.match(await operator('POST', 'knowledge/nodes', { project_id: nobody, type: 'folder', name: 'x' }), unknown)
  t.match(await operator('POST', 'knowledge/search', { project_id: nobody, query: 'x' }), unknown)
  t.match(await operator('POST', 'knowledge/reindex', { project_id: nobody }), unknown)
  for (const path of ['tree', 'index']) {
    t.match(await operator('GET', `knowledge/${path}?project_id=${nobody}`), unknown)
    t.equal((await operator('GET', `knowledge/${path}`)).body.error.code, 'VALIDATION_ERROR')
  }
  const foreign = await addFolder(other, 'Foreign')
  const placed = { project_id, type: 'folder', name: 'x', parent_id: foreign }
  const refused = { status: 422, body: { error: { code: 'KNOWLEDGE_PARENT_NOT_FOUND' } } }
  t.match(await operator('POST', 'knowledge/nodes', placed), refused)
  for (const id of [nobody, 'x']) t.equal((await operator('GET', `knowledge/nodes/${id}`)).status, 404)
})

t.test('a project with knowledge is not deleted, and one whose knowledge is deleted is', async (t) => {
  const fields = { company_id: tenant.company_id, name: 'Short' }
  const { _id } = await made(operator('POST', 'projects', fields))
  const node = { project_id: _id, type: 'document', name: 'Note', content: 'A note of the project.' }
  const document = await made(operator('POST', 'knowledge/nodes', node))
  const held = { status: 409, body: { error: { code: 'IN_USE', details: { held_by: { knowledge_nodes: 1 } } } } }
  t.match(await operator('DELETE', `projects/${_id}`), held)
  t.equal((await operator('DELETE', `knowledge/nodes/${document._id}`)).status, 204)
  t.equal((await operator('DELETE', `projects/${_id}`)).status, 204)
})

const dir = tempDir(t)
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
const parley = (...args: string[]) => run(['knowledge', ...args], env)
const printed = async (finished: Promise<Finished>): Promise<string> => {
  const { code, out, err } = await finished
  if (code !== 0) throw new Error(err)
  return out
}
const json = async (...args: string[]): Promise<Json> => JSON.parse(await printed(parley(...args, '--json')))

t.test('the command line makes, shows, finds, moves and deletes', async (t) => {
  const mine = ['--project', project_id]
  const folder = await json('create', ...mine, '--folder', '--name', 'Shipping')
  t.match(folder, { type: 'folder', name: 'Shipping', parent_id: null })
  const file = join(dir, 'times.md')
  writeFileSync(file, '# Times\n\nParcels take two days, letters three.\n')
  const options = ['--name', 'Times', '--file', file, '--in', folder._id, '--language', 'en']
  const document = await json('create', ...mine, ...options)
  t.match(document, { parent_id: folder._id, content: '# Times\n\nParcels take two days, letters three.\n' })
  t.match(await printed(parley('reindex', ...mine, '--status', '--wait')), /: 0 wait to be indexed, 0 failed\.\n$/)
  t.match(await printed(parley('tree', ...mine)), /\n\w{24} +Shipping\/\n\w{24} {2}indexed {2}│ Times\n/)
  t.match(await json('tree', ...mine, '--in', folder._id), [{ name: 'Times' }])
  const shown = await printed(parley('show', document._id))
  t.match(shown, /^name +Times$/m)
  t.match(shown, /^index +indexed$/m)
  t.match(shown, /^ {4}Parcels take two days, letters three\.$/m)
  t.match(await printed(parley('search', ...mine, 'parcel', 'lettres')), /^\w{24} {2}Times {2}\d/)
  t.match(await json('search', ...mine, 'parcel'), [{ node_id: document._id }])
  t.match(await parley('search', ...mine, 'xylophone'), { code: 0, err: 'No document is like that.\n' })
  const changed = await json('update', document._id, '--name', 'Delivery times', '--content', 'Four days.')
  t.match(changed, { name: 'Delivery times', content: 'Four days.' })
  t.match(await json('move', document._id, '--to', 'top'), { parent_id: null })
  t.match(await json('move', document._id, '--to', folder._id), { parent_id: folder._id })
  t.equal(await printed(parley('delete', folder._id, '--yes')), `Deleted ${folder._id}.\n`)
  t.match(await parley('show', document._id), { code: 1, err: /There is no such resource/ })
  t.match(await parley('update', folder._id), { code: 2, err: /^Say what to change/ })
})

t.test('a reindex queues every document and shows its progress', async (t) => {
  const ids: string[] = []
  for (let n = 0; n < 5; n++) ids.push(await addDocument(tenant, `Page ${n}`, `The dodo number ${n}.`))
  await indexed(tenant, ids)
  const before = await eventually('all is indexed', async () => {
    const now = await state()
    return now.pending === 0 && now
  })
  const done = await json('reindex', '--project', project_id, '--wait')
  t.match(done, { queued: before.documents, documents: before.documents, pending: 0, failed: 0 })
  t.equal((await foundBy(tenant, 'dodo')).length, 5)
  t.match(await json('reindex', '--project', project_id, '--failed'), { queued: 0 })
})

/** The tree of folders and documents. */
import t from 'tap'
import type { Answer, Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant, OPERATOR_KEY, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const sister = await makeSister(world, tenant)

const nobody = 'f'.repeat(24)
const create = (fields: Json, by = tenant): Promise<Answer> => by.api('POST', 'knowledge/nodes', fields)
const folder = async (name: string, parent_id?: string | null, by = tenant): Promise<string> =>
  (await made(create({ type: 'folder', name, parent_id }, by)))._id
const page = async (name: string, parent_id?: string | null, by = tenant): Promise<string> =>
  (await made(create({ type: 'document', name, parent_id, content: name }, by)))._id
const patch = (id: string, fields: Json, by = tenant) => by.api('PATCH', `knowledge/nodes/${id}`, fields)
const remove = (id: string, by = tenant) => by.api('DELETE', `knowledge/nodes/${id}`)
const get = (id: string, by = tenant) => by.api('GET', `knowledge/nodes/${id}`)
const tree = async (query = '', by: Tenant = tenant): Promise<Json> =>
  (await made(by.api('GET', `knowledge/tree?${query}`))) as Json

/** Names of a tree, those below a folder in brackets. */
function names(nodes: Json[] | null): string {
  if (nodes === null) return '…'
  return nodes.map(({ name, children }) => (children === undefined ? name : `${name}[${names(children)}]`)).join(' ')
}

const FIELDS = ['_id', 'content', 'created_at', 'index_error', 'index_status', 'is_active', 'language', 'name']
const MORE = ['parent_id', 'source_url', 'type', 'updated_at', 'version']

t.test('a document has 500,000 characters of any script, however many bytes they are', async (t) => {
  for (const character of ['語', '😀']) {
    const content = character.repeat(500_000)
    const written = await create({ type: 'document', name: `All of ${character}`, content })
    t.equal(written.status, 201, written.text.slice(0, 200))
    t.ok((await get(written.body._id)).body.content === content)
    const changed = await patch(written.body._id, { content: `${content.slice(0, -character.length)}.` })
    t.equal(changed.status, 200, changed.text.slice(0, 200))
    const { project_id } = tenant
    const fields = { project_id, type: 'document', name: `By an operator ${character}`, content }
    const { status, body } = await world.operator('POST', 'knowledge/nodes', fields)
    t.equal(status, 201)
    t.equal(
      (await world.operator('PATCH', `knowledge/nodes/${body._id}`, { content: `${content.slice(2)}.` })).status,
      200,
    )
    for (const id of [written.body._id, body._id]) t.equal((await remove(id)).status, 204)
    t.match(await create({ type: 'document', name: 'More', content: `${content}.` }), {
      status: 400,
      body: { error: { details: { violations: [{ path: 'content', code: 'too_long' }] } } },
    })
  }
})

t.test('a node is kept as it was sent', async (t) => {
  const top = await made(create({ type: 'folder', name: 'Políticas' }))
  t.same(Object.keys(top).sort(), [...FIELDS, ...MORE].filter((name) => name !== 'content').sort())
  t.match(top, { parent_id: null, type: 'folder', index_status: 'indexed', is_active: true, source_url: null })
  const cases: [sent: Json, kept: Json][] = [
    [{ name: 'Without content' }, { parent_id: null, content: '', source_url: null }],
    [{ name: 'Empty', content: '', parent_id: null, source_url: null, language: null }, { content: '' }],
    [{ name: 'In the folder', parent_id: top._id.toUpperCase() }, { parent_id: top._id }],
    [{ name: '😀'.repeat(255), content: '😀\n\t "x"' }, { content: '😀\n\t "x"' }],
    [{ name: 'Fetched', source_url: 'https://example.com/a?b=c#d' }, { source_url: 'https://example.com/a?b=c#d' }],
    [{ name: 'In Spanish', content: 'x', language: 'es' }, { language: 'es' }],
    [{ name: 'Long', content: 'á'.repeat(500_000) }, { content: 'á'.repeat(500_000) }],
  ]
  for (const [sent, kept] of cases) {
    const answer = await made(create({ type: 'document', ...sent }))
    t.same(Object.keys(answer).sort(), [...FIELDS, ...MORE].sort())
    t.match(answer, { name: sent.name, type: 'document', index_error: null, is_active: true, ...kept })
    t.match((await get(answer._id)).body, { name: sent.name, ...kept })
    t.equal((await get(answer._id, sister)).status, 404)
  }
})

const ok = { type: 'document', name: 'x' }
const refused: [what: string, body: Json, path: string, code: string][] = [
  ['no type', { name: 'x' }, 'type', 'required'],
  ['an unknown type', { ...ok, type: 'link' }, 'type', 'invalid_value'],
  ['no name', { type: 'folder' }, 'name', 'required'],
  ['an empty name', { ...ok, name: '' }, 'name', 'too_short'],
  ['a blank name', { ...ok, name: ' ' }, 'name', 'invalid_value'],
  ['a name of 256 characters', { ...ok, name: '😀'.repeat(256) }, 'name', 'too_long'],
  ['a name of two lines', { ...ok, name: 'a\nb' }, 'name', 'invalid_value'],
  ['500001 characters', { ...ok, content: 'x'.repeat(500_001) }, 'content', 'too_long'],
  ['a malformed parent', { ...ok, parent_id: 'x' }, 'parent_id', 'invalid_format'],
  ['an unknown language', { ...ok, language: 'xx' }, 'language', 'invalid_value'],
  ['a language in full', { ...ok, language: 'spanish' }, 'language', 'invalid_value'],
  ['another scheme', { ...ok, source_url: 'ftp://example.com' }, 'source_url', 'invalid_value'],
  ['a relative address', { ...ok, source_url: '/a' }, 'source_url', 'invalid_value'],
  ['content of a folder', { type: 'folder', name: 'x', content: 'y' }, 'content', 'invalid_value'],
  ['a language of a folder', { type: 'folder', name: 'x', language: 'es' }, 'language', 'invalid_value'],
  ...['company', 'project', 'is_active', 'index_status', 'revision'].map((name): [string, Json, string, string] => [
    `the property ${name}`,
    { ...ok, [name]: nobody },
    name,
    'unknown_property',
  ]),
]
t.test('an invalid node is refused with its violations, and nothing is written', async (t) => {
  const before = names((await tree()).data)
  for (const [what, sent, path, code] of refused) {
    const { status, body } = await create(sent)
    t.equal(status, 400, what)
    t.equal(body.error.code, 'VALIDATION_ERROR')
    t.match(body.error.details.violations, [{ path, code }], what)
  }
  const all = await create({ name: '', parent_id: 1, content: 2, more: 3 })
  t.same(all.body.error.details.violations.map(({ path }: Json) => path).sort(), [
    'content',
    'more',
    'name',
    'parent_id',
    'type',
  ])
  t.equal(names((await tree()).data), before)
  for (const query of ['limit=0', 'limit=201', 'depth=0', 'depth=21', 'parent_id=x', 'cursor=x', 'offset=1']) {
    const { body } = await tenant.api('GET', `knowledge/tree?${query}`)
    t.equal(body.error?.code, 'VALIDATION_ERROR', query)
  }
})

t.test('a parent is an active folder of the project', async (t) => {
  const document = await page('A document')
  const gone = await folder('Gone')
  const below = await folder('Below', gone)
  t.equal((await remove(gone)).status, 204)
  const foreign = await folder('Foreign', null, sister)
  const moved = await folder('Moved')
  const cases: [parent_id: string, code: string][] = [
    [nobody, 'KNOWLEDGE_PARENT_NOT_FOUND'],
    [foreign, 'KNOWLEDGE_PARENT_NOT_FOUND'],
    [gone, 'KNOWLEDGE_PARENT_NOT_FOUND'],
    [below, 'KNOWLEDGE_PARENT_NOT_FOUND'],
    [document, 'KNOWLEDGE_PARENT_NOT_FOLDER'],
  ]
  for (const [parent_id, code] of cases) {
    for (const answer of [await create({ ...ok, parent_id }), await patch(moved, { parent_id })]) {
      t.match(answer, { status: 422, body: { error: { code, details: { parent_id } } } })
    }
  }
})

t.test('a patch changes only given fields, and a changed text is indexed again', async (t) => {
  const id = await page('Returns')
  const before = (await get(id)).body
  const cases: [patch: Json, status: string][] = [
    [{ name: 'Returns and refunds' }, 'pending'],
    [{ content: 'Within 30 days' }, 'pending'],
    [{ language: 'en' }, 'pending'],
    [{ source_url: 'https://example.com/returns' }, ''],
    [{ parent_id: await folder('Shop') }, ''],
    [{ parent_id: null }, ''],
    [{ source_url: null }, ''],
    [{}, ''],
  ]
  for (const [change, status] of cases) {
    const answer = await patch(id, change)
    t.match(answer, { status: 200, body: { _id: id, ...change } })
    if (status) t.equal(answer.body.index_status, status)
  }
  t.match((await get(id)).body, {
    name: 'Returns and refunds',
    content: 'Within 30 days',
    created_at: before.created_at,
  })
  const shop = await folder('Shop')
  for (const change of [{ content: 'x' }, { language: 'en' }, { source_url: 'https://example.com' }]) {
    t.match(await patch(shop, change), { status: 422, body: { error: { code: 'KNOWLEDGE_NODE_NOT_DOCUMENT' } } })
  }
  t.match(await patch(id, { type: 'folder' }), { status: 400 })
  for (const by of [tenant, sister]) t.equal((await patch(by === tenant ? nobody : id, { name: 'x' }, by)).status, 404)
})

t.test('a folder is never moved below itself, by any order of concurrent moves', async (t) => {
  const ids: string[] = []
  for (const name of ['a', 'b', 'c', 'd']) ids.push(await folder(name))
  t.match(await patch(ids[0]!, { parent_id: ids[0] }), {
    status: 422,
    body: { error: { code: 'KNOWLEDGE_NODE_BELOW_ITSELF' } },
  })
  for (let round = 0; round < 5; round++) {
    const moves = ids.flatMap((id) => ids.filter((other) => other !== id).map((parent_id) => patch(id, { parent_id })))
    for (const { status, body } of await Promise.all(moves)) {
      if (status !== 200)
        t.match({ status, body }, { status: 422, body: { error: { code: 'KNOWLEDGE_NODE_BELOW_ITSELF' } } })
    }
    const parents = new Map<string, string | null>()
    for (const id of ids) parents.set(id, (await get(id)).body.parent_id)
    for (const id of ids) {
      let [at, steps]: [string | null, number] = [id, 0]
      while (at !== null && steps <= ids.length) [at, steps] = [parents.get(at)!, steps + 1]
      t.equal(at, null, 'every folder is below the top')
    }
  }
})

t.test('folders are at most 16 levels deep, also after moves', async (t) => {
  const path: string[] = []
  for (let level = 1; level <= 16; level++) path.push(await folder(`level ${level}`, path.at(-1)))
  const deep = { status: 422, body: { error: { code: 'KNOWLEDGE_TOO_DEEP' } } }
  t.match(await create({ type: 'folder', name: 'x', parent_id: path[15] }), deep)
  t.equal((await create({ ...ok, parent_id: path[15] })).status, 201, 'documents have a place in each folder')
  const high = await folder('high')
  const low = await folder('low', high)
  t.match(await patch(high, { parent_id: path[14] }), deep)
  t.equal((await patch(low, { parent_id: path[14] })).status, 200)
  t.equal((await patch(high, { parent_id: path[14] })).status, 200)
})

t.test('a folder is deleted with all below it, once', async (t) => {
  const one = await makeTenant(world)
  const top = await folder('top', null, one)
  const middle = await folder('middle', top, one)
  const kept = await page('kept', null, one)
  const inside = [middle, await page('in top', top, one), await page('in middle', middle, one)]
  t.equal((await remove(top, sister)).status, 404)
  t.equal((await remove(top, one)).status, 204)
  for (const id of [top, ...inside]) {
    t.equal((await get(id, one)).status, 404)
    t.equal((await patch(id, { name: 'x' }, one)).status, 404)
    t.match(await remove(id, one), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  }
  t.equal(names((await tree('', one)).data), 'kept')
  t.equal((await get(kept, one)).status, 200)
  for (const id of [nobody, 'x']) t.equal((await remove(id, one)).status, 404)
  const [again, twice] = await Promise.all([remove(kept, one), remove(kept, one)])
  t.same([again!.status, twice!.status].sort(), [204, 404])
})

t.test('a node that was changed since it was read is not deleted by one who names the former version', async (t) => {
  const id = await page('read by two')
  const seen = (await get(id)).headers.etag!
  await made(patch(id, { content: 'written by the other' }))
  const deletion = (etag: string) => ({ headers: { 'if-match': etag } })
  const refused = await tenant.api('DELETE', `knowledge/nodes/${id}`, undefined, deletion(seen))
  t.match(refused, { status: 412, body: { error: { code: 'PRECONDITION_FAILED', details: { version: 2 } } } })
  const as_operator = await world.http('DELETE', `${world.base_url}/admin/v1/knowledge/nodes/${id}`, {
    ...deletion(seen),
    token: OPERATOR_KEY,
  })
  t.equal(as_operator.status, 412)
  const present = (await get(id)).headers.etag!
  t.equal((await tenant.api('DELETE', `knowledge/nodes/${id}`, undefined, deletion(present))).status, 204)
  t.equal((await tenant.api('DELETE', `knowledge/nodes/${id}`, undefined, deletion(present))).status, 404)
})

t.test('the tree is in order of names and can be read in parts', async (t) => {
  const one = await makeTenant(world)
  const shop = await folder('Shop', null, one)
  const about = await folder('about', null, one)
  const team = await folder('team', about, one)
  for (const name of ['Éclair', 'apple', 'Banana']) await page(name, shop, one)
  await page('people', team, one)
  await page('zebra', null, one)
  const trees: [query: string, shown: string][] = [
    ['', 'about[team[people]] Shop[apple Banana Éclair] zebra'],
    ['depth=1', 'about[…] Shop[…] zebra'],
    ['depth=2', 'about[team[…]] Shop[apple Banana Éclair] zebra'],
    [`parent_id=${about}`, 'team[people]'],
    [`parent_id=${shop}&limit=2`, 'apple Banana'],
    ['limit=2', 'about[team[people]] Shop[apple Banana]'],
  ]
  for (const [query, shown] of trees) t.equal(names((await tree(query, one)).data), shown, query)
  const first = await tree(`parent_id=${shop}&limit=2`, one)
  const rest = await tree(`parent_id=${shop}&limit=2&cursor=${first.next_cursor}`, one)
  t.equal(names(rest.data), 'Éclair')
  t.equal(rest.next_cursor, null)
  const { data } = await tree('limit=2', one)
  const inside = await tree(`parent_id=${shop}&cursor=${data[1].next_cursor}`, one)
  t.equal(names(inside.data), 'Éclair', 'the cursor of a folder in the tree leads on in it')
  t.equal(data[0].next_cursor, null)
  t.notOk('content' in data[1].children[0])
  t.equal((await one.api('GET', `knowledge/tree?parent_id=${nobody}`)).status, 404)
  t.same((await tree('', await makeTenant(world))).data, [])
})

t.test('a page begins where the page before ended, whatever happens to its last node', async (t) => {
  const one = await makeTenant(world)
  for (const name of ['a', 'b', 'c', 'd', 'e']) await page(name, null, one)
  const rename = async (id: string, name: string) => made(one.api('PATCH', `knowledge/nodes/${id}`, { name }))
  const first = await tree('limit=2', one)
  await rename(first.data[1]._id, 'z')
  const second = await tree(`limit=2&cursor=${first.next_cursor}`, one)
  t.equal(names(second.data), 'c d', 'no node is left out after a node that moved back')
  await rename(second.data[1]._id, '0')
  t.equal(
    names((await tree(`cursor=${second.next_cursor}`, one)).data),
    'e z',
    'none is repeated after one that moved up',
  )
  t.equal((await remove(second.data[1]._id, one)).status, 204)
  t.equal(names((await tree(`cursor=${second.next_cursor}`, one)).data), 'e z', 'none is lost after a deleted one')
  const nul = Buffer.from('\0').toString('base64url')
  for (const cursor of [first.data[0]._id, `${nobody}${nul}`, `${nobody}_w`, `${nobody}YR`]) {
    t.equal((await one.api('GET', `knowledge/tree?cursor=${cursor}`)).body.error?.code, 'VALIDATION_ERROR', cursor)
  }
})

t.test('each operation needs its scope', async (t) => {
  const id = await page('Scoped')
  const calls: [method: string, path: string, scope: string, json?: Json][] = [
    ['GET', 'knowledge/tree', 'knowledge:read'],
    ['GET', `knowledge/nodes/${id}`, 'knowledge:read'],
    ['POST', 'knowledge/nodes', 'knowledge:write', ok],
    ['PATCH', `knowledge/nodes/${id}`, 'knowledge:write', { name: 'y' }],
    ['DELETE', `knowledge/nodes/${id}`, 'knowledge:delete'],
  ]
  const { project_id, user_id } = tenant
  for (const [method, path, scope, json] of calls) {
    const scopes = ['knowledge:read', 'knowledge:write', 'knowledge:delete'].filter((one) => one !== scope)
    const { token } = await made(world.operator('POST', 'tokens', { project_id, user_id, name: 'T', scopes }))
    const answer = await tenant.api(method, path, json, { token })
    t.match(
      answer,
      { status: 403, body: { error: { code: 'INSUFFICIENT_SCOPE', details: { missing: [scope] } } } },
      path,
    )
  }
})

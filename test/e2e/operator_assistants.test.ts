/** Assistants and blocks in the operator API: the same records as in the API, for every project. */
import t from 'tap'
import type { Answer, Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator } = world
const tenant = await makeTenant(world)
const sister = await makeSister(world, tenant)
const { company_id, project_id } = tenant

const nobody = 'f'.repeat(24)
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]
const create = (fields: Json = {}) => operator('POST', 'assistants', { project_id, name: 'Ana', ...fields })
const createBlock = (fields: Json = {}) =>
  operator('POST', 'blocks', { project_id, type: 'steps', name: 'A block', ...fields })

t.test('an operator creates, reads and changes the assistants of a project', async (t) => {
  const answer = await create({ description: 'Sells', model: 'model-b' })
  t.equal(answer.status, 201, answer.text)
  const { company_id: company, project_id: project, ...assistant } = answer.body
  t.same([company, project], [company_id, project_id])
  t.same((await tenant.api('GET', `assistants/${assistant._id}`)).body, { assistant }, 'the API shows the same')
  t.same((await operator('GET', `assistants/${assistant._id}`)).body, answer.body)
  const patched = await operator('PATCH', `assistants/${assistant._id}`, { name: 'Bea', is_active: false })
  t.match(patched, { status: 200, body: { name: 'Bea', is_active: false, description: 'Sells', project_id } })
  t.same((await operator('GET', `assistants/${assistant._id}`)).body, patched.body)
})

t.test('lists are those of a project, or of all', async (t) => {
  const theirs = await made(operator('POST', 'assistants', { project_id: sister.project_id, name: 'Zoe' }))
  const mine = await made(create({ name: 'Yan' }))
  const ids = async (query: string) =>
    (await made(operator('GET', `assistants?limit=200&${query}`))).data.map(({ _id }: Json) => _id)
  // Other files make hundreds of their own meanwhile, so the first page need not have these.
  const all: string[] = []
  for (let page = await ids(''); page.length > 0; page = await ids(`offset=${all.length}`)) all.push(...page)
  t.same(
    [...new Set(all)].filter((id) => id === mine._id || id === theirs._id),
    [mine._id, theirs._id],
  )
  t.same(await ids(`project_id=${sister.project_id}`), [theirs._id])
  t.same(await ids(`project_id=${project_id}&search=ya`), [mine._id])
  t.notOk((await ids(`is_active=false`)).includes(mine._id))
  t.same(await ids(`project_id=${project_id}&model=model-b&is_active=true`), [])
  const { total, limit, offset } = (
    await operator('GET', `assistants?project_id=${sister.project_id}&limit=1&offset=1`)
  ).body
  t.same([total, limit, offset], [1, 1, 1])
  t.match(await made(operator('GET', `assistants?project_id=${sister.project_id}`)), {
    data: [{ company_id, blocks: [{}, {}] }],
  })
})

t.test('blocks of every type are created with either kind of content, and changed', async (t) => {
  for (const type of ['personification', 'do_not', 'product_info', 'tags']) {
    const block = await made(createBlock({ type, content: '- x' }))
    t.match(block, { type, company_id, project_id, is_archived: false })
    t.match((await operator('GET', `blocks/${block._id}/content`)).body, { edit_mode: 'free', content: '- x' })
    const payload = { items: [{ kind: 'bullet', text: 'y', items: [] }] }
    const saved = await operator('PUT', `blocks/${block._id}/content`, { edit_mode: 'assisted', payload })
    t.match(saved, { status: 200, body: { edit_mode: 'assisted', payload, block_id: block._id } })
    t.same((await operator('GET', `blocks/${block._id}/versions/${saved.body._id}`)).body, saved.body)
    const { data, has_more } = (await operator('GET', `blocks/${block._id}/versions`)).body
    t.same([data.length, data[0]._id, has_more], [2, saved.body._id, false])
    const archived = await operator('PATCH', `blocks/${block._id}`, { is_archived: true, name: 'Old' })
    t.match(archived, { status: 200, body: { is_archived: true, name: 'Old', current_version_id: saved.body._id } })
    t.same((await operator('GET', `blocks/${block._id}`)).body, archived.body)
    const list = async (query: string) =>
      (await made(operator('GET', `blocks?project_id=${project_id}&type=${type}${query}`))).data
    t.notOk((await list('')).some(({ _id }: Json) => _id === block._id))
    t.ok((await list('&include_archived=true')).some(({ _id }: Json) => _id === block._id))
    const { company_id: _, project_id: __, ...shown } = archived.body
    t.same((await tenant.api('GET', `blocks/${block._id}`)).body, { block: shown })
  }
  t.equal((await createBlock({ edit_mode: 'assisted', payload: { items: [] } })).status, 201)
})

t.test('operators attach and detach blocks, and read the prompt', async (t) => {
  const { _id } = await made(create())
  const block = await made(createBlock({ type: 'do_not', content: '- lie' }))
  const path = `assistants/${_id}/blocks`
  const attached = await operator('POST', path, { block_id: block._id, order: 0 })
  t.match(attached, { status: 201, body: { _id: block._id, order: 0, type: 'do_not' } })
  const { data, total } = (await operator('GET', path)).body
  t.same([data[0], total], [attached.body, 3])
  t.same((await operator('GET', `${path}?limit=1&offset=1`)).body.data, data.slice(1, 2))
  t.same((await operator('GET', `assistants/${_id}/prompt`)).body, {
    assistant_id: _id,
    prompt: '# What not to do: A block\n\n- lie',
  })
  const [one, two] = [await made(createBlock({ type: 'objective' })), await made(createBlock({ type: 'objective' }))]
  await made(operator('POST', path, { block_id: one._id }))
  t.same(codeOf(await operator('POST', path, { block_id: two._id })), [400, 'ASSISTANT_DUPLICATE_IDENTITY_BLOCK'])
  t.equal((await operator('DELETE', `${path}/${block._id.toUpperCase()}`)).status, 204)
  t.same(codeOf(await operator('DELETE', `${path}/${block._id}`)), [404, 'NOT_FOUND'])
  const foreign = await made(createBlock({ project_id: sister.project_id }))
  t.same(
    codeOf(await operator('POST', path, { block_id: foreign._id })),
    [422, 'BLOCK_NOT_FOUND'],
    'of the same project',
  )
})

t.test('requests that are refused', async (t) => {
  const cases: [method: string, path: string, body: Json | undefined, status: number, code: string][] = [
    ['POST', 'assistants', { name: 'x' }, 400, 'VALIDATION_ERROR'],
    ['POST', 'assistants', { project_id, name: 'x', is_active: true }, 400, 'VALIDATION_ERROR'],
    ['POST', 'assistants', { project_id, name: 'x', model: 'model-c' }, 400, 'INVALID_MODEL'],
    ['POST', 'assistants', { project_id: nobody, name: 'x' }, 422, 'PROJECT_NOT_FOUND'],
    ['PATCH', `assistants/${nobody}`, { name: 'x' }, 404, 'NOT_FOUND'],
    ['GET', 'assistants/x', undefined, 404, 'NOT_FOUND'],
    ['GET', `assistants/${nobody}/prompt`, undefined, 404, 'NOT_FOUND'],
    ['GET', `assistants/${nobody}/blocks`, undefined, 404, 'NOT_FOUND'],
    ['POST', 'blocks', { project_id, type: 'x', name: 'x' }, 400, 'VALIDATION_ERROR'],
    ['POST', 'blocks', { project_id, type: 'steps', name: 'x', payload: { items: [] } }, 400, 'VALIDATION_ERROR'],
    ['POST', 'blocks', { project_id: nobody, type: 'steps', name: 'x' }, 422, 'PROJECT_NOT_FOUND'],
    ['PATCH', `blocks/${nobody}`, { name: 'x' }, 404, 'NOT_FOUND'],
    ['GET', `blocks/${nobody}/content`, undefined, 404, 'NOT_FOUND'],
    ['PUT', `blocks/${nobody}/content`, { content: '' }, 404, 'NOT_FOUND'],
    ['GET', `blocks/${nobody}/versions`, undefined, 404, 'NOT_FOUND'],
  ]
  for (const [method, path, body, status, code] of cases)
    t.same(codeOf(await operator(method, path, body)), [status, code], `${method} ${path}`)
  const { blocks } = await made(create())
  t.same(codeOf(await operator('GET', `blocks/${blocks[0]._id}/content`)), [404, 'BLOCK_CONTENT_NOT_FOUND'])
  t.same(codeOf(await operator('GET', `blocks/${blocks[0]._id}/versions/x`)), [404, 'BLOCK_VERSION_NOT_FOUND'])
})

t.test('a project is deleted with its assistants and blocks', async (t) => {
  const project = await made(operator('POST', 'projects', { company_id, name: 'Short' }))
  const assistant = await made(create({ project_id: project._id }))
  await made(createBlock({ project_id: project._id, content: 'x' }))
  t.equal((await operator('DELETE', `projects/${project._id}`)).status, 204)
  t.equal((await operator('GET', `assistants/${assistant._id}`)).status, 404)
})

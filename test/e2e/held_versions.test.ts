/** Versions of blocks that wait for their release: nobody meets them before. */
import t from 'tap'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { asks, testBench } from './test_bench.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { api } = tenant
const desk = await openDesk(world, tenant, { deployments: [] })

/** A block of the assistant with the content "First". */
async function makeBlock(assistant_id = desk.id): Promise<string> {
  const { block } = await made(api('POST', 'blocks/steps', { name: 'Steps', content: 'First' }))
  await made(api('POST', `assistants/${assistant_id}/blocks`, { block_id: block._id }))
  return block._id
}

const block = async (id: string): Promise<Json> => (await made(api('GET', `blocks/${id}`))).block
const content = async (id: string) => (await made(api('GET', `blocks/${id}/content`))).content
const save = (id: string, body: Json) => made(api('PUT', `blocks/${id}/content`, body))
const prompt = async () => (await made(api('GET', `assistants/${desk.id}/prompt`))).prompt
const release = (id: string, body?: Json) => api('POST', `blocks/${id}/held-version/release`, body)
const discard = (id: string) => api('DELETE', `blocks/${id}/held-version`)
const none = { status: 404, body: { error: { code: 'HELD_VERSION_NOT_FOUND' } } }

t.test('a version that is held is stored, and is not the current one', async (t) => {
  const id = await makeBlock()
  const before = await block(id)
  t.equal(before.held_version, null)
  const saved = await save(id, { content: 'Second', hold: true })
  const held = await block(id)
  t.match(held, { current_version_id: before.current_version_id, held_version: { version_id: saved._id } })
  t.match(held.held_version, { test_set_id: null, created_at: saved.created_at })
  t.equal(await content(id), 'First')
  t.match(await prompt(), /First/)
  t.notMatch(await prompt(), /Second/)
  t.match(await made(api('GET', `blocks/${id}/versions/${saved._id}`)), { content: 'Second' })
  const { data } = await made(api('GET', `assistants/${desk.id}/blocks`))
  t.match(
    data.find(({ _id }: Json) => _id === id),
    { held_version: { version_id: saved._id } },
  )
})

t.test('one version is held at a time, and a save without hold leaves it', async (t) => {
  const id = await makeBlock()
  await save(id, { content: 'Second', hold: true })
  const { _id } = await save(id, { content: 'Third', hold: true })
  t.equal((await block(id)).held_version.version_id, _id)
  await save(id, { content: 'Fourth' })
  t.equal(await content(id), 'Fourth')
  t.equal((await block(id)).held_version.version_id, _id)
  await made(release(id))
  t.equal(await content(id), 'Third')
  const { data } = await made(api('GET', `blocks/${id}/versions`))
  t.equal(data.length, 4, 'all versions stay')
})

t.test('a release makes it the current one, once', async (t) => {
  const id = await makeBlock()
  t.match(await release(id), none)
  const { _id } = await save(id, { content: 'Second', hold: true })
  t.match(await release(id, { version_id: 'f'.repeat(24) }), none, 'another version than the client has seen')
  t.equal(await content(id), 'First')
  const answers = await Promise.all([release(id, { version_id: _id }), release(id, { version_id: _id })])
  t.same(answers.map(({ status }) => status).sort(), [200, 404])
  t.match(await block(id), { current_version_id: _id, held_version: null })
  t.match(await prompt(), /Second/)
})

t.test('a version that is discarded stays in the history', async (t) => {
  const id = await makeBlock()
  t.match(await discard(id), none)
  const { _id } = await save(id, { content: 'Second', hold: true })
  t.equal((await discard(id)).status, 204)
  t.match(await discard(id), none)
  t.match(await block(id), { held_version: null })
  t.equal(await content(id), 'First')
  t.match(await made(api('GET', `blocks/${id}/versions/${_id}`)), { content: 'Second' })
})

t.test('replies, prompts and the playground try held versions when they are asked to', async (t) => {
  const id = await makeBlock()
  const { _id: version_id } = await save(id, { content: 'Speak of ducks', hold: true })
  const mark = `held ${newPerson()}`
  await desk.script(mark, { answer: 'Yes.', times: 4 })
  const messages = [{ role: 'user', text: mark }]
  const reply = async (more: Json) => {
    const answer = await made(api('POST', `assistants/${desk.id}/reply`, { messages, ...more }))
    return (await made(api('GET', `assistants/${desk.id}/turns/${answer.reply.turn_id}`))).turn
  }
  const ofBlock = (turn: Json) => turn.blocks.find((one: Json) => one.block_id === id).version_id
  t.not(ofBlock(await reply({})), version_id)
  t.equal(ofBlock(await reply({ held: true })), version_id)
  t.equal(ofBlock(await reply({ held: true, blocks: [{ block_id: id, content: 'x' }] })), null)
  const asked = await desk.calls(mark)
  t.same(
    asked.map(({ body }) => body.messages[0].content.includes('Speak of ducks')),
    [false, true, false],
  )
  const path = `assistants/${desk.id}/prompt`
  t.notMatch((await made(api('POST', path, {}))).prompt, /ducks/)
  t.match((await made(api('POST', path, { held: true }))).prompt, /ducks/)
  const permissions = ['console.agent', 'console.manage_assistants']
  const agent = await signIn(world, (await makeAgent(world, tenant, { permissions })) as { email: string })
  const at = `projects/${tenant.project_id}/assistants/${desk.id}/playground`
  const { turn } = await made(agent.call('POST', at, { json: { messages, held: true } }))
  t.equal(ofBlock(turn), version_id)
})

t.test('a run of the test set that passes with the held version releases it', async (t) => {
  const { id: assistant_id } = await openDesk(world, tenant, { deployments: [] })
  const bench = testBench(tenant, assistant_id)
  const id = await makeBlock(assistant_id)
  const mark = `tested ${newPerson()}`
  const cases = [asks('Ducks', mark, { includes: ['quack'] })]
  const { test_set } = await made(bench.create({ cases }))
  const hold = async (text: string, test_set_id: string) =>
    (await save(id, { content: text, hold: true, test_set_id }))._id
  const run = async (answer: string, body: Json = { held: true }) => {
    await desk.script(mark, { answer })
    const path = `${bench.path}/${test_set._id}/runs`
    const { run } = await made(api('POST', path, body))
    return (await bench.ended(`${path}/${run._id}`)).run
  }
  const first = await hold('Say quack', test_set._id)
  t.match((await block(id)).held_version, { version_id: first, test_set_id: test_set._id })
  t.match(await run('moo'), { has_passed: false, held_versions: [{ block_id: id, version_id: first }] })
  t.equal((await block(id)).held_version.version_id, first, 'a run that fails releases nothing')
  t.match(await run('quack', {}), { has_passed: true, held_versions: null })
  t.equal((await block(id)).held_version.version_id, first, 'nor does one that did not try it')
  const own = (await desk.calls(mark)).map(({ body }) => body.messages[0].content.includes('Say quack'))
  t.same(own, [true, false])
  const fields = { project_id: tenant.project_id, type: 'tags', name: 'Labels', content: '- vip' }
  const labels = (await made(world.operator('POST', 'blocks', fields)))._id
  await made(api('POST', `assistants/${assistant_id}/blocks`, { block_id: labels }))
  const of_operators = { content: '- gold', hold: true, test_set_id: test_set._id }
  await made(world.operator('PUT', `blocks/${labels}/content`, of_operators))
  t.match(await run('quack'), { has_passed: true })
  await eventually('the version is released', async () => (await block(id)).held_version === null)
  t.ok((await block(labels)).held_version, 'clients write the cases, so no run releases what only operators write')
  t.equal((await api('DELETE', `assistants/${assistant_id}/blocks/${labels}`)).status, 204)
  t.equal((await block(id)).current_version_id, first)
  const other = await made(bench.create({ cases: [asks('Cows', 'moo')] }))
  const second = await hold('Say moo', other.test_set._id)
  t.match(await run('quack'), { has_passed: true, held_versions: [{ version_id: second }] })
  const third = await hold('Say baa', test_set._id)
  await desk.script(mark, { answer: 'quack', delay_ms: 3_000 })
  const path = `${bench.path}/${test_set._id}/runs`
  const { run: slow } = await made(api('POST', path, { held: true }))
  const fourth = await hold('Say nothing', test_set._id)
  t.match((await bench.ended(`${path}/${slow._id}`)).run, { has_passed: true, held_versions: [{ version_id: third }] })
  t.match(await run('quack', {}), { has_passed: true })
  t.match((await block(id)).held_version, { version_id: fourth }, 'another version than was tried stays held')
  t.equal((await block(id)).current_version_id, first)
})

t.test('a version whose block is detached meanwhile was not tried, and is not released', async (t) => {
  const { id: assistant_id } = await openDesk(world, tenant, { deployments: [] })
  const bench = testBench(tenant, assistant_id)
  const [gone, kept] = [await makeBlock(assistant_id), await makeBlock(assistant_id)]
  const mark = `detached ${newPerson()}`
  await desk.script(`first ${mark}`, { answer: 'quack', delay_ms: 2_000 })
  await desk.script(`second ${mark}`, { answer: 'Another quack' })
  const steps = ['first', 'second'].map((word) => ({ user: `${word} ${mark}`, expect: { includes: ['quack'] } }))
  const { test_set } = await made(bench.create({ cases: [{ name: 'Ducks', steps }] }))
  const hold = async (block_id: string) =>
    (await save(block_id, { content: 'Say quack', hold: true, test_set_id: test_set._id }))._id
  const untried = await hold(gone)
  const tried = await hold(kept)
  const path = `${bench.path}/${test_set._id}/runs`
  const { run } = await made(api('POST', path, { held: true }))
  await eventually('the first step is under way', async () => (await desk.calls(`first ${mark}`)).length > 0)
  t.equal((await api('DELETE', `assistants/${assistant_id}/blocks/${gone}`)).status, 204)
  t.match((await bench.ended(`${path}/${run._id}`)).run, {
    has_passed: true,
    held_versions: [{ block_id: kept, version_id: tried }],
  })
  await eventually('the other version is released', async () => (await block(kept)).held_version === null)
  t.equal((await block(kept)).current_version_id, tried)
  t.equal(await content(gone), 'First')
  t.match((await block(gone)).held_version, { version_id: untried })
})

t.test('what is wrong is refused, and nothing is written', async (t) => {
  const id = await makeBlock()
  const put = (body: Json, of = id) => api('PUT', `blocks/${of}/content`, body)
  const nobody = 'f'.repeat(24)
  t.match(await put({ content: 'x', hold: true, test_set_id: nobody }), {
    status: 422,
    body: { error: { code: 'TEST_SET_NOT_FOUND', details: { test_set_id: nobody } } },
  })
  for (const body of [
    { content: 'x', test_set_id: nobody },
    { content: 'x', hold: false, test_set_id: nobody },
    { content: 'x', hold: 'yes' },
    { hold: true },
  ])
    t.match(await put(body), { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
  t.equal((await made(api('GET', `blocks/${id}/versions`))).data.length, 1)
  const fields = { project_id: tenant.project_id, type: 'tags', name: 'Labels', content: '- vip' }
  const catalogue = (await made(world.operator('POST', 'blocks', fields)))._id
  t.match(await put({ content: 'x', hold: true }, catalogue), {
    status: 409,
    body: { error: { code: 'BLOCK_CONTENT_NOT_WRITABLE' } },
  })
  const stranger = await makeTenant(world)
  const answers = [
    await stranger.api('PUT', `blocks/${id}/content`, { content: 'x', hold: true }),
    await stranger.api('POST', `blocks/${id}/held-version/release`),
    await stranger.api('DELETE', `blocks/${id}/held-version`),
  ]
  for (const answer of answers) t.match(answer, { status: 404, body: { error: { code: 'NOT_FOUND' } } })
})

t.test('operators hold, release and discard versions of every type', async (t) => {
  const { operator } = world
  const fields = { project_id: tenant.project_id, type: 'tags', name: 'Labels', content: 'First' }
  const { _id } = await made(operator('POST', 'blocks', fields))
  const hold = () => operator('PUT', `blocks/${_id}/content`, { content: 'Second', hold: true })
  const version = await made(hold())
  const theirs = { status: 409, body: { error: { code: 'BLOCK_CONTENT_NOT_WRITABLE', details: { type: 'tags' } } } }
  t.match(await release(_id), theirs, 'a client does not decide about what it may not write')
  t.match(await discard(_id), theirs)
  t.match(await made(operator('GET', `blocks/${_id}`)), { held_version: { version_id: version._id } })
  t.equal((await operator('DELETE', `blocks/${_id}/held-version`)).status, 204)
  t.match(await made(operator('GET', `blocks/${_id}`)), { held_version: null })
  t.match(await operator('DELETE', `blocks/${_id}/held-version`), none)
  await made(hold())
  t.match(await made(operator('POST', `blocks/${_id}/held-version/release`, {})), { held_version: null })
  t.match(await operator('POST', `blocks/${_id}/held-version/release`, {}), none)
  t.match(await made(operator('GET', `blocks/${_id}/content`)), { content: 'Second' })
  t.match(await operator('PUT', `blocks/${_id}/content`, { content: 'x', hold: true, test_set_id: 'f'.repeat(24) }), {
    status: 422,
  })
})

/** The list of the deployments of an assistant, its bounds, and the records that may be named in it. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET } from '../support/mod.ts'
import type { Answer, Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const sister = await makeSister(world, tenant)
const other = await makeTenant(world)
const { api, project_id } = tenant
const id = (digit: string) => digit.repeat(24)
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code, body?.error?.details]

const assistantOf = async (by: Tenant = tenant): Promise<string> =>
  (await made(by.api('POST', 'assistants', { name: 'Ana' }))).assistant._id
const path = (assistant: string) => `assistants/${assistant}/deployments`
const put = (assistant: string, deployments: unknown, by: Tenant = tenant) =>
  by.api('PUT', path(assistant), { deployments })
const stored = async (assistant: string): Promise<Json[]> => (await made(api('GET', path(assistant)))).deployments

const tagOf = async (project_id: string, name: string): Promise<string> =>
  (await made(world.operator('POST', 'tags', { project_id, name })))._id
const tag = await tagOf(project_id, 'night')
const channel_id: string = (await made(world.operator('GET', `channels?project_id=${project_id}`))).data[0]._id
const foreign: string = (await made(world.operator('GET', `channels?project_id=${sister.project_id}`))).data[0]._id
const ALWAYS = { channel_ids: [], answers: 'always', after_minutes: null, tag_ids: [], is_active: true }

t.test('deployments are replaced as a whole and in their order', async (t) => {
  const assistant = await assistantOf()
  t.same(await stored(assistant), [], 'an assistant answers nowhere at first')
  const one = { channel_ids: [channel_id], answers: 'outside_hours', tag_ids: [tag], is_active: false }
  const answer = await put(assistant, [one, { answers: 'unanswered', after_minutes: 1440 }, { answers: 'always' }])
  t.equal(answer.status, 200, answer.text)
  const three = [{ ...one, after_minutes: null }, { ...ALWAYS, answers: 'unanswered', after_minutes: 1440 }, ALWAYS]
  t.same(answer.body, { deployments: three })
  t.same(await stored(assistant), three)
  t.same((await put(assistant, three)).body, { deployments: three }, 'what was read can be sent back')
  t.same((await put(assistant, [ALWAYS, three[1]])).body.deployments, [ALWAYS, three[1]])
  t.same(await stored(assistant), [ALWAYS, three[1]], 'the third place is gone')
  t.same((await put(assistant.toUpperCase(), [])).body, { deployments: [] })
  t.same(await stored(assistant), [])
  const rounds = await Promise.all([[ALWAYS], [], three, [three[1]], [], three].map((list) => put(assistant, list)))
  for (const { status } of rounds) t.equal(status, 200, 'several at once share turns')
  t.ok([0, 1, 3].includes((await stored(assistant)).length), 'one of them is the last')
})

const invalid: [what: string, deployments: unknown, path: string, code: string][] = [
  ['no list', undefined, 'deployments', 'required'],
  ['21 of them', Array(21).fill({ answers: 'always' }), 'deployments', 'too_long'],
  ['no answers', [{}], 'deployments.0.answers', 'required'],
  ['unknown answers', [{ answers: 'never' }], 'deployments.0.answers', 'invalid_value'],
  ['unanswered without minutes', [{ answers: 'unanswered' }], 'deployments.0.after_minutes', 'invalid_value'],
  ['minutes of always', [{ answers: 'always', after_minutes: 5 }], 'deployments.0.after_minutes', 'invalid_value'],
  ['no minutes', [{ answers: 'unanswered', after_minutes: 0 }], 'deployments.0.after_minutes', 'too_small'],
  ['half minutes', [{ answers: 'unanswered', after_minutes: 1.5 }], 'deployments.0.after_minutes', 'invalid_value'],
  ['a day and a minute', [{ answers: 'unanswered', after_minutes: 1441 }], 'deployments.0.after_minutes', 'too_large'],
  ['a channel twice', [{ ...ALWAYS, channel_ids: [id('a'), id('A')] }], 'deployments.0.channel_ids.1', 'duplicate'],
  ['51 channels', [{ ...ALWAYS, channel_ids: Array(51).fill(id('a')) }], 'deployments.0.channel_ids', 'too_long'],
  ['a malformed tag', [{ ...ALWAYS, tag_ids: ['x'] }], 'deployments.0.tag_ids.0', 'invalid_format'],
  ['an unknown property', [{ ...ALWAYS, id: 'x' }], 'deployments.0.id', 'unknown_property'],
]

t.test('an invalid list is refused with its violations, and nothing is written', async (t) => {
  const assistant = await assistantOf()
  await made(put(assistant, [ALWAYS]))
  for (const [what, deployments, path, code] of invalid) {
    const { status, body } = await put(assistant, deployments)
    t.equal(status, 400, what)
    t.match(body.error.details?.violations, [{ path, code }], what)
  }
  const channels = [id('f'), foreign]
  const unknown = [ALWAYS, ...channels.map((one) => ({ ...ALWAYS, channel_ids: [channel_id, one] }))]
  t.same(codeOf(await put(assistant, unknown)), [422, 'CHANNEL_NOT_FOUND', { channel_ids: channels }])
  const tags = [await tagOf(sister.project_id, 'elsewhere')]
  t.same(codeOf(await put(assistant, [{ ...ALWAYS, tag_ids: tags }])), [422, 'TAG_NOT_FOUND', { tag_ids: tags }])
  t.same(await stored(assistant), [ALWAYS])
})

t.test('a tag that was deleted stays in the list until the client removes it', async (t) => {
  const assistant = await assistantOf()
  const brief = await tagOf(project_id, 'brief')
  const list = [{ ...ALWAYS, tag_ids: [brief] }]
  await made(put(assistant, list))
  t.equal((await world.operator('DELETE', `tags/${brief}`)).status, 204)
  t.same((await put(assistant, list)).body, { deployments: list })
  t.same(codeOf(await put(await assistantOf(), list)), [422, 'TAG_NOT_FOUND', { tag_ids: [brief] }])
})

t.test('the deployments of other projects are out of reach', async (t) => {
  const assistant = await assistantOf()
  for (const by of [sister, other]) {
    t.same(codeOf(await put(assistant, [], by)), [404, 'NOT_FOUND', undefined])
    t.equal((await by.api('GET', path(assistant))).status, 404)
  }
  t.equal((await put(id('0'), [])).status, 404)
})

t.test('a project has 1000 deployments at most, in whichever assistants', async (t) => {
  const { api } = other
  const twenty = Array(20).fill({ answers: 'always', is_active: false })
  const assistants = await Promise.all(Array.from({ length: 51 }, () => assistantOf(other)))
  const last = assistants.pop()!
  const filled = await Promise.all(assistants.map((assistant) => put(assistant, twenty, other)))
  t.same(new Set(filled.map(({ status }) => status)), new Set([200]))
  const full = [422, 'DEPLOYMENT_LIMIT_REACHED', { limit: 1000 }]
  t.same(codeOf(await put(last, [ALWAYS], other)), full)
  t.equal((await put(assistants[0]!, twenty.slice(1), other)).status, 200)
  t.equal((await put(last, [ALWAYS], other)).status, 200, 'what was removed made room')
  t.same(codeOf(await put(assistants[0]!, twenty, other)), full)
  t.same(codeOf(await world.operator('PUT', path(assistants[0]!), { deployments: twenty })), full, 'for operators, too')
  t.equal((await api('GET', path(last))).body.deployments.length, 1)
})

t.test('operators read and write them as well, and they go with their project', async (t) => {
  const { operator } = world
  const { company_id } = tenant
  const { _id: project_id } = await made(operator('POST', 'projects', { company_id, name: 'Short' }))
  const { _id } = await made(operator('POST', 'assistants', { project_id, name: 'Ana' }))
  const written = await operator('PUT', path(_id), { deployments: [{ answers: 'always' }] })
  t.same([written.status, written.body], [200, { deployments: [ALWAYS] }])
  t.same((await operator('GET', path(_id))).body, written.body)
  const unknown = await operator('PUT', path(_id), { deployments: [{ ...ALWAYS, channel_ids: [channel_id] }] })
  t.same(codeOf(unknown), [422, 'CHANNEL_NOT_FOUND', { channel_ids: [channel_id] }])
  const tagged = await operator('PUT', path(_id), { deployments: [{ ...ALWAYS, tag_ids: [tag] }] })
  t.same(codeOf(tagged), [422, 'TAG_NOT_FOUND', { tag_ids: [tag] }], 'of another project')
  t.equal((await operator('GET', path(id('0')))).status, 404)
  const mine = await assistantOf()
  await made(operator('PUT', path(mine), { deployments: [ALWAYS] }))
  t.same((await put(mine, [ALWAYS, ALWAYS])).body, { deployments: [ALWAYS, ALWAYS] }, 'the project knows the change')
  t.equal((await operator('DELETE', `projects/${project_id}`)).status, 204)
  const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 1 })
  t.teardown(() => database.close())
  t.same(await database.execute(`select id from assistant_deployment where project_id = '${project_id}'`), [])
})

t.test('a deployment of an assistant that is switched off is kept', async (t) => {
  const assistant = await assistantOf()
  await made(put(assistant, [ALWAYS]))
  await made(api('PATCH', `assistants/${assistant}`, { is_active: false }))
  t.same(await stored(assistant), [ALWAYS])
  t.same((await put(assistant, [])).body, { deployments: [] })
})

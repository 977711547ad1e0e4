/** The modules of the section of assistants that do not use the DOM, against the server and alone. */
import { join } from 'node:path'
import t from 'tap'
import type { Json } from '../e2e/client.ts'
import { makeAgent, signIn } from '../e2e/console_client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'

const pages = join(import.meta.dirname, '../../http/console/page')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { Api } = await load('data/api.ts')
const { placeOf } = await load('data/places.ts')
const { ProjectApi } = await load('data/project_api.ts')
const { AssistantsApi } = await load('assistants/assistants_api.ts')
const { BlockContent } = await load('assistants/block_content.ts')
const { textOf } = await load('assistants/content_text.ts')
const { OpenAssistant } = await load('assistants/open_assistant.ts')
const { assistantsPlaceOf } = await load('assistants/places.ts')
const { deploymentText, placesText } = await load('assistants/words.ts')
const { changesOf, contestedFields, draftOf } = await load('assistants/setup/settings.ts')
const { bodyOf, draftOf: setDraftOf, newSet } = await load('assistants/tests/set_draft.ts')
const { faultsOf } = await load('assistants/tests/set_faults.ts')
const { TestSets } = await load('assistants/tests/test_sets.ts')
const { rateText } = await load('assistants/tests/words.ts')

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const permissions = ['console.agent', 'console.manage_assistants']
const agent = await makeAgent(world, tenant, { permissions })
const { cookie } = await signIn(world, agent as { email: string })
const base = new URL(`${world.base_url}/console/`)
const project_api = new ProjectApi(
  new Api(base, (url: URL, options: RequestInit) =>
    fetch(url, { ...options, headers: { ...options.headers, cookie, origin: base.origin } }),
  ),
  tenant.project_id,
)
const project = { id: tenant.project_id, api: project_api }
const api = new AssistantsApi(project_api)
const made_one = async (name: string) => (await made(tenant.api('POST', 'assistants', { name }))).assistant
const steps = async (name: string, content = '') =>
  (await made(tenant.api('POST', 'blocks/steps', { name, content }))).block

t.test('a content is saved unless somebody else saved it, and then the agent decides', async (t) => {
  const block = await steps('Orders', 'One')
  const stored = async () => (await tenant.api('GET', `blocks/${block._id}/content`)).body.content
  const content = new BlockContent(api, block)
  await content.read()
  t.equal(content.text.value, 'One')
  content.type('Two')
  t.equal(content.is_dirty.value, true)
  content.type('One')
  t.equal(content.is_dirty.value, false, 'the same text is no change')
  content.type('Two')
  t.equal(await content.save(), true)
  t.same([await stored(), content.is_dirty.value], ['Two', false])

  await tenant.api('PUT', `blocks/${block._id}/content`, { content: 'Theirs' })
  content.type('Mine')
  t.equal(await content.save(), false)
  t.same([await stored(), content.theirs.value.text, content.text.value], ['Theirs', 'Theirs', 'Mine'])
  t.equal(await content.keepMine(), true)
  t.equal(await stored(), 'Mine')

  await tenant.api('PUT', `blocks/${block._id}/content`, { content: 'Again' })
  content.type('Mine too')
  t.equal(await content.save(), false)
  content.discard()
  t.same([content.text.value, content.is_dirty.value, content.theirs.value], ['Again', false, null], 'theirs is taken')

  await tenant.api('PUT', `blocks/${block._id}/content`, { content: 'Same' })
  content.type('Same')
  await content.read()
  t.equal(content.is_dirty.value, false, 'both wrote the same')

  content.type('Later')
  await content.hold(null)
  t.same([await stored(), content.text.value, content.is_dirty.value], ['Same', 'Same', false])
  const { held_version } = await api.block(block._id)
  t.equal((await api.version(block._id, held_version.version_id)).content, 'Later')
})

t.test('a block that was never saved is empty, and one that cannot be read says why', async (t) => {
  const { blocks } = await made_one('Ana')
  const content = new BlockContent(api, blocks[0])
  await content.read()
  t.same([content.stored.value, content.text.value], [{ version_id: null, text: '' }, ''])
  content.type('Friendly')
  t.equal(await content.save(), true, 'the first version')
  const gone = new BlockContent(api, { _id: '66f2a0c1d4e5f60718293a4b' })
  await gone.read()
  t.equal(gone.fault.value.status, 404)
})

t.test('a version that was saved as a structure is read as the text of the prompt', async (t) => {
  const items = [
    { kind: 'heading', level: 2, text: 'Orders' },
    { kind: 'number', text: 'Ask', items: [{ kind: 'bullet', text: 'kindly' }] },
    { kind: 'number', text: 'Answer' },
    { kind: 'paragraph', text: 'The end', spaced: true },
    { kind: 'paragraph', text: 'really' },
  ]
  const block = await steps('Structure')
  await made(tenant.api('PUT', `blocks/${block._id}/content`, { edit_mode: 'assisted', payload: { items } }))
  const text = textOf(await api.content(block._id))
  t.equal(text, '## Orders\n1. Ask\n  - kindly\n2. Answer\n\nThe end\n\nreally')
  t.equal(textOf({ content: 'free' }), 'free')
})

t.test('blocks move by one place, also where their orders have gaps', async (t) => {
  const { _id } = await made_one('Bea')
  const open = new OpenAssistant(project, api, _id)
  for (const [name, order] of [
    ['Far', 40],
    ['Farther', 90],
  ] as const)
    await made(tenant.api('POST', `assistants/${_id}/blocks`, { block_id: (await steps(name))._id, order }))
  await open.assistant.read()
  const names = () => open.assistant.value.blocks.map(({ type, name }: Json) => (type === 'steps' ? name : type))
  t.same(names(), ['personification', 'response_policy', 'Far', 'Farther'])
  const block = (name: string) => open.assistant.value.blocks.find((one: Json) => one.name === name)
  await open.move(block('Farther'), -1)
  t.same(names(), ['personification', 'response_policy', 'Farther', 'Far'])
  await open.move(block('Farther'), 1)
  t.same(names(), ['personification', 'response_policy', 'Far', 'Farther'])
  await open.move(block('Farther'), 1)
  t.same(names(), ['personification', 'response_policy', 'Far', 'Farther'], 'the last one stays')
  await open.move(open.assistant.value.blocks[0], 1)
  t.same(names(), ['response_policy', 'personification', 'Far', 'Farther'])
})

t.test('the prompt and the playground use what is written and not saved', async (t) => {
  const { _id } = await made_one('Cleo')
  const open = new OpenAssistant(project, api, _id)
  await open.assistant.read()
  const content = open.content(open.assistant.value.blocks[0])
  await content.read()
  content.type('Sing every answer')
  await new Promise((resolve) => setImmediate(resolve))
  t.match(open.tried.value, [{ content: 'Sing every answer' }])
  t.equal(open.is_dirty, true)
  t.match(await api.prompt(_id, open.tried.value), /Sing every answer/)
  t.equal(await api.prompt(_id, []), '')
  const { playground } = open
  await playground.say('Hello')
  await playground.say('And now?')
  t.same(
    playground.said.value.map(({ kind }: Json) => kind),
    ['person', 'turn', 'person', 'turn'],
  )
  t.match(playground.said.value.at(-1), { tried: 1, turn: { origin: 'playground', assistant_id: _id } })
  playground.mode.value = 'fixtures'
  playground.fixtures.value = '{}'
  await t.rejects(playground.say('Once more'), SyntaxError)
  t.equal(playground.said.value.length, 4, 'nothing was said')
  playground.clear()
  t.same(playground.said.value, [])
  open.discard()
  t.equal(open.is_dirty, false)
})

t.test('settings send what differs, and name what somebody else changed', async (t) => {
  const stored = await made_one('Dora')
  const before = draftOf(stored)
  const after = { ...before, description: 'Answers', budget: { ...before.budget, day_tokens: ' 50 000 ' } }
  t.same(changesOf(before, after), { description: 'Answers', budget: { day_tokens: 50_000 } })
  t.same(changesOf(before, before), {})
  t.same(contestedFields(before, { description: 'Answers' }, { ...stored, description: 'Theirs' }), ['description'])
  t.same(contestedFields(before, { description: 'Answers' }, { ...stored, description: 'Answers' }), [])
  t.same(contestedFields(before, { description: 'Answers' }, { ...stored, name: 'Other' }), [])
  t.same(changesOf(before, { ...before, budget: { ...before.budget, day_cost: 'much' } }), {
    budget: { day_cost: 'much' },
  })
})

t.test('places are told in words', (t) => {
  const named = (names: Record<string, string>) => ({ name: (id: string) => names[id] ?? 'gone' })
  const names = { channels: named({ a: 'Shop', b: 'Chat' }), tags: named({ x: 'VIP', y: 'Refund' }) }
  const row = { channel_ids: [], answers: 'always', after_minutes: null, tag_ids: [], is_active: true }
  const text = (fields: Json) => deploymentText({ ...row, ...fields }, names)
  t.equal(text({}), 'On every channel, always, unless a person has the ticket.')
  t.equal(
    text({ channel_ids: ['a', 'b'], answers: 'outside_hours', tag_ids: ['x', 'y'] }),
    'On Shop and Chat, for tickets with the tag VIP or Refund, while the office hours are over.',
  )
  t.equal(
    text({ answers: 'unanswered', after_minutes: 1, is_active: false }),
    'Switched off: on every channel, when nobody has answered for a minute.',
  )
  t.equal(placesText([], names.channels), 'Nowhere yet')
  t.equal(placesText([{ ...row, is_active: false }], names.channels), 'Nowhere at the moment')
  t.equal(placesText([{ ...row, channel_ids: ['a', 'b', 'c'] }], names.channels), 'Shop, Chat and 1 more')
  t.equal(placesText([{ ...row, channel_ids: ['a'] }, row], names.channels), 'Every channel')
  t.end()
})

t.test('addresses lead to the parts, and wrong ones nowhere', (t) => {
  const at = (rest: string) => assistantsPlaceOf(placeOf(`#/projects/1/assistants${rest}`))
  t.match(at('?search=Ana'), { page: 'list', search: 'Ana', is_new: false })
  t.match(at('/new'), { page: 'list', is_new: true })
  t.match(at('/7'), { page: 'one', id: '7', part: 'instructions', block: null })
  t.match(at('/7/instructions/9'), { part: 'instructions', block: '9' })
  t.match(at('/7/tests'), { part: 'tests', tests: { page: 'list' } })
  t.match(at('/7/tests/3/runs/4'), { tests: { page: 'run', set_id: '3', run_id: '4' } })
  t.match(at('/7/tests/3/edit'), { tests: { page: 'edit', set_id: '3' } })
  for (const wrong of [
    '/7/nothing',
    '/7/settings/1',
    '/7/instructions/9/1',
    '/7/tests/3/x',
    '/7/tests/new/1',
    '/new/1',
  ])
    t.equal(at(wrong), undefined, wrong)
  t.end()
})

t.test('a test set is the same after it went through the form', async (t) => {
  const { _id } = await made_one('Eva')
  const sets = new TestSets(project_api, _id)
  const cases = [
    {
      name: 'Asks for an order',
      steps: [
        { user: ['Hello', 'Where is it?'], expect: { outcome: 'answered', includes: ['A-1', ['on its way', 'sent']] } },
        {
          user: 'Thanks',
          expect: { excludes: ['no idea'], tools: ['find'], no_tools: ['buy', 'sell'], language: 'en' },
        },
        { user: 'Bye' },
      ],
      fixtures: [{ tool: 'find', arguments: { number: 'A-1' }, result: { state: 'sent' } }],
    },
  ]
  const set = await sets.create({ name: 'Orders', runs: 3, pass_rate: 0.855, cases }, crypto.randomUUID())
  t.same(bodyOf(setDraftOf(set)), { name: 'Orders', runs: 3, pass_rate: 0.855, cases })
  t.match(await sets.replace(set._id, bodyOf({ ...setDraftOf(set), pass_rate: '90,5' })), { pass_rate: 0.905 })
  t.throws(() => bodyOf({ ...setDraftOf(set), cases: [{ ...setDraftOf(set).cases[0], fixtures: '{}' }] }), {
    message: /“Asks for an order” must be a list/,
  })
  const refused = await sets.create(bodyOf(newSet()), crypto.randomUUID()).catch((error: unknown) => error)
  t.same(Object.keys(faultsOf(refused)).sort(), ['0.0.user', '0.name', 'name'])
  await sets.remove(set._id)
  t.same((await tenant.api('GET', `assistants/${_id}/test-sets`)).body.data, [])
})

t.test('what a form of a test set cannot show stays as it is stored, until it is written anew', (t) => {
  const steps = [
    {
      user: 'Hello\n\nWhere is it?',
      expect: { includes: ['a | b', 'two\nlines', ['x|y', 'z'], ['only']], excludes: ['of\nthree'], tools: ['find'] },
    },
    { user: [' Hi ', 'a\n\nb'], expect: { includes: ['kept | so'] } },
  ]
  const set = { name: 'Orders', runs: 1, pass_rate: 1 / 3, cases: [{ name: 'Odd', steps }] }
  const draft = setDraftOf(set)
  t.same(bodyOf({ ...draft, runs: '2' }), { ...set, runs: 2 })
  const [first, second] = draft.cases[0].steps
  const bodyWith = (...steps: unknown[]) => bodyOf({ ...draft, cases: [{ ...draft.cases[0], steps }] }).cases[0].steps
  t.same(bodyWith(first, { ...second, user: 'Bye', includes: 'this | that' }), [
    steps[0],
    { user: 'Bye', expect: { includes: [['this', 'that']] } },
  ])
  t.same(bodyWith({ ...second, includes: '' }), [{ user: steps[1]!.user }])
  t.end()
})

t.test('a pass rate is told with its interval', (t) => {
  const run = { total: 10, passed: 0, failed: 0, pass_rate: null, interval: null }
  t.equal(rateText(run), '0 of 10 tried')
  t.equal(
    rateText({ ...run, passed: 5, failed: 3, pass_rate: 0.625, interval: { low: 0.3057, high: 0.8632 } }),
    '5 of 8 passed: 62.5%, between 30.6% and 86.3% · 2 to go',
  )
  t.end()
})

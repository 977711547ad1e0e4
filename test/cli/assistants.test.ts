/** The commands for assistants and blocks, against a Parley that runs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant, OPERATOR_KEY } from '../e2e/fixture.ts'
import { addFolder } from '../e2e/knowledge_client.ts'
import { tempDir } from '../support/mod.ts'
import { type Finished, run } from './command.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const project = ['--project', tenant.project_id]
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
const dir = tempDir(t)

const parley = (...args: string[]) => run(args, env)
const json = async (finished: Promise<Finished>): Promise<Json> => {
  const { code, out, err } = await finished
  if (code !== 0) throw new Error(err)
  return JSON.parse(out)
}
const create = (...args: string[]) => json(parley('assistants', 'create', ...project, ...args, '--json'))
const block = (...args: string[]) => json(parley('blocks', 'create', ...project, ...args, '--json'))
const node = await addFolder(tenant, 'Prices')

t.test('assistants are created, listed, shown and changed', async (t) => {
  const fields = ['--description', 'Sells', '--model', 'model-b', '--avatar-emoji', '🙂', '--knowledge', node]
  const sets = ['priority', 'custom_fields.size']
  const assistant = await create('--name', 'Ana', ...fields, '--sets', sets.join(','))
  t.match(assistant, { name: 'Ana', description: 'Sells', model: 'model-b', knowledge_node_ids: [node] })
  t.same(assistant.settable_ticket_fields, sets)
  const listed = await parley('assistants', 'list', ...project)
  t.match(listed, { code: 0, out: /^\w{24} {2}active {2}2 {7}model-b {2}Ana$/m, err: '' })
  t.match(await parley('assistants', 'show', assistant._id), { code: 0, out: /^blocks +\w{24} {2}personification: /m })
  const changes = [
    '--name',
    'Bea',
    '--description',
    'none',
    '--knowledge',
    'none',
    '--avatar-emoji',
    'none',
    '--sets',
    'none',
  ]
  const changed = await json(parley('assistants', 'update', assistant._id, ...changes, '--json'))
  t.match(changed, { name: 'Bea', description: null, avatar_emoji: null, knowledge_node_ids: [], model: 'model-b' })
  t.same(changed.settable_ticket_fields, [])
  t.match(await parley('assistants', 'update', assistant._id), { code: 2, err: /^Say what to change: .*\n$/ })
  t.match(await parley('assistants', 'update', assistant._id, '--model', 'x'), {
    code: 1,
    err: / \(INVALID_MODEL\)\.\n$/,
  })
  t.match(await parley('assistants', 'show', node), { code: 1, err: /`parley assistants list` .* \(NOT_FOUND\)\.\n$/ })
  t.match(await parley('assistants', 'delete', assistant._id), { code: 2, err: /^Unknown command 'delete'/ })
})

t.test('an assistant is told where it answers, and what it did is listed', async (t) => {
  const { _id } = await create('--name', 'Nox')
  t.match(await parley('assistants', 'deployments', _id), { code: 0, out: '', err: /answers nowhere/ })
  const file = join(dir, 'deployments.json')
  writeFileSync(
    file,
    JSON.stringify([
      { answers: 'unanswered', after_minutes: 5 },
      { answers: 'always', is_active: false },
    ]),
  )
  const told = await parley('assistants', 'deploy', _id, file)
  t.match(told, { code: 0, out: /^on +unanswered for 5 min +all +any\noff +always +all +any$/m })
  const list = await json(parley('assistants', 'deployments', _id, '--json'))
  t.match(list, [
    { answers: 'unanswered', after_minutes: 5 },
    { answers: 'always', is_active: false },
  ])
  writeFileSync(file, JSON.stringify(list.slice(1)))
  t.same(await json(parley('assistants', 'deploy', _id, file, '--json')), list.slice(1))
  writeFileSync(file, '[{ "answers": "never" }]')
  t.match(await parley('assistants', 'deploy', _id, file), { code: 1, err: /deployments\.0\.answers/ })
  t.match(await parley('assistants', 'turns', _id), { code: 0, out: '', err: /did nothing/ })
  t.same(await json(parley('assistants', 'turns', _id, '--outcome', 'failed', '--since', '1d', '--json')), [])
  t.match(await parley('assistants', 'turns', _id, _id), { code: 1, err: /NOT_FOUND/ })
})

t.test('an archived assistant is inactive, and lists can leave it out', async (t) => {
  const { _id } = await create('--name', 'Zoe')
  t.match(await parley('assistants', 'archive', _id), { code: 0, out: /^state +inactive$/m })
  const names = async (...args: string[]) =>
    (await json(parley('assistants', 'list', ...project, ...args, '--json'))).map(({ name }: Json) => name)
  t.same(await names('--inactive'), ['Zoe'])
  t.notOk((await names('--active')).includes('Zoe'))
  t.same(await names('--search', 'zo'), ['Zoe'])
  t.match(await parley('assistants', 'list', ...project, '--search', 'nobody'), {
    code: 0,
    out: '',
    err: /^There are no such assistants\.\n$/,
  })
  t.match(await json(parley('assistants', 'unarchive', _id, '--json')), { is_active: true })
})

t.test('blocks are created, saved and listed with their versions', async (t) => {
  const file = join(dir, 'steps.txt')
  writeFileSync(file, '1. Greet\n  - by name\n')
  const steps = await block('--type', 'steps', '--name', 'Greeting', '--file', file)
  t.match(steps, { type: 'steps', family: 'instructions', name: 'Greeting' })
  t.match(await parley('blocks', 'content', steps._id), { code: 0, out: '1. Greet\n  - by name\n', err: '' })
  t.match(await parley('blocks', 'save', steps._id, '--content', '1. Close'), {
    code: 0,
    out: /^Saved as version \w{24}\.\n$/,
  })
  t.match(await json(parley('blocks', 'content', steps._id, '--json')), { edit_mode: 'free', content: '1. Close' })
  const items = [
    { kind: 'number', text: 'Ask' },
    { kind: 'bullet', text: 'kindly' },
  ]
  const assisted = { edit_mode: 'assisted', payload: { items } }
  await made(tenant.api('PUT', `blocks/${steps._id}/content`, assisted))
  t.match(await parley('blocks', 'content', steps._id), { out: '1. Ask\n- kindly\n' }, 'a payload is shown as text')
  const versions = await json(parley('blocks', 'versions', steps._id, '--json'))
  t.same(
    versions.map(({ edit_mode }: Json) => edit_mode),
    ['assisted', 'free', 'free'],
  )
  t.match(await parley('blocks', 'versions', steps._id), { code: 0, out: /^\w{24} {2}\S+Z {2}free$/m })
  const first = await parley('blocks', 'content', steps._id, '--version-id', versions[2]._id)
  t.match(first, { code: 0, out: '1. Greet\n  - by name\n' })
  for (const args of [['--content', 'x', '--file', file], []])
    t.match(await parley('blocks', 'save', steps._id, ...args), { code: 2, err: /^Give the text .*\n$/ })

  const held = await parley('blocks', 'save', steps._id, '--content', '1. Later', '--hold')
  t.match(held, { code: 0, out: /^Saved as version \w{24}, which is held\.\n$/ })
  t.match(await parley('blocks', 'show', steps._id), { out: /^held +version \w{24} of \S+Z, until it is released$/m })
  t.match(await parley('blocks', 'content', steps._id), { out: '1. Ask\n- kindly\n' })
  t.match(await parley('blocks', 'discard', steps._id), { code: 0, out: 'The block holds no version any more.\n' })
  t.match(await parley('blocks', 'release', steps._id), { code: 1, err: /HELD_VERSION_NOT_FOUND/ })
  await parley('blocks', 'save', steps._id, '--content', '1. Later', '--hold')
  t.match(await json(parley('blocks', 'release', steps._id, '--json')), { held_version: null })
  t.match(await parley('blocks', 'content', steps._id), { out: '1. Later\n' })
  t.match(await parley('blocks', 'save', steps._id, '--content', 'x', '--test-set', 'y'), { code: 2 })
  t.match(await parley('blocks', 'update', steps._id, '--name', 'Welcome'), { code: 0, out: /^name +Welcome$/m })
  t.match(await parley('blocks', 'archive', steps._id), { code: 0, out: /^archived +yes$/m })
  const ids = async (...args: string[]) =>
    (await json(parley('blocks', 'list', ...project, ...args, '--json'))).map(({ _id }: Json) => _id)
  t.notOk((await ids()).includes(steps._id))
  t.ok((await ids('--archived', '--type', 'steps')).includes(steps._id))
  t.notOk((await ids('--archived', '--family', 'identity')).includes(steps._id))
  t.match(await parley('blocks', 'list', ...project, '--archived'), {
    out: /steps +instructions +Welcome \(archived\)$/m,
  })
  t.match(await json(parley('blocks', 'unarchive', steps._id, '--json')), { is_archived: false })
  t.match(await parley('blocks', 'list', ...project, '--type', 'x'), { code: 2, err: /Allowed choices are / })
  const wrong = await parley('blocks', 'create', ...project, '--type', 'tags', '--name', ' ')
  t.match(wrong, { code: 1, err: / \(VALIDATION_ERROR\)\.\n$/ })
})

t.test('blocks are attached, moved and detached, and the prompt is printed', async (t) => {
  const { _id } = await create('--name', 'Ana')
  t.match(await parley('assistants', 'prompt', _id), { code: 0, out: '', err: /^The prompt is empty: .*\n$/ })
  const tags = await block('--type', 'tags', '--name', 'Labels', '--content', '- vip')
  const attached = await parley('assistants', 'attach', _id, tags._id, '--order', '0')
  t.match(attached, { code: 0, out: `Attached ${tags._id} (tags: Labels) at place 0.\n` })
  t.match(await parley('assistants', 'prompt', _id), { code: 0, out: '# Tags: Labels\n\n- vip\n', err: '' })
  t.match(await json(parley('assistants', 'prompt', _id, '--json')), { assistant_id: _id, prompt: /vip/ })
  t.match(await parley('assistants', 'blocks', _id), { code: 0, out: /^\w{24} {2}0 +tags +Labels$/m })
  t.match(await json(parley('assistants', 'attach', _id, tags._id, '--order', '7', '--json')), { order: 7 })
  t.match(await parley('assistants', 'attach', _id, node), { code: 1, err: / \(BLOCK_NOT_FOUND\)\.\n$/ })
  t.match(await parley('assistants', 'attach', _id, tags._id, '--order', '-1'), { code: 2 })
  t.match(await parley('assistants', 'detach', _id, tags._id), { code: 0, out: `Detached ${tags._id}.\n` })
  t.match(await parley('assistants', 'detach', _id, tags._id), {
    code: 1,
    err: `There is no such resource; \`parley assistants blocks ${_id}\` shows which there are (NOT_FOUND).\n`,
  })
  t.match(await parley('knowledge', 'show', tags._id), {
    code: 1,
    err: /`parley knowledge tree` .* \(NOT_FOUND\)\.\n$/,
  })
  t.same((await json(parley('assistants', 'blocks', _id, '--json'))).length, 2)
})

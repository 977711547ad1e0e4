/** The commands for the texts that agents share, against a real project. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { joinWorld, made, makeTenant, OPERATOR_KEY } from '../e2e/fixture.ts'
import { inboxAgent } from '../e2e/inbox_client.ts'
import { tempDir } from '../support/mod.ts'
import { run, runOnTerminal } from './command.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
const P = ['--project', tenant.project_id]
const parley = (...args: string[]) => run(['canned-responses', ...args], env)

t.test('canned responses are made, listed, shown, changed and deleted; agents see them', async (t) => {
  t.match(await parley('list', ...P), { code: 0, out: '', err: 'There are no canned responses.\n' })
  t.match(await parley('create', ...P, '--shortcut', 'late'), { code: 2, err: /--content or with --file/ })
  const file = join(tempDir(t), 'late.txt')
  writeFileSync(file, 'Dear {{contact.name}},\nwe are sorry.\n')
  const created = await parley(
    'create',
    ...P,
    '--shortcut',
    'Late',
    '--title',
    'Order is late',
    '--file',
    file,
    '--json',
  )
  t.equal(created.code, 0, created.err)
  const { _id, ...record } = JSON.parse(created.out)
  t.match(record, { shortcut: 'late', title: 'Order is late', content: 'Dear {{contact.name}},\nwe are sorry.' })
  const agent = await inboxAgent(world, tenant)
  t.match(await made(agent.ask('GET', `canned_responses/${_id}`)), { shortcut: 'late', is_shared: true })
  t.match(await parley('list', ...P), { code: 0, out: new RegExp(`^${_id} {2}/late +Order is late {2}Dear `, 'm') })
  t.match(JSON.parse((await parley('list', ...P, '--json')).out), [{ _id }])
  t.match(await parley('show', _id), { code: 0, out: /^shortcut +\/late$/m })
  t.match(await parley('update', _id), { code: 2, err: /^Say what to change: parley canned-responses update --help/ })
  t.match(await parley('update', _id, '--title', 'none', '--content', 'Sorry!'), { code: 0, err: '' })
  t.match(JSON.parse((await parley('show', _id, '--json')).out), { title: null, content: 'Sorry!', shortcut: 'late' })
  const again = await parley('create', ...P, '--shortcut', 'late', '--content', 'x')
  t.match(again, { code: 1, err: / \(SHORTCUT_ALREADY_EXISTS\)\.\n$/ })
  const asked = await runOnTerminal(['canned-responses', 'delete', _id], env, 'no')
  t.match(asked, { code: 1, err: /Delete the canned response “late”/ })
  t.match(await parley('delete', _id, '--yes'), { code: 0, out: `Deleted ${_id}.\n` })
  t.match(await parley('show', _id), { code: 1, out: '', err: / \(NOT_FOUND\)\.\n$/ })
  t.match(await parley('list'), { code: 2, err: /^--project is missing: .*\n$/ })
})

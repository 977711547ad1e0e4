/** Replies, budgets and hand-overs on the command line, against a Parley that runs. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { newPerson, openDesk } from '../e2e/assistant_desk.ts'
import type { Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant, OPERATOR_KEY } from '../e2e/fixture.ts'
import { tempDir } from '../support/mod.ts'
import { run } from './command.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { project_id, user_id } = tenant
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY, PARLEY_TOKEN: tenant.token }
const desk = await openDesk(world, tenant, { deployments: [] })
const nobody = 'f'.repeat(24)

const parley = (...args: string[]) => run(args, env)
const json = async (...args: string[]): Promise<Json> => {
  const { code, out, err } = await parley(...args, '--json')
  if (code !== 0) throw new Error(err)
  return JSON.parse(out)
}

t.test('an assistant replies to a text, to a file of messages, or to a ticket', async (t) => {
  const mark = `command ${newPerson()}`
  await desk.script(mark, { answer: 'It is on its way.', times: 10 })
  const told = await parley('assistants', 'reply', desk.id, `Where is it? ${mark}`)
  t.match(told, { code: 0, out: /^It is on its way\.\n\noutcome +answered\n/, err: '' })
  t.match(told.out, /^cost +[\d.e-]+ USD$/m)
  const file = join(tempDir(t), 'messages.json')
  writeFileSync(file, JSON.stringify([{ role: 'user', text: mark }]))
  const reply = await json('assistants', 'reply', desk.id, '--messages', file)
  t.match(reply, { outcome: 'answered', text: 'It is on its way.', tool_calls: [] })
  const none = await parley('assistants', 'reply', desk.id, '--ticket', nobody)
  t.match(none, { code: 1, err: / \(TICKET_NOT_FOUND\)\.\n$/ })
  const unknown = await parley('assistants', 'reply', desk.id, 'Hello', '--contact', nobody)
  t.match(unknown, { code: 1, err: / \(NO_CONTACT\)\.\n$/ })
  for (const args of [[], ['Hello', '--ticket', nobody]])
    t.match(await parley('assistants', 'reply', desk.id, ...args), { code: 2, err: /^Give a text, / })
})

t.test('budgets and hand-overs are set and taken away', async (t) => {
  const update = (...args: string[]) => json('assistants', 'update', desk.id, ...args)
  t.match(await update('--budget', 'conversation_tokens=50000,day_cost=5.5'), {
    budget: { conversation_tokens: 50_000, day_cost: 5.5 },
  })
  t.match(await update('--hand-over', `assigned_to=${user_id}`), { hand_over: { assigned_to: user_id } })
  const shown = await parley('assistants', 'show', desk.id)
  t.match(shown.out, /^budget +conversation_tokens=50000, day_cost=5\.5$/m)
  t.match(shown.out, new RegExp(`^hand-over +assigned_to=${user_id}$`, 'm'))
  t.match(await update('--budget', 'none', '--hand-over', 'none'), { budget: null, hand_over: null })
  for (const wrong of ['x=1', 'day_tokens', 'day_tokens=1,day_tokens=2', 'day_cost=-1'])
    t.match(await parley('assistants', 'update', desk.id, '--budget', wrong), { code: 2, err: /day_tokens=<number>/ })
  t.match(await parley('assistants', 'update', desk.id, '--hand-over', 'tag_id=x'), { code: 2, err: /tag_id=<id>/ })
  const tags = await parley('assistants', 'update', desk.id, '--hand-over', `tag_id=${nobody},stage_id=${nobody}`)
  t.match(tags, { code: 1, err: / \((?:STAGE|TAG)_NOT_FOUND\)\.\n$/ })
  const limits = ['--assistant-budget', 'day_tokens=100000,month_cost=300']
  t.match(await json('projects', 'update', project_id, ...limits), {
    assistant_budget: { day_tokens: 100_000, month_cost: 300 },
  })
  t.match(
    (await parley('projects', 'show', project_id)).out,
    /^assistants +at most day_tokens=100000, month_cost=300$/m,
  )
  t.match(await json('projects', 'update', project_id, '--assistant-budget', 'none'), { assistant_budget: null })
  t.match(await made(world.operator('GET', `projects/${project_id}`)), { assistant_budget: null })
})

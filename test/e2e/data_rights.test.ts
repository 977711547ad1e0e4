/** Operators decide how long records are kept. */
import t from 'tap'
import { run } from '../cli/command.ts'
import type { Json } from './client.ts'
import { made, makeTenant, OPERATOR_KEY, startWorld } from './fixture.ts'

const world = await startWorld(t)
const { operator } = world
const tenant = await makeTenant(world)
const nobody = 'f'.repeat(24)
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }

t.test('the days of a project are shown and changed, with the API and the command line', async (t) => {
  const path = `projects/${tenant.project_id}/retention`
  const shown = await made(operator('GET', path))
  t.ok(shown.data.every(({ is_default }: Json) => is_default))
  const kept = (data: Json[], kind: string) => data.find((one) => one.kind === kind)
  t.match(kept(shown.data, 'events'), { days: world.config.retention_days, is_default: true })
  t.match(kept(shown.data, 'messages'), { days: null, is_default: true })
  const changed = await made(operator('PATCH', path, { events: null, messages: 365 }))
  t.match(kept(changed.data, 'events'), { days: null, default_days: world.config.retention_days, is_default: false })
  t.match(kept(changed.data, 'messages'), { days: 365, default_days: null, is_default: false })
  const { company_id, project_id } = tenant
  const audited = await made(operator('GET', `audit?target_kind=retention&company_id=${company_id}`))
  t.match(audited.data, [{ project_id, after: { messages: 365 } }], 'the audit knows the company, too')
  for (const wrong of [{ messages: 0 }, { messages: 'ever' }, { letters: 1 }, { notes: 1.5 }, { notes: 40_000 }]) {
    t.match(await operator('PATCH', path, wrong), { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
  }
  t.equal((await operator('GET', `projects/${nobody}/retention`)).status, 404)
  t.equal((await operator('PATCH', `projects/${nobody}/retention`, { notes: 1 })).status, 404)

  const project = ['--project', tenant.project_id]
  const unasked = await run(['retention', 'set', 'messages=30', ...project], env)
  t.match(unasked, { code: 1, err: /^Nothing is changed: there is no terminal/ })
  const set = await run(['retention', 'set', 'messages=30', 'events=default', '--yes', '--json', ...project], env)
  t.equal(set.code, 0, set.err)
  t.match(kept(JSON.parse(set.out), 'messages'), { days: 30 })
  const longer = await run(['retention', 'set', 'messages=forever', ...project], env)
  t.equal(longer.code, 0, 'more days need no confirmation')
  t.match(longer, { out: /messages +forever/, err: /All kinds have their defaults\./ })
  for (const word of ['messages:1', 'messages=0']) {
    t.match(await run(['retention', 'set', word, ...project], env), { code: 2, err: /is no setting/ })
  }
  t.match(await run(['retention', 'set', 'letters=1', '--yes', ...project], env), { code: 1, err: /letters/ })
  t.match(await run(['retention', 'show'], env), { code: 2, err: /^--project is missing/ })
})

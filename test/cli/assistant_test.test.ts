/** `parley assistants test`: the set of a file, its outcome and its exit code. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { newPerson, openDesk } from '../e2e/assistant_desk.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { tempDir } from '../support/mod.ts'
import { run, runOnTerminal, startHere } from './command.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const env = { PARLEY_BASE_URL: world.base_url, PARLEY_TOKEN: tenant.token }
const desk = await openDesk(world, tenant, { deployments: [] })
const directory = tempDir(t)
const nobody = 'f'.repeat(24)

const parley = (...args: string[]) => run(['assistants', ...args], env)
const file = (name: string, text: string) => {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}
const setsNow = async (): Promise<Json[]> => (await made(tenant.api('GET', `assistants/${desk.id}/test-sets`))).data

t.test('a set that passes ends with 0, and is stored under its name', async (t) => {
  const mark = `passes ${newPerson()}`
  await desk.script(mark, { answer: 'It is on its way.', times: 20 })
  const path = file(
    'delivery.yaml',
    `# Delivery\nname: Delivery\nruns: 2\ncases:\n  - name: Order\n    steps:\n      - user: "${mark}"\n        expect: { includes: [on its way] }\n`,
  )
  const first = await parley('test', desk.id, path)
  t.match(first, { code: 0, out: /^set +Delivery\nresult +passed\npassed +2 of 2 \(100 %; 95 %: 34\.2 to 100 %\)\n/ })
  t.match(first.out, /^required +100 %$/m)
  t.match(first.out, /^cost +[\d.e-]+ USD$/m)
  const json = await parley(
    'test',
    desk.id,
    file(
      'delivery.json',
      JSON.stringify({
        name: 'Delivery',
        cases: [{ name: 'Order', steps: [{ user: mark }] }],
      }),
    ),
    '--runs',
    '3',
    '--json',
  )
  t.match(json, { code: 0, err: '' })
  t.match(JSON.parse(json.out), {
    name: 'Delivery',
    has_passed: true,
    total: 3,
    results: [{ case_name: 'Order' }, {}, {}],
  })
  t.equal((await setsNow()).length, 1, 'the second has replaced the first')
})

t.test('a set that does not pass ends with 1, and says what was expected and found', async (t) => {
  const mark = `fails ${newPerson()}`
  await desk.script(mark, { answer: 'There is no news.', times: 20 })
  const text = `name: Fails
runs: 2
pass_rate: 0.9
cases:
  - name: Order
    steps:
      - user: [Hello, "${mark}"]
        expect:
          includes: [[on its way, shipped]]
          tools: [find_order]
  - name: Fine
    steps: [{ user: "${mark}" }]
`
  const { code, out, err } = await runOnTerminal(
    ['assistants', 'test', desk.id, file('fails.yaml', text)],
    env,
    undefined,
  )
  t.equal(code, 1)
  t.match(
    out,
    /^✘ Order \(try 1\)\n {2}step 1: expected find_order\n {10}found no call\n {2}step 1: expected “on its way” or “shipped”\n {10}found There is no news\.\n✘ Order \(try 2\)\n/,
  )
  t.match(out, /^result +not passed\npassed +2 of 4 \(50 %; 95 %: 15 to 85 %\)$/m)
  t.match(err, /░.* of 4 /, 'a bar shows the progress')
  t.match(err, /has no tools of these names: find_order/)
  const json = await parley('test', desk.id, file('fails.yaml', text), '--json')
  t.match(json, { code: 1, err: '' })
  t.match(JSON.parse(json.out), {
    has_passed: false,
    results: [{ failures: [{ kind: 'tools' }, { kind: 'includes' }] }, {}, {}, {}],
  })
})

t.test('mistakes of a file are told with their lines, and nothing is stored', async (t) => {
  const before = await setsNow()
  const wrong: [string, RegExp][] = [
    ['name: X\ncases:\n  - name: [', /wrong\.yaml:\d+ is no YAML: /],
    ['name: X\nname: Y\n', /wrong\.yaml:2 is no YAML: Map keys must be unique/],
    ['cases: []\n', /wrong\.yaml:1: name is missing/],
    ['- 1\n', /wrong\.yaml:1: name is missing/],
    ['', /wrong\.yaml:1: name is missing/],
    [
      'name: X\ncases:\n  - name: One\n    steps:\n      - user: Hello\n        expect:\n          contains: x\n  - name: One\n    steps: []\n',
      /^.*wrong\.yaml:7: cases\.0\.steps\.0\.expect\.contains .*\n.*wrong\.yaml:[89]: cases\.1\..*\n/,
    ],
    [
      'name: X\ncases:\n  - name: One\n    steps:\n      - expect: {}\n',
      /wrong\.yaml:5: cases\.0\.steps\.0\.user is required/,
    ],
    [
      'name: X\ncases:\n  - name: One\n    steps: [{ user: Hello }]\n    fixtures:\n      - tool: a\n        result: 12345678901234567890\n',
      /wrong\.yaml:7: the number 12345678901234567890 would be rounded/,
    ],
    [
      `a: &a [x, x, x, x, x, x, x, x, x]\n${'bcdefghi'.replace(/./g, (name) => `${name}: &${name} [${Array(9).fill(`*${String.fromCharCode(name.charCodeAt(0) - 1)}`)}]\n`)}name: *i\n`,
      /cannot be used: Excessive alias count/,
    ],
  ]
  for (const [text, message] of wrong) {
    const told = await parley('test', desk.id, file('wrong.yaml', text))
    t.match(told, { code: 1, out: '', err: message }, text)
  }
  t.match(await parley('test', desk.id, join(directory, 'none.yaml')), {
    code: 1,
    err: /^There is no file .*none\.yaml/,
  })
  t.match(
    await parley(
      'test',
      desk.id,
      file('one.yaml', 'name: X\ncases: [{ name: a, steps: [{ user: b }] }]'),
      '--runs',
      '21',
    ),
    { code: 2 },
  )
  t.match(await parley('test', nobody, join(directory, 'one.yaml')), { code: 1, err: / \(NOT_FOUND\)\.\n$/ })
  t.same(await setsNow(), before)
})

t.test('Ctrl-C cancels the run and ends with 130; a run without a budget ends with 1', async (t) => {
  const mark = `hangs ${newPerson()}`
  await desk.script(mark, { fault: 'hang', times: 5 })
  const path = file('hangs.yaml', `name: Hangs\ncases: [{ name: One, steps: [{ user: "${mark}" }] }]\n`)
  const command = startHere(t, ['assistants', 'test', desk.id, path], { env })
  await eventually('the model is asked', async () => (await desk.calls(mark)).length > 0)
  t.match(await command.end('SIGINT'), { code: 130, out: '', err: /The run was canceled\.\n$/ })
  const [set] = await setsNow()
  const runs = async () => (await made(tenant.api('GET', `assistants/${desk.id}/test-sets/${set!._id}/runs`))).data
  await eventually('the run is canceled', async () => (await runs())[0].state === 'canceled')
  await made(tenant.api('PATCH', `assistants/${desk.id}`, { budget: { day_tokens: 1 } }))
  t.match(await parley('test', desk.id, path), { code: 1, out: /no_budget/, err: /ended early \(failed: no_budget\)/ })
  await made(tenant.api('PATCH', `assistants/${desk.id}`, { budget: null }))
})

t.test('held versions are tried', async (t) => {
  const mark = `held ${newPerson()}`
  await desk.script(mark, { answer: 'Here.', times: 20 })
  const { data } = await made(tenant.api('GET', `assistants/${desk.id}/blocks`))
  const block_id = data.find(({ type }: Json) => type === 'steps')._id
  await made(tenant.api('PUT', `blocks/${block_id}/content`, { content: '1. Answer in two sentences', hold: true }))
  const path = file('held.yaml', `name: Held\ncases: [{ name: One, steps: [{ user: "${mark}" }] }]\n`)
  const { code, out } = await parley('test', desk.id, path, '--held', '--json')
  t.match([code, JSON.parse(out).held_versions], [0, [{ block_id }]])
  t.match(JSON.stringify((await desk.calls(mark))[0]!.body.messages[0]), /two sentences/)
  t.equal((await tenant.api('DELETE', `blocks/${block_id}/held-version`)).status, 204)
})

t.test('stored sets and runs are shown, and a set is deleted', async (t) => {
  const mark = `shown ${newPerson()}`
  await desk.script(mark, { answer: 'Here.', times: 20 })
  const text = `name: Shown\nruns: 1\npass_rate: 0.5\ncases:\n  - name: One\n    steps:\n      - user: ${mark}\n        expect:\n          includes:\n            - here\n`
  t.match(await parley('test', desk.id, file('shown.yaml', text)), { code: 0 })
  const { _id } = (await setsNow()).find(({ name }) => name === 'Shown')!
  const list = await parley('test-sets', 'list', desk.id)
  t.match(list.out, new RegExp(`^${_id} +1 +1 +0\\.5 +Shown$`, 'm'))
  t.match(JSON.parse((await parley('test-sets', 'list', desk.id, '--json')).out)[0], { _id, name: 'Shown' })
  t.equal((await parley('test-sets', 'show', desk.id, _id)).out, text, 'as it was written')
  t.match(JSON.parse((await parley('test-sets', 'show', desk.id, _id, '--json')).out), {
    _id,
    cases: [{ name: 'One' }],
  })
  const runs = JSON.parse((await parley('test-runs', desk.id, _id, '--json')).out)
  t.match(runs, [{ state: 'done', has_passed: true }])
  t.match((await parley('test-runs', desk.id, _id)).out, new RegExp(`^${runs[0]._id} .* passed +1 of 1 `, 'm'))
  t.match(await parley('test-runs', desk.id, _id, runs[0]._id), { code: 0, out: /^result +passed$/m })
  t.match(await parley('test-sets', 'delete', desk.id, _id), { code: 1, err: /^Nothing is deleted/ })
  t.match(await parley('test-sets', 'delete', desk.id, _id, '--yes'), { code: 0, out: `Deleted ${_id}.\n` })
  t.match(await parley('test-sets', 'show', desk.id, _id), { code: 1, err: / \(NOT_FOUND\)\.\n$/ })
})

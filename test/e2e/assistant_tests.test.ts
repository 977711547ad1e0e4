/** Runs of test sets: what passes, what fails and why, and what it takes. */
import t from 'tap'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { asks, testBench } from './test_bench.ts'
import { startToolServer } from './tool_server.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const desk = await openDesk(world, tenant, { deployments: [] })
const bench = testBench(tenant, desk.id)

t.test('a set whose expectations hold passes, and its conversation grows by the answers', async (t) => {
  const mark = `passes ${newPerson()}`
  await desk.script(`first ${mark}`, { answer: 'Tell me the\n NUMBER of your order.', times: 2 })
  await desk.script(`second ${mark}`, { answer: 'Your café order is on its way to you.', times: 2 })
  const steps = [
    { user: ['Hello', `Where is it? first ${mark}`], expect: { outcome: 'answered', includes: ['the number'] } },
    {
      user: `A-1001, second ${mark}`,
      expect: {
        includes: [['shipped', 'ON ITS  WAY'], 'cafe\u0301'],
        excludes: ['refund'],
        no_tools: ['parley_hand_over'],
        language: 'en',
      },
    },
  ]
  const { run, results } = await bench.run([{ name: 'Order', steps }], { runs: 2, pass_rate: 1 })
  t.match(run, {
    state: 'done',
    reason: null,
    ...{ total: 2, passed: 2, failed: 0, runs: 2, has_passed: true, pass_rate: 1, unknown_tools: [] },
    ...{ input_tokens: Number, output_tokens: Number, cost: { amount: Number, currency: 'USD' } },
    cases: [{ name: 'Order', steps: [{ user: ['Hello', String] }, { expect: { language: 'en' } }] }],
  })
  t.same(run.interval, { low: 0.3424, high: 1 })
  t.equal(results.length, 2)
  t.match(results[0], {
    ...{ case_name: 'Order', repetition: 1, has_passed: true, reason: null, failures: [], missing_fixtures: [] },
    steps: [{ outcome: 'answered', answer: /NUMBER/, tool_calls: [] }, { answer: /café/ }],
    cost: { amount: Number },
  })
  t.equal(results[1]!.repetition, 2)
  const sum = (field: string) => results.reduce((all, one) => all + one[field], 0)
  t.same([run.input_tokens, run.output_tokens], [sum('input_tokens'), sum('output_tokens')])
  const [call] = await desk.calls(`second ${mark}`)
  const said = call!.body.messages.slice(1).map(({ role }: Json) => role)
  t.same(said.filter((role: string) => role === 'assistant').length, 1, 'the model reads its own answer')
  t.match(JSON.stringify(call!.body.messages), /Hello.*NUMBER.*A-1001/s)
  t.same(await desk.turns(), [], 'no turn is listed')
})

t.test('each expectation that does not hold says what was expected and found', async (t) => {
  const mark = `fails ${newPerson()}`
  const answer = 'I am sorry, there is no news about that parcel today.'
  await desk.script(mark, { answer, times: 20 })
  const expectations: [string, Json, Json][] = [
    ['outcome', { outcome: 'handed_over' }, { expected: 'handed_over', found: 'answered' }],
    ['tools', { tools: ['find_order'] }, { expected: 'find_order', found: 'no call' }],
    [
      'includes',
      { includes: ['sorry', ['shipped', 'on its way']] },
      { expected: '“shipped” or “on its way”', found: answer },
    ],
    ['excludes', { excludes: ['NO  NEWS'] }, { expected: 'not “NO  NEWS”', found: answer }],
    ['language', { language: 'de' }, { expected: 'de', found: 'en' }],
  ]
  const cases = expectations.map(([name, expect]) => asks(name, mark, expect))
  const { run, results } = await bench.run([...cases, asks('Fine', mark, { includes: ['sorry'] })], { pass_rate: 0.1 })
  t.match(run, { state: 'done', passed: 1, failed: 5, has_passed: true, unknown_tools: ['find_order'] })
  t.ok(Math.abs(run.pass_rate - 1 / 6) < 1e-9)
  for (const [at, [kind, , failure]] of expectations.entries()) {
    t.match(results[at], { case_name: kind, has_passed: false })
    t.same(results[at]!.failures, [{ step: 1, kind, ...failure }], kind)
  }
  const strict = await bench.run([asks('Wrong', mark, { excludes: ['sorry'] }), asks('Right', mark)], {
    pass_rate: 0.6,
  })
  t.match(strict.run, { state: 'done', has_passed: false, pass_rate: 0.5 })
})

t.test('a hand-over ends a conversation, and a failure of the model fails a case', async (t) => {
  const mark = `ends ${newPerson()}`
  await desk.script(`person ${mark}`, {
    tool_calls: [{ name: 'parley_hand_over', arguments: { reason: 'Asked', motivo: 'Money back' } }],
    times: 3,
  })
  await desk.script(`broken ${mark}`, { fault: 'refuse', times: 3 })
  const to_person = asks('Handed over', `person ${mark}`, { outcome: 'handed_over', tools: ['parley_hand_over'] })
  const { run, results } = await bench.run([
    to_person,
    { name: 'Too long', steps: [...to_person.steps, { user: 'Are you there?' }] },
    asks('Unwanted', `person ${mark}`, { no_tools: ['parley_hand_over'] }),
    asks('Broken', `broken ${mark}`, { includes: ['never judged'] }),
  ])
  t.match(run, { state: 'done', passed: 1, failed: 3 })
  t.match(results[0], { has_passed: true, steps: [{ outcome: 'handed_over', reason: 'asked' }] })
  t.same(results[1]!.failures, [
    { step: 2, kind: 'turn', expected: 'a turn of the assistant', found: 'handed_over (asked)' },
  ])
  t.match(results[2]!.failures, [
    { kind: 'no_tools', expected: 'no call of parley_hand_over', found: 'parley_hand_over' },
  ])
  t.match(results[3], { reason: 'refused', steps: [{ outcome: 'failed', answer: null }] })
  t.match(results[3]!.failures, [{ step: 1, kind: 'turn', found: 'failed (refused)' }])
})

t.test('fixtures stand for tools, nothing outside is called, and a missing one is named', async (t) => {
  const tools = await startToolServer(t)
  const tool = async (name: string, method: string) =>
    (await made(tenant.api('POST', 'agents/tools', { name, url: tools.url('x'), method })))._id
  const ids = [await tool('Find order', 'GET'), await tool('cancel_order', 'POST')]
  await made(tenant.api('PATCH', `agents/${desk.id}`, { tools: ids }))
  const mark = `tools ${newPerson()}`
  const number = { number: 'A-1' }
  await desk.script(
    mark,
    {
      tool_calls: [
        { name: 'Find_order', arguments: number },
        { name: 'cancel_order', arguments: number },
      ],
    },
    { answer: 'It has been shipped.' },
  )
  const expect = { tools: ['Find order', 'Find_order'], no_tools: ['refund'], includes: ['shipped'] }
  const fixtures = [
    { tool: 'Find order', arguments: { number: 'B-1' }, result: 'wrong' },
    { tool: 'Find order', arguments: number, result: { status: 'shipped' } },
  ]
  const { run, results } = await bench.run([asks('Order', mark, expect, { fixtures })])
  t.match(run, { has_passed: true, unknown_tools: ['refund'] })
  t.match(results[0], {
    missing_fixtures: ['cancel_order'],
    steps: [
      {
        tool_calls: [
          { name: 'Find_order', arguments: /A-1/, result: /shipped/, error: null },
          { name: 'cancel_order', error: 'no_fixture' },
        ],
      },
    ],
  })
  t.equal(tools.requests.length, 0)
  await made(tenant.api('PATCH', `agents/${desk.id}`, { tools: [] }))
})

t.test('a case is about the contact that it names, and an assistant is tested before it works', async (t) => {
  const phone = newPerson()
  await tenant.writes(phone, { type: 'text', text: { body: 'Hello' } })
  const contact = await eventually('the contact is there', () => desk.contactOf(phone))
  const mark = `person ${phone}`
  await desk.script(mark, { answer: 'Hello again.' })
  await made(tenant.api('PATCH', `assistants/${desk.id}`, { is_active: false }))
  const { run } = await bench.run([asks('Known', mark, {}, { chat_user: contact._id.toUpperCase() })])
  await made(tenant.api('PATCH', `assistants/${desk.id}`, { is_active: true }))
  t.match(run, { state: 'done', has_passed: true, cases: [{ chat_user: contact._id }] })
  const [call] = await desk.calls(mark)
  t.match(JSON.stringify(call!.body.messages[0]), new RegExp(`Ana|${phone}|name`))
})

t.test('where the budget is spent, the run ends and asks nothing more', async (t) => {
  const mark = `budget ${newPerson()}`
  await desk.script(mark, { answer: 'Here.', times: 50 })
  await made(tenant.api('PATCH', `assistants/${desk.id}`, { budget: { day_tokens: 10 } }))
  const cases = Array.from({ length: 30 }, (_, at) => asks(`Case ${at}`, mark))
  const { run, results } = await bench.run(cases)
  await made(tenant.api('PATCH', `assistants/${desk.id}`, { budget: null }))
  t.match(run, { state: 'failed', reason: 'no_budget', has_passed: false, passed: 0, cost: null, input_tokens: 0 })
  t.match(results[0], { has_passed: false, reason: 'no_budget', failures: [{ found: 'failed (no_budget)' }] })
  t.equal(run.failed, results.length)
  t.ok(results.length <= 4, `${results.length} were tried`)
  t.equal((await desk.calls(mark)).length, 0)
})

t.test('a run is canceled, and what it has stays', async (t) => {
  const mark = `cancel ${newPerson()}`
  await desk.script(`quick ${mark}`, { answer: 'Here.' })
  await desk.script(`hangs ${mark}`, { fault: 'hang', times: 50 })
  const hanging = Array.from({ length: 9 }, (_, at) => asks(`Case ${at}`, `hangs ${mark}`))
  const { path, run } = await bench.start([asks('Quick', `quick ${mark}`), ...hanging])
  t.match(run, {
    state: 'queued',
    total: 10,
    passed: 0,
    has_passed: null,
    pass_rate: null,
    interval: null,
    ended_at: null,
  })
  await eventually('one has a result and four others are under way', async () => {
    const { run } = await made(tenant.api('GET', path))
    return run.state === 'running' && run.passed === 1 && (await desk.calls(`hangs ${mark}`)).length === 4
  })
  const canceled = await tenant.api('POST', `${path}/cancel`)
  t.equal(canceled.status, 202)
  const ended = await bench.ended(path)
  t.match(ended.run, { state: 'canceled', passed: 1, failed: 0, pass_rate: 1, has_passed: false })
  t.equal(ended.results.length, 1)
  t.match(await tenant.api('POST', `${path}/cancel`), { status: 202, body: { run: { state: 'canceled' } } }, 'again')
  t.equal((await desk.calls(`hangs ${mark}`)).length, 4, 'no more is asked')
})

t.test('two runs of a project are under way, others wait, and another project waits for none', async (t) => {
  const mark = `queue ${newPerson()}`
  await desk.script(mark, { fault: 'hang', times: 200 })
  const slow = [asks('Hangs', mark)]
  const runs: Awaited<ReturnType<typeof bench.start>>[] = []
  for (let n = 0; n < 20; n++) runs.push(await bench.start(slow))
  const [first] = runs
  const refused = await tenant.api('POST', `${bench.path}/${first!.set._id}/runs`, {})
  t.match(refused, { status: 422, body: { error: { code: 'TEST_RUN_LIMIT_REACHED', details: { limit: 20 } } } })
  await eventually('two run', async () => (await desk.calls(mark)).length === 2)
  const states = async () =>
    Promise.all(runs.map(async ({ path }) => (await made(tenant.api('GET', path))).run.state as string))
  t.same(await states(), ['running', 'running', ...Array(18).fill('queued')])
  const other = await makeTenant(world)
  const quick = await openDesk(world, other, { deployments: [] })
  t.match((await testBench(other, quick.id).run([asks('Quick', 'Hello')])).run, { state: 'done', has_passed: true })
  for (const { path } of runs.toReversed()) await made(tenant.api('POST', `${path}/cancel`))
  for (const { path } of runs) t.match(await bench.ended(path), { run: { state: 'canceled' }, results: [] })
})

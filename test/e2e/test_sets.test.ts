/** Test sets: their fields and bounds, who may read and change them, and what is kept of runs. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { asks, testBench } from './test_bench.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { api } = tenant
const desk = await openDesk(world, tenant, { deployments: [] })
const bench = testBench(tenant, desk.id)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())
const nobody = 'f'.repeat(24)
const one = [asks('One', 'Hello')]

t.test('a set is created, listed, replaced and deleted', async (t) => {
  const fixtures = [{ tool: 'find_order', arguments: { number: 'A-1' }, result: { ' deep ': [1, null, 'x'] } }]
  const cases = [asks('First', ['Hello', 'you'], { includes: ['a', ['b', 'c']], language: 'es' }, { fixtures })]
  const { test_set } = await made(api('POST', bench.path, { name: ' Delivery ', runs: 3, pass_rate: 0.9, cases }))
  t.match(test_set, { assistant_id: desk.id, name: 'Delivery', runs: 3, pass_rate: 0.9, case_count: 1 })
  t.same(test_set.cases, cases)
  const path = `${bench.path}/${test_set._id}`
  t.same(await made(api('GET', path)), { test_set })
  const { cases: _, ...summary } = test_set
  t.same((await made(api('GET', bench.path))).data, [summary])
  t.same((await made(api('GET', `${bench.path}?name=Delivery`))).data, [summary])
  t.same((await made(api('GET', `${bench.path}?name=delivery`))).data, [])
  const upper = `${bench.path}/${test_set._id.toUpperCase()}`
  const { test_set: replaced } = await made(api('PUT', upper, { name: 'Orders', cases: one }))
  t.match(replaced, { _id: test_set._id, name: 'Orders', runs: 1, pass_rate: 1, cases: [{ name: 'One' }] })
  t.notOk('fixtures' in replaced.cases[0])
  const { test_set: other } = await made(api('POST', bench.path, { name: 'Delivery', cases: one }))
  const taken = { status: 409, body: { error: { code: 'TEST_SET_ALREADY_EXISTS' } } }
  t.match(await api('PUT', path, { name: 'Delivery', cases: one }), {
    ...taken,
    body: { error: { details: { test_set_id: other._id } } },
  })
  t.match(await api('POST', bench.path, { name: 'Delivery', cases: one }), taken)
  t.match(await api('PUT', path, { name: 'Orders', runs: 2, cases: one }), { status: 200 }, 'its own name is free')
  const second = await openDesk(world, tenant, { deployments: [] })
  t.match(await testBench(tenant, second.id).create({ name: 'Delivery', cases: one }), { status: 201 }, 'of another')
  const page = await made(api('GET', `${bench.path}?limit=1`))
  t.match(page, { data: [{ _id: other._id }], has_more: true, next_cursor: other._id })
  t.match(await made(api('GET', `${bench.path}?limit=1&cursor=${page.next_cursor}`)), {
    data: [{ _id: test_set._id }],
    has_more: false,
  })
  t.equal((await api('DELETE', path)).status, 204)
  for (const method of ['GET', 'DELETE']) t.equal((await api(method, path)).status, 404)
  t.equal((await api('PUT', path, { name: 'Orders', cases: one })).status, 404)
})

t.test('fields out of bounds are refused with their place, and nothing is written', async (t) => {
  const before = (await made(api('GET', bench.path))).data
  const wrong = (steps: unknown, more: Json = {}) => ({ name: 'Wrong', cases: [{ name: 'One', steps, ...more }] })
  const expecting = (expect: Json) => wrong([{ user: 'Hello', expect }])
  const long = 'x'.repeat(8001)
  const bodies: [Json, string][] = [
    [{ cases: one }, 'name'],
    [{ name: '  ', cases: one }, 'name'],
    [{ name: 'a\nb', cases: one }, 'name'],
    [{ name: 'x'.repeat(151), cases: one }, 'name'],
    [{ name: 'Wrong' }, 'cases'],
    [{ name: 'Wrong', cases: [] }, 'cases'],
    [{ name: 'Wrong', cases: Array.from({ length: 201 }, (_, at) => asks(`${at}`, 'Hello')) }, 'cases'],
    [{ name: 'Wrong', cases: [...one, ...one] }, 'cases.1.name'],
    [{ name: 'Wrong', cases: one, runs: 0 }, 'runs'],
    [{ name: 'Wrong', cases: one, runs: 21 }, 'runs'],
    [{ name: 'Wrong', cases: one, runs: 1.5 }, 'runs'],
    [{ name: 'Wrong', cases: one, pass_rate: 1.01 }, 'pass_rate'],
    [{ name: 'Wrong', cases: one, pass_rate: -0.1 }, 'pass_rate'],
    [{ name: 'Wrong', cases: one, more: 1 }, 'more'],
    [wrong([]), 'cases.0.steps'],
    [wrong(Array.from({ length: 21 }, () => ({ user: 'Hello' }))), 'cases.0.steps'],
    [wrong([{ user: ' ' }]), 'cases.0.steps.0.user'],
    [wrong([{ user: long }]), 'cases.0.steps.0.user'],
    [wrong([{ user: [] }]), 'cases.0.steps.0.user'],
    [wrong([{ user: Array(9).fill('Hello') }]), 'cases.0.steps.0.user'],
    [wrong([{ user: 7 }]), 'cases.0.steps.0.user'],
    [wrong([{ expect: {} }]), 'cases.0.steps.0.user'],
    [wrong([{ user: 'Hello' }], { chat_user: 'x' }), 'cases.0.chat_user'],
    [expecting({ outcome: 'failed' }), 'cases.0.steps.0.expect.outcome'],
    [expecting({ tools: Array(21).fill('a') }), 'cases.0.steps.0.expect.tools'],
    [expecting({ tools: [''] }), 'cases.0.steps.0.expect.tools.0'],
    [expecting({ includes: [''] }), 'cases.0.steps.0.expect.includes.0'],
    [expecting({ includes: [[]] }), 'cases.0.steps.0.expect.includes.0'],
    [expecting({ includes: 'a' }), 'cases.0.steps.0.expect.includes'],
    [expecting({ excludes: ['x'.repeat(501)] }), 'cases.0.steps.0.expect.excludes.0'],
    [expecting({ excludes: [['a']] }), 'cases.0.steps.0.expect.excludes.0'],
    [expecting({ language: 'xx' }), 'cases.0.steps.0.expect.language'],
    [expecting({ contains: 'a' }), 'cases.0.steps.0.expect.contains'],
    [wrong([{ user: 'Hello' }], { fixtures: [{ result: 1 }] }), 'cases.0.fixtures.0.tool'],
    [
      wrong([{ user: 'Hello' }], { fixtures: [{ tool: 'a', result: 'x'.repeat(16_400) }] }),
      'cases.0.fixtures.0.result',
    ],
    [{ name: 'Wrong', cases: Array.from({ length: 70 }, (_, at) => asks(`${at}`, 'x'.repeat(7800))) }, 'cases'],
  ]
  const { test_set } = await made(bench.create({ cases: one }))
  for (const [body, path] of bodies) {
    for (const answer of [
      await api('POST', bench.path, body),
      await api('PUT', `${bench.path}/${test_set._id}`, body),
    ]) {
      t.match(answer, { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } }, path)
      const paths = answer.body.error.details.violations.map((one: Json) => one.path)
      t.ok(
        paths.some((found: string) => found.startsWith(path)),
        `${path} in ${paths}`,
      )
    }
  }
  t.same((await made(api('GET', `${bench.path}/${test_set._id}`))).test_set, test_set)
  t.equal((await api('DELETE', `${bench.path}/${test_set._id}`)).status, 204)
  t.same((await made(api('GET', bench.path))).data, before)
  const large = Array.from({ length: 60 }, (_, at) => asks(`${at}`, 'x'.repeat(8000)))
  t.equal((await bench.create({ cases: large })).status, 201, 'just below the bound')
  for (const runs of [0, 21, 'x', null]) {
    t.equal((await api('POST', `${bench.path}/${before[0]._id}/runs`, { runs })).status, 400)
  }
})

t.test('contacts have to be there, and other ids are not found', async (t) => {
  const unknown = [asks('One', 'Hello', {}, { chat_user: nobody })]
  const refused = { status: 422, body: { error: { code: 'NO_CONTACT', details: { chat_user: nobody } } } }
  t.match(await bench.create({ cases: unknown }), refused)
  const { path, set, run } = await bench.start(one)
  const set_path = `${bench.path}/${set._id}`
  t.match(await api('PUT', set_path, { name: 'x', cases: unknown }), refused)
  await bench.ended(path)
  const other = await openDesk(world, tenant, { deployments: [] })
  const stranger = await makeTenant(world)
  const calls: [string, string, Json?][] = [
    ['GET', ''],
    ['PUT', '', { name: 'x', cases: one }],
    ['GET', '/runs'],
    ['POST', '/runs', {}],
    ['GET', `/runs/${run._id}`],
    ['POST', `/runs/${run._id}/cancel`],
    ['DELETE', ''],
  ]
  for (const [method, rest, body] of calls) {
    const places = [
      [api, `assistants/${other.id}/test-sets/${set._id}${rest}`],
      [api, `assistants/${nobody}/test-sets/${set._id}${rest}`],
      [api, `${bench.path}/${nobody}${rest}`],
      [stranger.api, `${set_path}${rest}`],
    ] as const
    for (const [call, place] of places) {
      t.match(
        await call(method, place, body),
        { status: 404, body: { error: { code: 'NOT_FOUND' } } },
        `${method} ${rest}`,
      )
    }
  }
  t.equal((await api('GET', `${set_path}/runs/${nobody}`)).status, 404)
  t.equal((await api('POST', `${set_path}/runs/${nobody}/cancel`)).status, 404)
  for (const [call, place] of [
    [api, `assistants/${nobody}/test-sets`],
    [stranger.api, bench.path],
  ] as const) {
    t.equal((await call('GET', place)).status, 404)
    t.equal((await call('POST', place, { name: 'x', cases: one })).status, 404)
  }
  t.match((await made(api('GET', set_path))).test_set, { _id: set._id })
})

t.test('each scope allows its own', async (t) => {
  const { set, path } = await bench.start(one)
  await bench.ended(path)
  const set_path = `${bench.path}/${set._id}`
  const calls: [string, string, string, Json?][] = [
    ['assistants:read', 'GET', bench.path],
    ['assistants:read', 'GET', set_path],
    ['assistants:read', 'GET', `${set_path}/runs`],
    ['assistants:read', 'GET', path],
    ['assistants:run', 'POST', `${set_path}/runs`, {}],
    ['assistants:run', 'POST', `${path}/cancel`],
    ['assistants:write', 'POST', bench.path, { name: 'Scoped', cases: one }],
    ['assistants:write', 'PUT', set_path, { name: 'Scoped too', cases: one }],
    ['assistants:write', 'DELETE', set_path],
  ]
  const scopes = ['assistants:read', 'assistants:write', 'assistants:run']
  const tokens = new Map<string, string>()
  for (const scope of scopes) {
    const fields = { project_id: tenant.project_id, user_id: tenant.user_id, name: scope, scopes: [scope] }
    tokens.set(scope, (await made(world.operator('POST', 'tokens', fields))).token)
  }
  for (const [scope, method, place, body] of calls) {
    for (const other of scopes.filter((one) => one !== scope)) {
      t.match(await api(method, place, body, { token: tokens.get(other)! }), { status: 403 }, `${method} with ${other}`)
    }
    t.ok((await api(method, place, body, { token: tokens.get(scope)! })).status < 300, `${method} with ${scope}`)
  }
})

t.test('a project has 200 sets, and a set keeps 200 runs', async (t) => {
  const full = await makeTenant(world)
  const { id } = await openDesk(world, full, { deployments: [] })
  const own = testBench(full, id)
  const { path, set } = await own.start(one)
  await own.ended(path)
  const { company_id, project_id } = full
  await database.execute(`
    insert into assistant_test_set (_id, company_id, project_id, assistant_id, name, runs, pass_rate, cases, case_count,
        created_at, updated_at)
      select lpad(to_hex(n), 24, '0'), '${company_id}', '${project_id}', '${id}', n, 1, 1, '[]', 0, now(), now()
      from generate_series(1, 199) n;
    insert into assistant_test_run (_id, company_id, project_id, assistant_id, test_set_id, name, runs, least_pass_rate,
        cases, case_count, state, total, created_at, ended_at)
      select lpad(to_hex(n), 24, '0'), '${company_id}', '${project_id}', '${id}', '${set._id}', 'x', 1, 1, '[]', 0, 'done', 1,
        now(), now() from generate_series(1, 199) n;
    insert into assistant_test_result (run_id, position, company_id, project_id, case_name, repetition, has_passed,
        failures, steps, input_tokens, output_tokens, started_at, ended_at)
      select lpad(to_hex(n), 24, '0'), 0, '${company_id}', '${project_id}', 'x', 1, true, '[]', '[]', 1, 1, now(), now()
      from generate_series(1, 199) n`)
  t.match(await own.create({ cases: one }), {
    status: 422,
    body: { error: { code: 'TEST_SET_LIMIT_REACHED', details: { limit: 200 } } },
  })
  t.equal((await full.api('DELETE', `${own.path}/${'0'.repeat(23)}1`)).status, 204)
  t.equal((await own.create({ name: 'Fits', cases: one })).status, 201)
  const { run } = await made(full.api('POST', `${own.path}/${set._id}/runs`, {}))
  await own.ended(`${own.path}/${set._id}/runs/${run._id}`)
  const { data } = await made(full.api('GET', `${own.path}/${set._id}/runs?limit=200`))
  t.equal(data.length, 200)
  t.equal(data[0]._id, run._id)
  t.equal(data.at(-1)._id, `${'0'.repeat(23)}2`, 'the oldest is gone')
  const [left] = await database.execute<{ count: number }>(
    `select count(*)::int as count from assistant_test_result where run_id = '${'0'.repeat(23)}1'`,
  )
  t.equal(left!.count, 0, 'with its results')
})

t.test('results come page by page, and those that failed alone', async (t) => {
  const mark = `pages ${newPerson()}`
  await desk.script(mark, { answer: 'Here.', times: 10 })
  const cases = ['a', 'b', 'c', 'd', 'e'].map((name) => asks(name, mark, { excludes: name === 'd' ? ['here'] : [] }))
  const { path } = await bench.start(cases)
  await bench.ended(path)
  const names = async (query: string) => {
    const { results } = await made(api('GET', `${path}?${query}`))
    return [results.data.map((one: Json) => one.case_name).join(''), results.next_cursor, results.has_more]
  }
  t.same(await names('limit=2'), ['ab', '1', true])
  t.same(await names('limit=2&cursor=1'), ['cd', '3', true])
  t.same(await names('limit=2&cursor=3'), ['e', null, false])
  t.same(await names('has_passed=false'), ['d', null, false])
  const id = path.split('/').at(-1)!
  await database.execute(`update assistant_test_result set failures = to_json(array[json_build_object('step', 1,
    'kind', 'turn', 'expected', repeat('x', 1500000), 'found', '')]) where run_id = '${id}'`)
  t.same(await names('limit=200'), ['abc', '2', true], 'as far as they fit into a page')
  t.same(await names('limit=200&cursor=2'), ['de', null, false])
  for (const cursor of ['x', '-1', 'f'.repeat(24)]) t.equal((await api('GET', `${path}?cursor=${cursor}`)).status, 400)
})

t.test('a try keeps the first 50 facts that do not hold', async (t) => {
  const mark = `facts ${newPerson()}`
  await desk.script(mark, { answer: 'Here.', times: 10 })
  const most = Array(20).fill('x')
  const { run, results } = await bench.run([
    asks('Wrong', mark, { tools: most, includes: most, excludes: Array(20).fill('e') }),
  ])
  t.match(run, { state: 'done', failed: 1, has_passed: false })
  t.equal(results[0]!.failures.length, 50)
})

t.test('a deleted set ends its run, and its runs are found no more', async (t) => {
  const mark = `deleted ${newPerson()}`
  await desk.script(mark, { fault: 'hang', times: 10 })
  const { path, set, run } = await bench.start([asks('Hangs', mark)])
  await eventually('it is under way', async () => (await desk.calls(mark)).length > 0)
  t.equal((await api('DELETE', `${bench.path}/${set._id}`)).status, 204)
  t.equal((await api('GET', path)).status, 404)
  await eventually('the run has ended', async () => {
    const [row] = await database.execute<{ state: string }>(
      `select state from assistant_test_run where _id = '${run._id}'`,
    )
    return row!.state === 'canceled'
  })
})

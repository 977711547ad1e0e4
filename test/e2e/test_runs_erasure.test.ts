/** A person is erased while cases about the person are tried: nothing of the person stays in sets, runs and results. */
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

async function person(): Promise<string> {
  const phone = newPerson()
  await tenant.writes(phone, { type: 'text', text: { body: 'Hello' } })
  return (await eventually('the contact is there', () => desk.contactOf(phone)))._id
}

async function erased(kind: string, id: string): Promise<Json> {
  const { _id } = await made(world.operator('POST', 'erasures', { kind, id, confirm: true }))
  return eventually('the erasure is done', async () => {
    const { body } = await world.operator('GET', `erasures/${_id}`)
    return body.status === 'done' && body
  })
}

/** Rows of the tables that name the person anywhere. */
async function naming(id: string): Promise<Json> {
  const [row] = await database.execute<Json>(`select
    (select count(*)::int from assistant_test_set one where one::text like '%${id}%') as sets,
    (select count(*)::int from assistant_test_run one where one::text like '%${id}%') as runs,
    (select count(*)::int from assistant_test_result one where one::text like '%${id}%') as results,
    (select count(*)::int from audit_entry one where one.target_kind like 'assistant_test_%'
      and (one.before::text like '%${id}%' or one.after::text like '%${id}%')) as entries`)
  return row!
}

t.test('cases, results and runs of an erased person go, and those of others stay', async (t) => {
  const [gone, kept] = [await person(), await person()]
  const mark = `secret ${newPerson()}`
  await desk.script(`quick ${mark}`, { answer: 'Here.', times: 20 })
  await desk.script(`slow ${mark}`, { answer: 'Dear secret person.', delay_ms: 3000, times: 20 })
  const about = (name: string, text: string, chat_user?: string) =>
    asks(name, `${text} ${mark}`, {}, chat_user === undefined ? {} : { chat_user })
  const mixed = [about('Gone', 'quick', gone), about('Kept', 'quick', kept), about('Nobody', 'quick')]
  const ended = await bench.start(mixed)
  t.match((await bench.ended(ended.path)).run, { passed: 3 })
  const others = await bench.start([about('Kept', 'quick', kept)])
  await bench.ended(others.path)
  const under_way = await bench.start([about('Slow', 'slow', gone), about('Nobody', 'slow')])
  const beside = await bench.start([about('Beside', 'slow', kept)])
  await eventually('the model thinks', async () => (await desk.calls(`slow ${mark}`)).length >= 3)
  t.match(await naming(gone), { sets: 2, runs: 2, results: 1 })
  const exported = await made(world.operator('POST', 'exports', { kind: 'contact', id: gone }))
  await eventually(
    'it is exported',
    async () => (await made(world.operator('GET', `exports/${exported._id}`))).status === 'done',
  )
  t.match((await made(world.operator('GET', `exports/${exported._id}`))).counts, { assistant_test_result: 1 })

  const { counts } = await erased('contact', gone)
  t.match(counts, { assistant_test_case: 2 })
  t.same(await naming(gone), { sets: 0, runs: 0, results: 0, entries: 0 })
  const { test_set } = await made(api('GET', `${bench.path}/${ended.set._id}`))
  t.match(test_set, { case_count: 2, cases: [{ name: 'Kept', chat_user: kept }, { name: 'Nobody' }] })
  t.equal(test_set.cases.length, 2)
  t.equal((await api('GET', ended.path)).status, 404, 'a run that names the person goes as a whole')
  t.equal((await api('GET', under_way.path)).status, 404)
  t.match(await bench.ended(beside.path), { run: { state: 'done', passed: 1 } }, 'another run goes on')
  t.match(await bench.ended(others.path), { run: { passed: 1 }, results: [{ case_name: 'Kept' }] })
  t.same(await naming(gone), { sets: 0, runs: 0, results: 0, entries: 0 }, 'answers that came later changed nothing')
  const again = { name: 'Again', cases: [about('Gone', 'quick', gone)] }
  t.match(await api('POST', bench.path, again), { status: 422, body: { error: { code: 'NO_CONTACT' } } })
})

t.test('an erased project leaves nothing of its sets, also of a run under way', async (t) => {
  const own = await makeTenant(world)
  const { id } = await openDesk(world, own, { deployments: [] })
  const mark = `project ${newPerson()}`
  await desk.script(mark, { fault: 'hang', times: 20 })
  const { path } = await testBench(own, id).start([asks('Hangs', mark)])
  await eventually('the model is asked', async () => (await desk.calls(mark)).length > 0)
  t.equal((await own.api('GET', path)).status, 200)
  await erased('project', own.project_id)
  for (const table of ['assistant_test_set', 'assistant_test_run', 'assistant_test_result']) {
    t.same(await database.execute(`select 1 from ${table} where project_id = '${own.project_id}'`), [], table)
  }
  t.same(await database.execute(`select 1 from outbox where address = 'test_runs/${own.project_id}'`), [])
})

/** A restored copy with runs of test sets under way: nothing is tried before the resume, and then they go on. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { TEST_SECRET } from '../support/mod.ts'
import { eventually } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { startReadingModel } from './reading_model.ts'
import { asks, testBench } from './test_bench.ts'

const QUIET_MS = 10_000
const CASES = 20
const UNDER_WAY = 8

t.test('a quiet copy asks no model for its runs, and ends them after the resume', async (t) => {
  let asked = 0
  const model = await startReadingModel(t, {
    latency_ms: () => {
      asked++
      return 300
    },
  })
  const env = () => ({
    PARLEY_SECRET: TEST_SECRET,
    PARLEY_MODELS: JSON.stringify({ simulated: { url: model.url, context: 32_000 } }),
  })
  const node = await startKillable(t, { env })
  const tenant = await makeTenant(node)
  const { api } = tenant
  const { assistant } = await made(() => api('POST', 'assistants', { name: 'Ana', model: 'simulated' }))
  const { block } = await made(() => api('POST', 'blocks/steps', { name: 'Steps', content: 'First' }))
  await made(() => api('POST', `assistants/${assistant._id}/blocks`, { block_id: block._id }))
  const bench = testBench(tenant, assistant._id)
  const cases = Array.from({ length: CASES }, (_, at) => asks(`Case ${at}`, `Hello #${at}`, { includes: [`#${at}`] }))
  const { test_set } = await made(() => bench.create({ cases }))
  const version = { content: 'Second', hold: true, test_set_id: test_set._id }
  const held = await made(() => api('PUT', `blocks/${block._id}/content`, version))
  const runs = [await bench.start(cases), await bench.start(cases), await bench.start(cases)]
  await eventually('some are done', async () => (await made(() => api('GET', runs[0]!.path))).run.passed >= 8)
  await node.process().end('SIGKILL')
  const database = await openDatabase({ url: node.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  await database.execute(`update cluster set home = 'restored'`)
  const before = asked
  await node.start()
  const set_path = `${bench.path}/${test_set._id}`
  const begun = await made(() => api('POST', `${set_path}/runs`, { held: true }))
  const canceled = await made(() => api('POST', `${set_path}/runs`, {}))
  await made(() => api('POST', `${set_path}/runs/${canceled.run._id}/cancel`))
  // A call that must not happen cannot be waited for.
  await sleep(QUIET_MS)
  t.match((await bench.ended(`${set_path}/runs/${canceled.run._id}`)).run, { state: 'canceled' })
  await node.process().end('SIGKILL')
  await node.start()
  await sleep(2000)
  t.equal(asked, before, 'no model is asked')
  await made(() => node.operator('POST', 'cluster/resume', {}))
  for (const path of [...runs.map((one) => one.path), `${set_path}/runs/${begun.run._id}`])
    t.match((await bench.ended(path)).run, { state: 'done', passed: CASES, failed: 0 })
  t.ok(asked <= 4 * CASES + UNDER_WAY, `${asked} calls for ${4 * CASES} tries`)
  await eventually('the version is released', async () => {
    const { current_version_id } = (await made(() => api('GET', `blocks/${block._id}`))).block
    return current_version_id === held._id
  })
  t.same(await database.execute('select * from dead_letter'), [])
})

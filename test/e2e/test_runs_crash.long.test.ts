/** Runs of test sets outlive the nodes that work on them: no try is lost or counted twice, and a stored result is not paid again. */
import t, { type Test } from 'tap'
import { freePort, TEST_SECRET, tempDir } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { startReadingModel } from './reading_model.ts'
import { asks, testBench } from './test_bench.ts'

const CASES = 30
const RUNS = 4
const MODEL_MS = 150
/** Tries of a run under way: those that the end of a node may cut off. */
const UNDER_WAY = 4

t.setTimeout(600_000)

let asked = 0
const model = await startReadingModel(t, {
  latency_ms: () => {
    asked++
    return MODEL_MS
  },
})
const env = () => ({
  PARLEY_SECRET: TEST_SECRET,
  PARLEY_MODELS: JSON.stringify({ simulated: { url: model.url, context: 32_000 } }),
})
const one = await startKillable(t, { env })
const other = await startKillable(t, { config: { ...one.config, port: await freePort(), data_dir: tempDir(t) }, env })
const tenant = await makeTenant(one)
const { assistant } = await made(tenant.api('POST', 'assistants', { name: 'Ana', model: 'simulated' }))
const bench = testBench(tenant, assistant._id)

/** A run whose `meanwhile` happens when some of it is done, and its results. */
async function during(meanwhile: () => Promise<unknown>) {
  asked = 0
  const cases = Array.from({ length: CASES }, (_, at) => asks(`Case ${at}`, `Hello #${at}`, { includes: [`#${at}`] }))
  const { path } = await bench.start(cases, { runs: RUNS })
  await eventually('some are done', async () => (await made(tenant.api('GET', path))).run.passed >= CASES)
  await meanwhile()
  const { run, results } = await bench.ended(path)
  return { run, results, asked }
}

function check(t: Test, { run, results, asked }: Awaited<ReturnType<typeof during>>, cut_off: number): void {
  const total = CASES * RUNS
  t.match(run, { state: 'done', total, passed: total, failed: 0, has_passed: true })
  const tries = results.map(({ case_name, repetition }: Json) => `${repetition} ${case_name}`)
  t.equal(new Set(tries).size, total, 'each try has one result')
  t.same([run.input_tokens, run.output_tokens], [100 * total, 10 * total])
  t.ok(asked >= total && asked <= total + cut_off, `${asked} calls of the model for ${total} tries`)
}

t.test('an owner that ends in order, and nodes that are killed, lose and double nothing', async (t) => {
  check(
    t,
    await during(async () => t.equal(await other.process().end('SIGTERM'), 0, other.process().said())),
    UNDER_WAY,
  )
  check(t, await during(() => other.start()), UNDER_WAY)
  const killed = await during(async () => {
    await other.process().end('SIGKILL')
    await one.process().end('SIGKILL')
    await one.start()
  })
  check(t, killed, 2 * UNDER_WAY)
  t.equal(await one.process().end('SIGTERM'), 0, one.process().said())
})

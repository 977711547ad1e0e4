/** The owner of conversations ends in order, or stands still for half a minute, while a model thinks. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { freePort, TEST_SECRET, tempDir } from '../support/mod.ts'
import { openDesk } from './assistant_desk.ts'
import { findingsOf, playHistory, rested } from './assistant_histories.ts'
import { eventually } from './client.ts'
import { makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'
import { startReadingModel } from './reading_model.ts'

const PEOPLE = 20
const MODEL_MS = 6000
const STOP_MS = 30_000

t.setTimeout(900_000)

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
const config = { ...one.config, port: await freePort(), data_dir: tempDir(t) }
const other = await startKillable(t, { config, env })
const database = await openDatabase({ url: one.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())
const tenant = await makeTenant(one)
await openDesk({ model: async () => ({}) as never }, tenant)

/** People write, each once; `meanwhile` runs while the model thinks about all of them. Returns what was wrong at the end. */
async function during(meanwhile: () => Promise<unknown>): Promise<string[]> {
  const before = asked
  const ask = () => playHistory(one, tenant, { gaps_ms: [], takes_over_ms: null })
  const histories = await Promise.all(Array.from({ length: PEOPLE }, ask))
  await eventually('the model is asked for everybody', () => asked >= before + PEOPLE)
  await meanwhile()
  await rested(database, tenant)
  const findings = await Promise.all(histories.map((history) => findingsOf(database, tenant, history)))
  return findings.flat()
}

/** Calls of the model whose answer a turn has. */
async function used(): Promise<number> {
  const [row] = await database.execute<{ count: number }>(`
    select count(*)::int as count from assistant_turn, json_array_elements(steps) step where step->'error' is null`)
  return row!.count
}

t.test('an owner that ends hands its calls over: none is made again, and each answer is used', async (t) => {
  t.same(await during(async () => t.equal(await other.process().end('SIGTERM'), 0, other.process().said())), [])
  t.same([asked, model.answered, await used()], [PEOPLE, PEOPLE, PEOPLE])
})

t.test('partitions that move to a node which joins take their calls along', async (t) => {
  t.same(await during(() => other.start()), [])
  t.same([asked, model.answered, await used()], [2 * PEOPLE, 2 * PEOPLE, 2 * PEOPLE])
})

t.test('an owner that stands still for half a minute answers nobody twice, and leaves nobody in silence', async (t) => {
  const { pid } = other.process()
  const findings = await during(async () => {
    process.kill(pid, 'SIGSTOP')
    await sleep(STOP_MS)
    process.kill(pid, 'SIGCONT')
  })
  t.same(findings, [])
  t.same(await database.execute('select * from dead_letter'), [])
  for (const node of [one, other]) t.equal(await node.process().end('SIGTERM'), 0, node.process().said())
})

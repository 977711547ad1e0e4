import t from 'tap'
import { chance } from '../faults/chance.ts'
import { tempDir } from '../support/mod.ts'
import { type Child, startChild } from './child.ts'
import { eventually, sleep, startClient } from './client.ts'
import { makeTenant, OPERATOR_KEY, outside, settings, startSimulatorFor } from './fixture.ts'
import { checkLoad, startLoad } from './load.ts'
import { startSink } from './sink.ts'

const ROUNDS = 3
const seed = Number(process.env.PARLEY_TEST_SEED ?? Date.now() % 1_000_000)

t.test('kill -9 of the node at any moment loses, doubles and reorders nothing', async (t) => {
  t.comment(`PARLEY_TEST_SEED=${seed}`)
  const random = chance(seed)
  const http = startClient(t)
  const sink = await startSink(t)
  const simulator = await startSimulatorFor(t, { latency_ms: 5 })
  const config = await settings(t)
  const env = {
    PARLEY_ENV: 'development',
    PARLEY_PORT: String(config.port),
    PARLEY_DATA_DIR: tempDir(t),
    PARLEY_OPERATOR_KEY: OPERATOR_KEY,
    PARLEY_PARTITIONS: '8',
    PARLEY_NATS_PREFIX: config.nats_prefix,
    PARLEY_WEBHOOK_SCHEDULE: '0,0.2,0.2,0.2,0.2',
    DATABASE_URL: config.database_url!,
    NATS_URL: config.nats_url!,
    PARLEY_NATS_REPLICAS: String(config.nats_replicas),
    PARLEY_TEST_WAITS: JSON.stringify({ confirm_ms: 2500, send_ms: 2000 }),
  }
  const start = async (): Promise<Child> => {
    const child = startChild(t, new URL('./run_parley.ts', import.meta.url), env)
    await child.line(/^http:/)
    return child
  }
  let child = await start()
  const world = { ...outside(http, `http://127.0.0.1:${config.port}`, simulator.url), sink }
  const tenant = await makeTenant(world)
  const keyed = () => tenant.send('+15550180000', {}, { headers: { 'idempotency-key': 'before every crash' } })
  const first = await keyed()
  const load = await startLoad(tenant)
  const moments: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const moment = Math.floor(50 + random() * 900)
    moments.push(moment)
    await sleep(moment)
    await child.end('SIGKILL')
    child = await start()
  }
  t.comment(`killed after ${moments.join(', ')} ms`)
  await load.stop()
  const again = await eventually('it answers', () => keyed().catch(() => undefined))
  t.same([again.text, again.headers['idempotent-replayed']], [first.text, 'true'], 'a key outlives every crash')
  load.sends.push({ id: first.body.id, to: '+15550180000', body: 'Hello' })
  await checkLoad(t, world, tenant, load, config.database_url!)
  t.equal(await child.end('SIGTERM'), 0, child.said())
})

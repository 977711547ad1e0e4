import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { chance } from '../faults/chance.ts'
import { tempDir } from '../support/mod.ts'
import { underKills } from './broadcast_kills.ts'
import { type Child, startChild } from './child.ts'
import { startClient } from './client.ts'
import { made, makeTenant, OPERATOR_KEY, outside, settings, startSimulatorFor } from './fixture.ts'
import { startSink } from './sink.ts'

const seed = Number(process.env.PARLEY_TEST_SEED ?? Date.now() % 1_000_000)

// Half a minute on an idle machine; processes start slowly on a busy one.
t.setTimeout(300_000)

t.test(
  'kill -9 in the middle of a broadcast: everybody gets it once, and the counts are right all along',
  async (t) => {
    t.comment(`PARLEY_TEST_SEED=${seed}`)
    const http = startClient(t)
    const sink = await startSink(t)
    const simulator = await startSimulatorFor(t, { latency_ms: 5 })
    const config = await settings(t)
    const database = await openDatabase({ url: config.database_url!, pool_size: 2 })
    t.teardown(() => database.close())
    const env = {
      PARLEY_ENV: 'development',
      PARLEY_PORT: String(config.port),
      PARLEY_DATA_DIR: tempDir(t),
      PARLEY_OPERATOR_KEY: OPERATOR_KEY,
      PARLEY_PARTITIONS: '8',
      PARLEY_NATS_PREFIX: config.nats_prefix,
      DATABASE_URL: config.database_url!,
      NATS_URL: config.nats_url!,
      PARLEY_NATS_REPLICAS: String(config.nats_replicas),
      PARLEY_TEST_WAITS: JSON.stringify({ confirm_ms: 8000, send_ms: 5000 }),
    }
    const start = async (): Promise<Child> => {
      const child = startChild(t, new URL('./run_parley.ts', import.meta.url), env)
      await child.line(/^http:/)
      return child
    }
    let child = await start()
    const world = { ...outside(http, `http://127.0.0.1:${config.port}`, simulator.url), sink }
    const tenant = await makeTenant(world)
    const path = `channels/${tenant.number.channel_id}`
    const findings = await underKills({
      tenant,
      database,
      recipients: 300,
      kills: 3,
      random: chance(seed),
      async kill() {
        await child.end('SIGKILL')
        child = await start()
      },
      pace: (messages_per_second) => made(world.operator('PATCH', path, { messages_per_second })),
      log: (line) => t.comment(line),
    })
    t.same(findings, [])
    t.equal(await child.end('SIGTERM'), 0, child.said())
  },
)

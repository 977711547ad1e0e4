import t from 'tap'
import { silentLog } from '../../runtime/mod.ts'
import { startServers } from '../../runtime/servers/start_servers.ts'
import { tempDir } from '../support/mod.ts'
import { eventually, sleep } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'
import { checkLoad, startLoad } from './load.ts'

const ROUNDS = 2

for (const name of ['postgres', 'nats'] as const) {
  t.test(`kill -9 of ${name} under load loses, doubles and reorders nothing`, async (t) => {
    const servers = await startServers({ data_dir: tempDir(t), durable: false })
    t.teardown(() => servers.stop())
    const { database_url, nats_url } = servers
    const world = await startWorld(t, {
      log: silentLog,
      config: { database_url, nats_url },
      waits: { confirm_ms: 30_000, send_ms: 10_000, webhook_ms: 5000 },
    })
    const tenant = await makeTenant(world)
    const load = await startLoad(tenant)
    for (let round = 0; round < ROUNDS; round++) {
      await sleep(300 + Math.random() * 500)
      const killed = servers.pids()[name]!
      process.kill(killed, 'SIGKILL')
      await eventually(`${name} is back`, () => servers.pids()[name] !== undefined && servers.pids()[name] !== killed)
    }
    await sleep(500)
    await load.stop()
    await checkLoad(t, world, tenant, load, database_url)
    const ready = await eventually('it is ready', async () => {
      const answer = await world.http('GET', `${world.base_url}/ready`)
      return answer.status === 200 && answer
    })
    t.ok(ready)
  })
}

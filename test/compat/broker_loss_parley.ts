/** A whole Parley under load on a NATS of three servers: every promise holds, whatever happens to the servers. */
import t from 'tap'
import { silentLog } from '../../runtime/mod.ts'
import { eventually, sleep } from '../e2e/client.ts'
import { makeTenant, startWorld } from '../e2e/fixture.ts'
import { checkLoad, startLoad } from '../e2e/load.ts'
import { natsOfThree } from './nats_of_three.ts'

t.test(
  'servers of the NATS are killed, wiped and restarted under load: nothing lost, doubled or reordered',
  async (t) => {
    const nats = await natsOfThree(t)
    const world = await startWorld(t, {
      log: silentLog,
      config: { nats_url: nats.url, nats_prefix: nats.prefix, nats_replicas: 3 },
      // A message between actors may be seconds late here. In production an answer of the provider has 30 s to arrive.
      waits: { confirm_ms: 20_000, send_ms: 5000, webhook_ms: 5000 },
    })
    const tenant = await makeTenant(world)
    t.equal(await nats.copies(0), 3)
    const load = await startLoad(tenant)
    await sleep(500)

    const leader = await nats.leader(0)
    await leader.server.kill()
    await sleep(3000)
    await nats.start()

    const next = await nats.leader(1)
    await next.server.kill()
    next.wipe()
    await sleep(500)
    await nats.start()

    await nats.restartInTurn()
    await nats.killAndWipeAll()
    await nats.start()
    await sleep(500)

    await load.stop()
    await checkLoad(t, world, tenant, load, world.config.database_url!)
    const ready = await eventually('it is ready', async () => {
      const answer = await world.http('GET', `${world.base_url}/ready`)
      return answer.status === 200 && answer
    })
    t.ok(ready)
  },
)

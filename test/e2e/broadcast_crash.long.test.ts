import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { chance } from '../faults/chance.ts'
import { underKills } from './broadcast_kills.ts'
import { made, makeTenant } from './fixture.ts'
import { startKillable } from './killable.ts'

const seed = Number(process.env.PARLEY_TEST_SEED ?? Date.now() % 1_000_000)

// Takes half a minute on an idle machine. Processes start slowly on a busy one.

t.test(
  'kill -9 in the middle of a broadcast: everybody gets it once, and the counts are right all along',
  async (t) => {
    t.comment(`PARLEY_TEST_SEED=${seed}`)
    const waits = { confirm_ms: 8000, send_ms: 5000 }
    const world = await startKillable(t, { waits, simulator: { latency_ms: 5 } })
    const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
    t.teardown(() => database.close())
    const tenant = await makeTenant(world)
    const path = `channels/${tenant.number.channel_id}`
    const findings = await underKills({
      tenant,
      database,
      recipients: 300,
      kills: 3,
      random: chance(seed),
      async kill() {
        await world.process().end('SIGKILL')
        await world.start()
      },
      pace: (messages_per_second) => made(world.operator('PATCH', path, { messages_per_second })),
      log: (line) => t.comment(line),
    })
    t.same(findings, [])
    t.equal(await world.process().end('SIGTERM'), 0, world.process().said())
  },
)

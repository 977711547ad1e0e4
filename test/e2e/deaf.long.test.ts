/** The wait for status callbacks: time in which none could be stored does not count. */
import t from 'tap'
import { silentLog } from '../../runtime/mod.ts'
import { migrate, openDatabase } from '../../storage/mod.ts'
import { startPostgres } from '../faults/servers.ts'
import { eventually, sleep } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'

const TO = '15550180000'
const CONFIRM_MS = 4000

t.test('a message in doubt while PostgreSQL is away is not sent again before its callbacks arrive', async (t) => {
  const postgres = await startPostgres(t)
  const database = await openDatabase({ url: postgres.url, pool_size: 2 })
  await migrate(database).finally(() => database.close())
  const world = await startWorld(t, {
    log: silentLog,
    config: { database_url: postgres.url },
    waits: { confirm_ms: CONFIRM_MS, send_ms: 500 },
    simulator: { webhooks: { timeout_ms: 500 } },
  })
  const tenant = await makeTenant(world)
  await tenant.writes(`+${TO}`, 'Hello')
  // The provider takes the message and its answer is lost. The callbacks come while nothing can be stored.
  await world.control('POST', 'faults', {
    match: { recipient: TO },
    reset: 'after',
    statuses: { late_ms: 1000 },
    times: 1,
  })
  const { body } = await tenant.send(`+${TO}`)
  await eventually('the provider has it', async () => (await tenant.sent()).length === 1)
  await sleep(300)
  postgres.freeze()
  await sleep(CONFIRM_MS + 1000)
  postgres.thaw()
  await tenant.message(body.id, 'read')
  await sleep(CONFIRM_MS + 500)
  t.equal((await tenant.sent()).length, 1)
})

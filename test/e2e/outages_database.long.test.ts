/**
 * Faults of the database under load, one after the other: it refuses connections, cuts them, starts up, runs out of
 * them and shuts down.
 */
import t from 'tap'
import { silentLog } from '../../runtime/mod.ts'
import { generateTokenSecret, openDatabase } from '../../storage/mod.ts'
import { testDatabaseUrl } from '../support/mod.ts'
import { eventually, sleep } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'
import { type Line, startLine } from './line.ts'
import { checkLoad, prepareLoad, runLoad } from './load.ts'

/** Milliseconds that a request may take on a busy machine. Its own deadline is 10 s. */
const DEADLINE_MS = 12_000

const direct_url = await testDatabaseUrl(t)
const line = await startLine(t, direct_url)
// The waits of a channel are longer than any outage here, so the channel never repeats a send that the provider has.
const waits = { confirm_ms: 20_000, send_ms: 5000, webhook_ms: 5000 }
const world = await startWorld(t, { log: silentLog, config: { database_url: line.url }, waits })
const beside = new URL(direct_url)
beside.pathname = '/postgres'
const admin = await openDatabase({ url: beside.href, pool_size: 1 })
t.teardown(() => admin.close())
const { base_url, http } = world

type Outage = { what: string; begin(line: Line): Promise<unknown> | unknown; end?(): Promise<unknown>; ms: number }

const outages: Outage[] = [
  // Longer than the deadline of a request.
  { what: 'connections are refused', begin: (line) => line.refuse(), ms: 10_500 },
  { what: 'the database system is starting up', begin: (line) => line.turnAway('57P03', 'starting up'), ms: 800 },
  { what: 'too many clients', begin: (line) => line.turnAway('53300', 'sorry, too many clients already'), ms: 800 },
  {
    what: 'the database takes no connections',
    async begin(line) {
      await allow(false)
      line.cut()
    },
    end: () => allow(true),
    ms: 800,
  },
]

async function allow(yes: boolean): Promise<void> {
  const name = new URL(direct_url).pathname.slice(1)
  await admin.execute(`alter database ${name} allow_connections ${yes}`)
}

t.test('whatever the database does, answers are honest, nothing is lost, and all recovers by itself', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.api('GET', 'me')
  await prepareLoad(tenant)
  const load = runLoad(tenant, { pause_ms: 100 })
  const unknown = generateTokenSecret().token
  await sleep(300)

  for (const { what, begin, end, ms } of outages) {
    await begin(line)
    const from = performance.now()
    const ready = await eventually(`${what}: it is noticed`, async () => {
      const answer = await http('GET', `${base_url}/ready`)
      return answer.status === 503 && answer
    })
    t.type(ready.body.checks.database, 'string')
    t.not(ready.body.checks.database, 'ok', `${what}: ${ready.body.checks.database}`)
    t.equal(ready.body.checks.broker, 'ok')
    const fine = await Promise.all([
      http('GET', `${base_url}/health`),
      http('GET', world.metrics_url()),
      tenant.api('GET', 'me'),
    ])
    t.same(
      fine.map(({ status }) => status),
      [200, 200, 200],
      `${what}: what needs no database goes on`,
    )
    const reads = await Promise.all([
      tenant.api('GET', 'messages'),
      tenant.api('GET', 'webhooks'),
      tenant.api('GET', 'me', undefined, { token: unknown }),
      world.operator('GET', 'projects'),
      world.operator('POST', 'companies', { name: 'Not now' }),
      world.operator('GET', 'cluster'),
      http('POST', `${base_url}/providers/whatsapp/${tenant.project_id}`, { raw: '{}' }),
    ])
    t.same(
      reads.map(({ status, headers }) => [status, Number(headers['retry-after']) >= 1]),
      reads.map(() => [503, true]),
      `${what}: the rest is told to come again`,
    )
    if (ms > 10_000) {
      const asked = performance.now()
      const { status, headers } = await tenant.send('+15550180000')
      t.equal(status, 503, 'a write waits for its deadline')
      t.ok(Number(headers['retry-after']) >= 1)
      t.ok(performance.now() - asked < DEADLINE_MS)
    }
    await sleep(Math.max(0, ms - (performance.now() - from)))
    await end?.()
    await line.mend()
    await eventually(`${what}: it is ready again`, async () => {
      const { status } = await http('GET', `${base_url}/ready`)
      return status === 200
    })
    t.equal((await tenant.api('GET', 'messages')).status, 200)
  }

  for (let cuts = 0; cuts < 10; cuts++) {
    line.cut()
    await sleep(50)
  }
  await eventually('it is ready after the cuts', async () => (await http('GET', `${base_url}/ready`)).status === 200)
  await load.stop()
  await checkLoad(t, world, tenant, load, direct_url)
})

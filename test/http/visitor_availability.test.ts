/** What visitors are told of the times at which people answer costs little, however many come. */
import t from 'tap'
import { ReadLimiter } from '../../http/server/limits/read_limiter.ts'
import { Availabilities } from '../../http/visitors/availability.ts'
import { WebChannels } from '../../http/visitors/channels.ts'
import { openDatabase } from '../../storage/mod.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { TEST_SECRET } from '../support/mod.ts'
import { connectWeb } from './visitor_page.ts'

const world = await joinWorld(t)
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 2 })
t.teardown(() => database.close())

t.test('the next open time is looked for once for many visitors', async (t) => {
  const tenant = await makeTenant(world)
  const closed_on = Array.from({ length: 200 }, (_, day) =>
    new Date(Date.now() + day * 86_400_000).toISOString().slice(0, 10),
  )
  const office_hours = { timezone: 'America/Mexico_City', weekly: {}, closed_on }
  await made(world.operator('PATCH', `projects/${tenant.project_id}`, { office_hours }))
  const channel_id = await connectWeb(world, tenant)
  const limiter = new ReadLimiter(2)
  const channel = await new WebChannels(database, limiter).find(channel_id)
  const availabilities = new Availabilities(database, limiter)
  const told = { is_open: false, changes_at: null, replies_in_s: null }
  t.same(await availabilities.of(channel!), told)
  const before = process.cpuUsage()
  for (let visitor = 0; visitor < 1_000; visitor++) await availabilities.of(channel!)
  t.ok(process.cpuUsage(before).user < 1_000_000)
  t.same(await availabilities.of(channel!), told)
})

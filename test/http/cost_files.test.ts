/** Files of costs have every group once, however many there are. */
import { text } from 'node:stream/consumers'
import t from 'tap'
import { costsFile } from '../../http/routes/messages/cost_sums.ts'
import { type Database, objectId, openDatabase, sql } from '../../storage/mod.ts'
import { joinWorld } from '../e2e/fixture.ts'
import { TEST_SECRET } from '../support/mod.ts'

const world = await joinWorld(t)
const database = await openDatabase({ url: world.config.database_url!, secret: TEST_SECRET, pool_size: 2 })
t.teardown(() => database.close())

/** Stores one charged message of each of so many bulk sends. */
async function charge(project_id: string, count: number): Promise<void> {
  await database.execute(sql`
    insert into message_cost (message_id, company_id, project_id, channel_id, broadcast_id, category, billable, amount, currency, charged_at)
    select ${project_id} || n, 'none', ${project_id}, 'none', ${project_id} || n, 'marketing', true, 0.5, 'USD', now() - interval '1 minute'
    from generate_series(1, ${count}::int) n`)
}

const asked = { group_by: 'broadcast', since: new Date(Date.now() - 3_600_000).toISOString() } as const

t.test('a file is of one moment: one statement reads it, however many groups it has', async (t) => {
  const project_id = objectId()
  await charge(project_id, 2_500)
  let statements = 0
  const counted = {
    execute(query: Parameters<Database['execute']>[0]) {
      statements++
      return database.execute(query)
    },
  } as Database
  const file = await costsFile(counted, { project_id }, asked)
  const rows = (await text(await file.open())).trim().split('\r\n').slice(1)
  t.equal(new Set(rows).size, 2_500)
  t.equal(statements, 1)
})

t.test('a period with more groups than a file may have is refused', async (t) => {
  const project_id = objectId()
  await charge(project_id, 100_001)
  await t.rejects(costsFile(database, { project_id }, asked), { code: 'VALIDATION_ERROR' })
  await database.execute(sql`delete from message_cost where project_id = ${project_id}`)
})

/** A node that is killed while a failed message is sent again. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { failedMessages } from './failed_messages.ts'
import { makeTenant } from './fixture.ts'
import { inboxAgent } from './inbox_client.ts'
import { startKillable } from './killable.ts'

t.test('kill -9 while it is asked for: one new message', async (t) => {
  // On a busy machine the status callbacks of a killed node take seconds to arrive again.
  const world = await startKillable(t, { waits: { confirm_ms: 15_000, send_ms: 2000 } })
  const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
  t.teardown(() => database.close())
  const tenant = await makeTenant(world)
  const ids = await failedMessages(
    world,
    tenant,
    Array.from({ length: 6 }, () => ({})),
  )
  const { ask } = await inboxAgent(world, tenant)
  // The node dies at another point of each request.
  const asked = ids.map((id) => ask('POST', `messages/${id}/retry`).catch(() => undefined))
  await Promise.race(asked)
  await world.process().end('SIGKILL')
  await Promise.all(asked)
  await world.start()
  for (const id of ids) {
    const again = await eventually(`${id} is sent again`, async () => {
      const { status, body } = await ask('POST', `messages/${id}/retry`).catch(() => ({ status: 0, body: undefined }))
      return status === 202 && body
    })
    await tenant.message(again.id, 'sent', 'delivered', 'read')
  }
  const rows = await database.execute<Json>(`select retry_of from message where retry_of is not null`)
  t.same(rows.map(({ retry_of }) => retry_of).toSorted(), ids.toSorted())
})

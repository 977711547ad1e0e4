/** A restart during a provider's answer: the node waits for the answer, and the message is not in doubt afterwards. */
import t from 'tap'
import { eventually } from './client.ts'
import { makeTenant, startWorld } from './fixture.ts'

t.test('a message whose provider answers slowly is sent once, and settled right after a restart', async (t) => {
  // No status callback comes in time, so only the answer of the call can settle the message.
  const minute = 60_000
  const world = await startWorld(t, {
    waits: { confirm_ms: minute, send_ms: 15_000 },
    simulator: { statuses: { sent_ms: minute, delivered_ms: minute, read_ms: minute } },
  })
  const tenant = await makeTenant(world)
  await tenant.writes('+15557000001', 'Hi')
  await world.control('POST', 'faults', { match: { recipient: '15557000001' }, latency_ms: 4000 })
  const { body } = await tenant.send('+15557000001')
  await eventually('it is on its way', async () => {
    // The provider has the message, and will answer within seconds.
    const is_taken = (await tenant.sent()).length === 1
    return is_taken && (await tenant.api('GET', `messages/${body.id}`)).body.status === 'queued'
  })
  await world.restart()
  t.match(await tenant.message(body.id, 'sent'), { provider_message_id: /^wamid\./ })
  t.equal((await tenant.sent()).length, 1)
})

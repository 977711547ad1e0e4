/** Values of filters that nothing can have, and what operators see of a deleted subscription. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator } = world
const tenant = await makeTenant(world)

t.test('a value that a filter cannot have is refused, and one that it could have gives an empty list', async (t) => {
  const { id } = await tenant.subscribe('unknown', ['whatsapp.message.received'])
  const project = `project_id=${tenant.project_id}`
  for (const [path, name] of [
    [`audit?${project}&action=zzz`, 'action'],
    [`audit?${project}&target_kind=zzz`, 'target_kind'],
    [`audit?${project}&actor_kind=zzz`, 'actor_kind'],
    ['dead-letters?kind=zzz', 'kind'],
    [`webhooks/${id}/deliveries?event_type=zzz`, 'event_type'],
    [`webhooks/${id}/deliveries?since=2026-02-02T00:00:00Z&until=2026-02-01T00:00:00Z`, 'until'],
    ['audit?since=2026-02-02T00:00:00Z&until=2026-02-01T00:00:00Z', 'until'],
    ['dead-letters?since=2026-02-02T00:00:00Z&until=2026-02-01T00:00:00Z', 'until'],
    ['appointments?starts_from=2026-02-02T00:00:00Z&starts_before=2026-02-01T00:00:00Z', 'starts_before'],
  ] as const) {
    const { status, body } = await operator('GET', path)
    t.same([status, body.error?.details.violations.map(({ path }: Json) => path)], [400, [name]], path)
  }
  for (const type of ['replay', 'drop']) {
    const { status } = await operator('POST', `dead-letters/${type}`, {
      kind: 'zzz',
      ...(type === 'drop' && { confirm: true }),
    })
    t.equal(status, 400, type)
  }
  for (const path of [
    `audit?${project}&action=delete_webhook`,
    `audit?${project}&action=disable_webhook`,
    `audit?${project}&target_kind=knowledge_node`,
    `webhooks/${id}/deliveries?event_type=crm.ticket.updated`,
  ]) {
    t.same((await made(operator('GET', path))).data, [], path)
  }
  t.equal((await operator('GET', 'dead-letters?kind=sign_in')).status, 200)
})

t.test('operators read the deliveries of a subscription, also after it was deleted', async (t) => {
  const pushed = await tenant.subscribe('deleted', ['whatsapp.message.received'])
  const polled = await made(
    tenant.api('POST', 'webhooks', { name: 'Polled', mode: 'poll', events: ['whatsapp.message.received'] }),
  )
  await tenant.writes('+15557360001', 'Hello')
  const read = (id: string) => operator('GET', `webhooks/${id}/deliveries`)
  await eventually('it is delivered', async () => (await read(pushed.id)).body.data[0]?.status === 'success')
  await eventually('it can be polled', async () => (await read(polled.id)).body.data.length === 1)
  for (const { id } of [pushed, polled]) {
    const before = await made(read(id))
    t.equal((await tenant.api('DELETE', `webhooks/${id}`)).status, 204)
    t.equal((await tenant.api('GET', `webhooks/${id}/deliveries`)).status, 404, 'nobody else has it any more')
    const after = await made(read(id))
    t.same(
      after.data.map(({ id, event_id }: Json) => [id, event_id]),
      before.data.map(({ id, event_id }: Json) => [id, event_id]),
    )
    const one = await made(operator('GET', `webhooks/${id}/deliveries/${after.data[0].id}`))
    t.equal(one.event_id, after.data[0].event_id)
    if (id === pushed.id) t.equal(one.attempt_records.length, 1)
  }
  t.equal((await read(`wh_${'f'.repeat(24)}`)).status, 404)
  t.equal((await operator('GET', `webhooks/${pushed.id}/deliveries/dlv_${'f'.repeat(24)}`)).status, 404)
})

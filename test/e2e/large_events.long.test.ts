/** The largest request, on a node that passes it on over a broker with the message limit that NATS has by default. */
import t from 'tap'
import { plainNats } from '../support/mod.ts'
import { eventually } from './client.ts'
import { startCluster } from './cluster.ts'
import { made, makeTenant } from './fixture.ts'

const MIB = 1024 * 1024

t.test('an event of one mebibyte is recorded, shown and told, whichever node takes it', async (t) => {
  const nats = await plainNats(t)
  const { nodes, world, ownerOf } = await startCluster(t, {
    config: { nats_url: nats.url, nats_prefix: nats.prefix, nats_replicas: 1 },
  })
  const tenant = await makeTenant(world)
  await tenant.subscribe('large', ['crm.event.recorded'])
  const { _id: chat_user_id } = await made(tenant.api('POST', 'contacts', { channel_type: 'telegram', user_id: 'ana' }))
  await made(tenant.api('POST', 'crm/events', { event_type: 'payment.link_sent', chat_user_id, data: {} }))
  const owner = await eventually('the project has an owner', () => ownerOf(`project/${tenant.project_id}`))
  const ids: string[] = []
  for (const node of nodes) {
    const event = { event_type: 'payment.link_sent', chat_user_id, data: { text: '' }, idempotency_key: node.id }
    event.data.text = 'é'.repeat((MIB - JSON.stringify(event).length) / 2)
    const answer = await node.call(tenant.token, 'POST', 'crm/events', event)
    const which = node.id === owner.id ? 'on the node that has the project' : 'on the other'
    t.equal(answer.status, 201, which)
    t.ok(answer.body.event.data.text === event.data.text, which)
    ids.push(answer.body.event._id)
    const again = await node.call(tenant.token, 'POST', 'crm/events', event)
    t.equal(again.body.duplicated, true, which)
    const shown = await node.call(tenant.token, 'GET', `crm/events/${answer.body.event._id}`)
    t.ok(shown.body.data.text === event.data.text, which)
    const larger = { ...event, data: { text: `${event.data.text}é` } }
    t.equal((await node.call(tenant.token, 'POST', 'crm/events', larger)).status, 413, which)
  }
  const told = await eventually('the subscription is told of both', () => {
    const events = world.sink.events('large').filter(({ data }) => ids.includes(data._id))
    return events.length === 2 && events
  })
  t.ok(told.every(({ data }) => data.data.text.length > MIB / 2 - 200))
})

/** A reply that fails is no answer: the person waits again, the ticket is found, and the agent is told. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

const world = await joinWorld(t)
/** The simulator accepts a message to this number, and reports then that it cannot be delivered. */
const UNDELIVERABLE = '+15550131026'

/** An agent beside the ticket of somebody who writes. */
async function makeConversation(phone: string) {
  const tenant = await makeTenant(world)
  const agent = await makeAgent(world, tenant)
  const { call } = await signIn(world, agent)
  const at = `projects/${tenant.project_id}`
  const ask = (method: string, path: string, body?: Json) =>
    made(call(method as 'GET', `${at}/${path}`, body && { json: body }))
  await tenant.writes(phone, 'Where is my order?')
  const list = async (query = ''): Promise<Json[]> => (await ask('GET', `inbox${query}`)).data
  const reply = (to: string, body: string): Promise<Json> =>
    ask('POST', 'messages', {
      channel: 'whatsapp',
      to,
      message: { type: 'text', body },
      meta_data: { agent_id: agent._id },
    })
  const becomes = (id: string, status: string) =>
    eventually(`it is ${status}`, async () => (await ask('GET', `messages/${id}`)).status === status)
  return { tenant, agent, call, ask, list, reply, becomes, at }
}

t.test('a person whose only answer failed waits again since the message', async (t) => {
  const { tenant, list, reply, becomes, ask } = await makeConversation(UNDELIVERABLE)
  const [before] = await list('?sort=waiting')
  t.ok(before!.waiting_since)
  const { id } = await reply(UNDELIVERABLE, 'It left this morning.')
  await becomes(id, 'failed')
  const [row] = await eventually('the failure is in the list', async () => {
    const rows = await list('?is_failed=true')
    return rows.length > 0 && rows
  })
  t.match(row, { ticket_id: before!.ticket_id, waiting_since: before!.waiting_since, failed_at: String })
  t.equal((await list('?sort=waiting'))[0]!.ticket_id, before!.ticket_id, 'the person is among those who wait')
  t.same(await list('?is_failed=false'), [])
  const view = await ask('POST', 'inbox/views', { name: 'Failed', filter: { is_failed: true } })
  const counts = (await ask('GET', 'inbox/views/counts')).data
  t.match(counts, [{ _id: view._id, tickets: 1 }])
  t.match(await ask('POST', 'bulk_actions/count', { filter: { inbox: { is_failed: true } } }), { total: 1 })

  const { data } = await ask('GET', 'notifications')
  t.match(data, [
    {
      type: 'message_failed',
      ticket_id: before!.ticket_id,
      created_by: null,
      data: { message_id: id, code: '131026', message: String },
    },
  ])
  t.equal(data.length, 1)
  await tenant.writes(UNDELIVERABLE, 'Hello?')
  t.equal((await list())[0]!.waiting_since, before!.waiting_since, 'since the first message')
})

t.test('a person with another answer does not wait; the failure is shown until the next reply', async (t) => {
  const phone = '+15550200001'
  const { tenant, list, reply, becomes, ask } = await makeConversation(phone)
  await made(world.control('POST', 'faults', { match: { recipient: phone }, statuses: { lose: true }, times: 1 }))
  const failed = await reply(phone, 'First')
  const { provider_message_id } = await tenant.message(failed.id, 'sent')
  const sent = await reply(phone, 'Second')
  await becomes(sent.id, 'read')
  const errors = [{ code: 131026, title: 'Message undeliverable' }]
  await callAsProvider(world, tenant.number, {
    statuses: [{ id: provider_message_id, status: 'failed', recipient_id: phone.slice(1), errors }],
  })
  await becomes(failed.id, 'failed')
  const [row] = await eventually('the failure is known', async () => {
    const rows = await list('?is_failed=true')
    return rows.length > 0 && rows
  })
  t.equal(row!.waiting_since, null, 'the second one answers')
  await ask('POST', `messages/${failed.id}/retry`)
  t.match(await list(), [{ failed_at: null, waiting_since: null }])
  t.same(await list('?is_failed=true'), [])
})

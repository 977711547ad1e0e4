/** Ids in requests: either case is accepted everywhere, and ids are lower case from then on. */
import t from 'tap'
import { objectId } from '../../storage/mod.ts'
import { startOperator } from './operator.ts'
import { type Call, type Project, startTestServer, windows } from './test_server.ts'

const id = 'abcdef0123456789abcdef01'
const ID = id.toUpperCase()

t.test('ids of either case are accepted in paths and bodies of commands', async (t) => {
  // The answer to a change of a ticket, whose version becomes the ETag.
  const result = { body: { ticket: { version: 1 } } }
  const project: Project = ({ command }) => ({ admission: { ok: true, windows }, result: command && result })
  const { call, asked } = await startTestServer(t, { project })
  const text = { type: 'text', body: 'Hello' }
  const cases: [string, string, unknown, object][] = [
    ['PATCH', `/v1/contacts/${ID}`, { customer_id: ID }, { id, patch: { customer_id: id } }],
    [
      'PATCH',
      `/v1/crm/tickets/${ID}`,
      { assigned_to: ID, tag_ids: [ID] },
      { id, patch: { assigned_to: id, tag_ids: [id] } },
    ],
    ['POST', `/v1/crm/tickets/${ID}/stage`, { stage_id: ID }, { id, stage_id: id }],
    ['POST', '/v1/crm/notes', { content: 'x', chat_user: ID, ticket_id: ID }, { chat_user: id, ticket_id: id }],
    ['POST', '/v1/crm/events', { event_type: 'a.b', data: {}, ticket_id: ID }, { of: { ticket_id: id } }],
    ['POST', '/v1/crm/events', { event_type: 'a.b', data: {}, chat_user_id: ID }, { of: { chat_user_id: id } }],
    ['POST', '/v1/crm/events', { event_type: 'a.b', data: {}, customer_id: ID }, { of: { customer_id: id } }],
    [
      'POST',
      '/v1/contacts',
      { channel_type: 'telegram', user_id: ID, channel_id: ID },
      { user_id: ID, channel_id: id },
    ],
    ['DELETE', `/v1/webhooks/WH_${ID}`, undefined, { id: `wh_${id}` }],
    ['POST', `/v1/webhooks/wh_${ID}/deliveries/dlv_${ID}/redeliver`, {}, { id: `wh_${id}`, delivery_id: `dlv_${id}` }],
    ['POST', `/v1/webhooks/%57h_${ID}/rotate-secret`, {}, { id: `wh_${id}` }],
    [
      'POST',
      '/v1/messages',
      { channel: 'telegram', to: ID, message: text, channel_id: ID, context: { message_id: `msg_${ID}` } },
      { to: ID, channel_id: id, context: { message_id: `msg_${id}` } },
    ],
    [
      'POST',
      '/v1/messages',
      { channel: 'telegram', to: 'x', message: { type: 'image', media_id: ID }, context: { message_id: 'wamid.ABC=' } },
      { message: { media_id: id }, context: { message_id: 'wamid.ABC=' } },
    ],
    [
      'POST',
      '/v1/messages',
      { channel: 'whatsapp', to: '+5215512345678', message: { type: 'reaction', message_id: `msg_${ID}`, emoji: '' } },
      { message: { message_id: `msg_${id}` } },
    ],
    [
      'POST',
      '/v1/messages/raw',
      { channel_id: ID, payload: { type: 'text', to: '5215512345678' } },
      { channel_id: id },
    ],
  ]
  for (const [method, path, json, command] of cases) {
    const call_: Call = json === undefined ? { method } : { method, json }
    const { status, text } = await call(path, call_)
    t.ok(status < 300, `${method} ${path}: ${text}`)
    t.match(asked.at(-1)?.command, command, `${method} ${path}`)
  }
})

t.test('ids of either case are accepted in queries and cursors', async (t) => {
  const { call } = await startTestServer(t)
  const lists = [
    `messages?chat_user=${ID}&cursor=msg_${ID}`,
    `contacts?customer_id=${ID}`,
    `crm/tickets?stage_id=${ID}&pipeline_id=${ID}&assigned_to=${ID}&chat_user=${ID}&tag_id=${ID}`,
    `crm/notes?ticket_id=${ID}&chat_user=${ID}&cursor=${ID}`,
    `crm/events?ticket_id=${ID}&chat_user=${ID}&cursor=${ID}`,
    `messages/templates?channel_id=${ID}&cursor=${ID}`,
    `messages/bulk?channel_id=${ID}&cursor=BRD_${ID}`,
  ]
  for (const path of lists) t.match(await call(`/v1/${path}`), { status: 200, body: { data: [] } }, path)
  for (const path of [
    `crm/tickets/${ID}/timeline?cursor=1790000000000_${ID}`,
    `webhooks/wh_${ID}/deliveries?cursor=dlv_${ID}`,
  ]) {
    t.equal((await call(`/v1/${path}`)).status, 404, path)
  }
})

t.test('ids of either case find records in the operator API', async (t) => {
  const { database, tenant } = await startTestServer(t)
  const { call } = await startOperator(t, database)
  const company_id = tenant.company._id
  const written = company_id.toUpperCase()
  const project = await call('POST', '/admin/v1/projects', { company_id: written, name: 'x' })
  t.match(project, { status: 201, body: { company_id } })
  t.match(await call('GET', `/admin/v1/companies/${written}`), { status: 200, body: { _id: company_id } })
  t.match(await call('PATCH', `/admin/v1/companies/${written}`, { name: 'y' }), { status: 200, body: { name: 'y' } })
  t.match(await call('GET', `/admin/v1/projects?company_id=${written}`), { status: 200, body: { total: 2 } })
  t.equal((await call('GET', `/admin/v1/companies/${objectId().toUpperCase()}`)).status, 404)
})

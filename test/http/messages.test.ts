import t from 'tap'
import { channelTypes, messageTypesOf } from '../../actors/mod.ts'
import { Channel, Template } from '../../storage/mod.ts'
import { storeMessage, storeTenant } from '../storage/records.ts'
import { messages as examples } from './message_examples.ts'
import { startTestServer, violations } from './test_server.ts'

const to = '+5215512345678'
const text = { type: 'text', body: 'Hello' }
const template = { type: 'template', name: 'order_update', language: 'en_US' }
const id = '66f2a0c1d4e5f60718293a4b'

t.test('valid sends reach the project unchanged', async (t) => {
  const { call, asked } = await startTestServer(t)
  const flow = { flow_token: 't', button_index: 0, flow_action_data: { a: { b: [1] } } }
  const sends = [
    { channel: 'whatsapp', to, message: text },
    { channel: 'whatsapp', to: '+1234567', message: { ...text, body: 'x'.repeat(4096), preview_url: true } },
    { channel: 'instagram', to: '17841400000000000', message: text },
    { channel: 'whatsapp', to, message: template },
    { channel: 'whatsapp', to, message: { ...template, variables: { '1': 'Ana', name: 'Díaz' }, flow } },
    {
      channel: 'whatsapp',
      to,
      message: text,
      context: { message_id: 'wamid.X' },
      channel_id: id,
      meta_data: { a: [null] },
    },
  ]
  for (const json of sends) {
    const answer = await call('/v1/messages', { method: 'POST', json })
    t.equal(answer.status, 202)
    t.strictSame(asked.at(-1)?.command, { type: 'send_message', ...json })
    t.equal(asked.at(-1)?.scope, 'messages:write')
  }
})

t.test('a number may be written as WhatsApp itself writes it, and is E.164 from then on', async (t) => {
  const { call, asked } = await startTestServer(t)
  for (const written of [to, to.slice(1)]) {
    const json = { channel: 'whatsapp', to: written, message: text }
    t.match(await call('/v1/messages', { method: 'POST', json }), { status: 202 })
    t.match(asked.at(-1)?.command, { to })
  }
  const json = { channel: 'telegram', to: to.slice(1), message: text }
  await call('/v1/messages', { method: 'POST', json })
  t.match(asked.at(-1)?.command, { to: to.slice(1) }, 'ids of other channels stay as they are')
})

t.test('an invalid send is refused with every violation', async (t) => {
  const { call, asked } = await startTestServer(t)
  const send = { channel: 'whatsapp', to, message: text }
  const cases: [object, string[]][] = [
    [{}, ['channel required', 'to required', 'message required']],
    [{ channel: 'fax', to: 5, message: 'x' }, ['channel invalid_value', 'to invalid_type', 'message invalid_type']],
    [{ ...send, channel: 'playground' }, ['channel invalid_value']],
    [{ ...send, to: '0215512345678' }, ['to invalid_value']],
    [{ ...send, to: '123456' }, ['to invalid_value']],
    [{ ...send, to: ' 5215512345678' }, ['to invalid_value']],
    [{ ...send, to: '+0123456789' }, ['to invalid_value']],
    [{ ...send, to: '+123456' }, ['to invalid_value']],
    [{ ...send, to: '+1234567890123456' }, ['to invalid_value']],
    [{ ...send, to: 'x', message: { type: 'text' } }, ['message.body required', 'to invalid_value']],
    [{ ...send, channel: 'instagram', to: '' }, ['to too_short']],
    [{ ...send, message: {} }, ['message.type required']],
    [{ ...send, message: [] }, ['message invalid_type']],
    [{ ...send, message: { type: 'fax' } }, ['message.type invalid_value']],
    [{ ...send, message: { type: 'text', body: '' } }, ['message.body too_short']],
    [{ ...send, message: { type: 'text', body: 'x'.repeat(4097) } }, ['message.body too_long']],
    [{ ...send, message: { ...text, preview_url: 'yes' } }, ['message.preview_url invalid_type']],
    [
      { ...send, message: { ...text, caption: 'x', link: 'y' } },
      ['message.caption unknown_property', 'message.link unknown_property'],
    ],
    [{ ...send, message: { type: 'template' } }, ['message.name required', 'message.language required']],
    [{ ...send, message: { ...template, language: 'English' } }, ['message.language invalid_format']],
    [{ ...send, message: { ...template, variables: ['a'] } }, ['message.variables invalid_type']],
    [
      { ...send, message: { ...template, variables: { a: 1, b: null } } },
      ['message.variables.a invalid_type', 'message.variables.b invalid_type'],
    ],
    [{ ...send, message: { ...template, flow: {} } }, ['message.flow.flow_token required']],
    [
      { ...send, message: { ...template, flow: { flow_token: '', button_index: 1.5, flow_action_data: [] } } },
      [
        'message.flow.flow_token too_short',
        'message.flow.button_index invalid_value',
        'message.flow.flow_action_data invalid_type',
      ],
    ],
    [{ ...send, context: { message_id: '' } }, ['context.message_id too_short']],
    [{ ...send, context: { id: 'x' } }, ['context.id unknown_property', 'context.message_id required']],
    [{ ...send, channel_id: 'x' }, ['channel_id invalid_format']],
    [{ ...send, meta_data: [] }, ['meta_data invalid_type']],
    [
      { ...send, company: 1, project: 2, constructor: 3, toString: 4 },
      [
        'company unknown_property',
        'project unknown_property',
        'constructor unknown_property',
        'toString unknown_property',
      ],
    ],
  ]
  for (const [json, expected] of cases) {
    const answer = await call('/v1/messages', { method: 'POST', json })
    t.equal(answer.status, 400, JSON.stringify(json).slice(0, 200))
    t.strictSame(violations(answer), expected, JSON.stringify(json).slice(0, 200))
    t.equal(asked.at(-1)?.command, undefined)
  }
  const polluted = await call('/v1/messages', {
    method: 'POST',
    raw: '{"__proto__":{"channel":"whatsapp"},"to":"+1234567","message":{"type":"text","body":"x"}}',
    headers: { 'content-type': 'application/json' },
  })
  t.strictSame(violations(polluted), ['__proto__ unknown_property', 'channel required'])
})

t.test('a type that the channel does not carry is refused with the types that it carries', async (t) => {
  const { call, asked } = await startTestServer(t)
  for (const channel of channelTypes) {
    const supported = messageTypesOf(channel)
    const recipient = channel === 'whatsapp' ? to : 'somebody'
    for (const message of Object.values(examples)) {
      const json = { channel, to: recipient, message }
      const answer = await call('/v1/messages', { method: 'POST', json })
      if (supported.includes(message.type)) {
        t.equal(answer.status, 202, `${channel} ${message.type}`)
        t.strictSame(asked.at(-1)?.command, { type: 'send_message', ...json })
      } else {
        t.equal(answer.status, 422, `${channel} ${message.type}`)
        t.match(answer.body.error, {
          code: 'MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL',
          details: { channel, type: message.type, supported },
        })
      }
    }
  }
})

t.test('reading messages', async (t) => {
  const { call, database, tenant } = await startTestServer(t)
  const foreign = await storeTenant(database)
  const sent = await storeMessage(database, tenant.project, { status: 'sent', chat_user: id })
  const failed = await storeMessage(database, tenant.project, {
    status: 'failed',
    failed_at: new Date(),
    channel: 'web',
  })
  const theirs = await storeMessage(database, foreign.project)

  const one = await call(`/v1/messages/${sent.id}`)
  t.match(one, {
    status: 200,
    body: { id: sent.id, status: 'sent', created_at: sent.created_at.toISOString(), read_at: null },
  })
  t.notOk('project_id' in one.body)
  t.equal((await call(`/v1/messages/${theirs.id}`)).status, 404)

  const ids = async (query: string) =>
    (await call(`/v1/messages${query}`)).body.data.map(({ id }: { id: string }) => id)
  t.strictSame(await ids(''), [failed.id, sent.id])
  t.strictSame(await ids(`?chat_user=${id}`), [sent.id])
  t.strictSame(await ids('?status=failed&channel=web'), [failed.id])
  const page = (await call('/v1/messages?limit=1')).body
  t.equal(page.next_cursor, failed.id)
  t.match((await call(`/v1/messages?limit=1&cursor=${page.next_cursor}`)).body, {
    data: [{ id: sent.id }],
    next_cursor: null,
  })
})

t.test('invalid queries are refused', async (t) => {
  const { call } = await startTestServer(t)
  const cases: [string, string[]][] = [
    ['limit=0', ['limit too_small']],
    ['limit=201', ['limit too_large']],
    ['limit=-1', ['limit invalid_format']],
    ['limit=1e2', ['limit invalid_format']],
    ['limit=', ['limit invalid_format']],
    ['cursor=x', ['cursor invalid_format']],
    [
      'status=lost&channel=fax&chat_user=1',
      ['chat_user invalid_format', 'channel invalid_value', 'status invalid_value'],
    ],
    ['limit=1&limit=2&Limit=3', ['limit duplicate', 'Limit unknown_property']],
    ['status=%00', ['status invalid_character']],
    ['constructor=1', ['constructor unknown_property']],
  ]
  for (const [query, expected] of cases) {
    const answer = await call(`/v1/messages?${query}`)
    t.equal(answer.status, 400, query)
    t.strictSame(violations(answer), expected, query)
  }
})

t.test('templates are listed with the variables they need', async (t) => {
  const { call, database, tenant, asked } = await startTestServer(t)
  const { _id: project_id, company_id } = tenant.project
  const stamps = { created_at: new Date(), updated_at: new Date() }
  const channel = {
    name: 'Line',
    channel_type: 'whatsapp',
    provider: 'cloud',
    is_active: true,
    status: 'connected',
  } as const
  await database.em().insert(Channel, { _id: id, project_id, company_id, ...channel, ...stamps })
  const store = async (_id: string, name: string, text: string) => {
    const components = [{ type: 'BODY', text }]
    const fields = { channel_id: id, language: 'en', status: 'APPROVED', category: 'UTILITY', synced_at: new Date() }
    await database.em().insert(Template, { _id, project_id, company_id, name, components, ...fields })
  }
  await store('66f2a0c1d4e5f60718293a01', 'hello', 'Hello')
  await store('66f2a0c1d4e5f60718293a02', 'order', 'Order {{1}} of {{2}}')
  const { status, body } = await call('/v1/messages/templates')
  t.equal(status, 200)
  t.match(body, {
    data: [
      { name: 'order', variables: ['1', '2'] },
      { name: 'hello', variables: [] },
    ],
    next_cursor: null,
  })
  const filtered = await call(`/v1/messages/templates?name=hello&language=en&channel_id=${id}`)
  t.match(filtered.body.data, [{ name: 'hello' }])
  const page = (await call('/v1/messages/templates?limit=1')).body
  t.match((await call(`/v1/messages/templates?cursor=${page.next_cursor}`)).body.data, [{ name: 'hello' }])
  t.strictSame(violations(await call('/v1/messages/templates?channel_id=1&name=')), [
    'channel_id invalid_format',
    'name too_short',
  ])
  t.equal(asked[0]?.scope, 'messages:read')
})

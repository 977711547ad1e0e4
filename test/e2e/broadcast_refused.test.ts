import t from 'tap'
import { ORDER, people, sendBulk } from './broadcast_client.ts'
import { type Answer, eventually, type Json } from './client.ts'
import { connectNumber, joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)

const codeOf = ({ status, body }: Answer) => [status, body.error?.code]
const bulk = (tenant: Tenant, fields: Json = {}) =>
  tenant.api('POST', 'messages/bulk', { ...ORDER, recipients: people(1), ...fields })

t.test('a request names the number by channel_id or phone_number_id, and may leave out the only one', async (t) => {
  const tenant = await makeTenant(world)
  const { channel_id, phone_number_id } = tenant.number
  for (const fields of [{}, { channel_id }, { phone_number_id }, { channel_id, phone_number_id }]) {
    t.equal((await bulk(tenant, fields)).status, 202, JSON.stringify(fields))
  }
  const second = await connectNumber(world, tenant.project_id)
  const [required, named] = [await bulk(tenant), await bulk(tenant, { phone_number_id: second.phone_number_id })]
  t.same(codeOf(required), [422, 'CHANNEL_REQUIRED'])
  t.equal(named.status, 202)
  const { body } = await tenant.api('GET', `messages/bulk/${named.body.broadcast_id}`)
  t.equal(body.channel_id, second.channel_id)
  const different = await bulk(tenant, { channel_id, phone_number_id: second.phone_number_id })
  t.same(codeOf(different), [400, 'VALIDATION_ERROR'])
  t.match(different.body.error.details.violations, [{ path: 'phone_number_id', code: 'invalid_value' }])
})

t.test('a channel that cannot send in bulk says why', async (t) => {
  const tenant = await makeTenant(world)
  const other = await makeTenant(world)
  const { phone_number_id } = tenant.number
  t.same(codeOf(await bulk(tenant, { channel_id: other.number.channel_id })), [422, 'CHANNEL_NOT_FOUND'])
  t.same(codeOf(await bulk(tenant, { phone_number_id: '1' })), [422, 'CHANNEL_NOT_FOUND'])
  const fields = { project_id: tenant.project_id, name: 'Another' }
  const gateway = { api_base_url: 'http://127.0.0.1:9', instance: 'x', api_key: 'k', webhook_secret: 's' }
  const others = [
    { ...fields, channel_type: 'whatsapp', provider: 'qr', credentials: gateway },
    { ...fields, channel_type: 'web', provider: 'cloud', credentials: { visitor_secret: 'x'.repeat(32) } },
  ]
  const ids: string[] = []
  for (const channel of others) ids.push((await made(world.operator('POST', 'channels', channel)))._id)
  const [qr, web] = ids
  const unsupported = [{ channel_id: qr }, { channel_id: web }, { channel_id: web, phone_number_id: 'ignored' }]
  for (const choice of unsupported) {
    const code = [422, 'OPERATION_NOT_SUPPORTED_FOR_CHANNEL']
    t.same(codeOf(await bulk(tenant, choice)), code, JSON.stringify(choice))
  }
  await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: false })
  t.same(codeOf(await bulk(tenant)), [422, 'OPERATION_NOT_SUPPORTED_FOR_CHANNEL'], 'the only channel is a paired phone')
  await world.operator('PATCH', `channels/${qr}`, { is_active: false })
  t.same(codeOf(await bulk(tenant)), [422, 'CHANNEL_NOT_CONNECTED'])
  t.same(codeOf(await bulk(tenant, { phone_number_id })), [422, 'CHANNEL_NOT_CONNECTED'])
})

t.test('an unknown template is refused, and leaves nothing behind', async (t) => {
  const tenant = await makeTenant(world)
  for (const fields of [{ template_name: 'nobody_knows' }, { language: 'fr' }]) {
    const answer = await bulk(tenant, fields)
    t.same(codeOf(answer), [422, 'TEMPLATE_NOT_FOUND'])
    const { template_name: name, language } = { ...ORDER, ...fields }
    t.same(answer.body.error.details, { name, language })
  }
  t.same((await tenant.api('GET', 'messages/bulk')).body, { data: [], next_cursor: null, has_more: false })
})

t.test('a token needs messages:bulk for every route of a broadcast', async (t) => {
  const tenant = await makeTenant(world)
  const { project_id, user_id } = tenant
  const fields = { project_id, user_id, name: 'Narrow', scopes: ['messages:write', 'messages:read'] }
  const { token } = await made(world.operator('POST', 'tokens', fields))
  const id = await sendBulk(tenant, people(1))
  const calls: [string, string, Json?][] = [
    ['POST', 'messages/bulk', { ...ORDER, recipients: people(1) }],
    ['GET', 'messages/bulk'],
    ['GET', `messages/bulk/${id}`],
    ['GET', `messages/bulk/${id}/recipients`],
    ['GET', `messages/bulk/${id}/recipients.csv`],
    ['POST', `messages/bulk/${id}/cancel`],
  ]
  for (const [method, path, json] of calls) {
    const answer = await tenant.api(method, path, json, { token })
    t.same(codeOf(answer), [403, 'INSUFFICIENT_SCOPE'], `${method} ${path}`)
    t.same(answer.body.error.details, { required: ['messages:bulk'], missing: ['messages:bulk'] })
  }
})

t.test('broadcasts of another project are not found', async (t) => {
  const [tenant, stranger] = [await makeTenant(world), await makeTenant(world)]
  const id = await sendBulk(tenant, people(1))
  for (const [method, path] of [
    ['GET', ''],
    ['GET', '/recipients'],
    ['GET', '/recipients.csv'],
    ['POST', '/cancel'],
  ]) {
    const answer = await stranger.api(method!, `messages/bulk/${id}${path}`)
    t.same(codeOf(answer), [404, 'BROADCAST_NOT_FOUND'], `${method} ${path}`)
  }
  t.same((await stranger.api('GET', 'messages/bulk')).body.data, [])
})

t.test('a channel switched off during a broadcast fails the remaining recipients', async (t) => {
  const tenant = await makeTenant(world)
  const path = `channels/${tenant.number.channel_id}`
  await world.operator('PATCH', path, { messages_per_second: 25 })
  const id = await sendBulk(tenant, people(300))
  await eventually('some are sent', async () => (await tenant.sent()).length > 0)
  await world.operator('PATCH', path, { is_active: false, messages_per_second: 2000 })
  const record = await eventually('it ended', async () => {
    const { body } = await tenant.api('GET', `messages/bulk/${id}`)
    return body.completed_at !== null && body
  })
  t.equal(record.status, 'completed')
  t.equal(record.failed_count, 300 - (await tenant.sent()).length)
  const { data } = (await tenant.api('GET', `messages/bulk/${id}/recipients?status=failed&limit=200`)).body
  t.ok(data.length > 0)
  t.ok(data.every(({ error }: Json) => error.code === 'CHANNEL_NOT_CONNECTED'))
})

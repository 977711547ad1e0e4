import t from 'tap'
import { eventually, type Json } from './client.ts'
import { connectNumber, joinWorld, makeTenant, type Tenant, text } from './fixture.ts'

const world = await joinWorld(t)

const template = (fields: Json = {}) => ({
  message: { type: 'template', name: 'order_update', language: 'en_US', variables: { 1: 'a', 2: 'b' }, ...fields },
})

const refusals: { what: string; fields: Json; status?: number; code: string; details?: Json }[] = [
  { what: 'a template nobody has', fields: template({ name: 'no_such' }), code: 'TEMPLATE_NOT_FOUND' },
  { what: 'a language the template lacks', fields: template({ language: 'fr' }), code: 'TEMPLATE_NOT_FOUND' },
  {
    what: 'a template without one of its variables',
    fields: template({ variables: { 1: 'a' } }),
    code: 'TEMPLATE_VARIABLE_MISSING',
    details: { variables: ['2'] },
  },
  {
    what: 'a template with a tab in a variable',
    fields: template({ variables: { 1: 'Iris\tVale', 2: 'B-7' } }),
    code: 'TEMPLATE_VARIABLE_INVALID',
    details: { variables: ['1'] },
  },
  {
    what: 'a quote of a message that does not exist',
    fields: { context: { message_id: `msg_${'0'.repeat(24)}` } },
    code: 'MESSAGE_NOT_FOUND',
  },
  { what: 'a channel that does not exist', fields: { channel_id: '0'.repeat(24) }, code: 'CHANNEL_NOT_FOUND' },
  {
    what: 'a type the channel has not',
    fields: { channel: 'instagram', to: '1789', message: { type: 'location', latitude: 1, longitude: 2 } },
    code: 'MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL',
  },
  { what: 'a number that is none', fields: { to: '555-1234' }, status: 400, code: 'VALIDATION_ERROR' },
  { what: 'a company in the body', fields: { company: 'x' }, status: 400, code: 'VALIDATION_ERROR' },
]

t.test('a message that cannot be sent is refused before anything is stored', async (t) => {
  const tenant = await makeTenant(world)
  for (const { what, fields, status = 422, code, details } of refusals) {
    const answer = await tenant.send('+15550180000', fields)
    t.equal(answer.status, status, what)
    t.equal(answer.body.error?.code, code, what)
    if (details) t.match(answer.body.error.details, details, what)
  }
  t.same((await tenant.api('GET', 'messages')).body.data, [])
  t.same(await tenant.sent(), [])
})

t.test('another project’s channel and messages do not exist', async (t) => {
  const [mine, theirs] = [await makeTenant(world), await makeTenant(world)]
  const { body } = await theirs.send('+15550180000')
  t.equal((await mine.api('GET', `messages/${body.id}`)).status, 404)
  const quoted = await mine.send('+15550180000', { context: { message_id: body.id } })
  t.equal(quoted.body.error.code, 'MESSAGE_NOT_FOUND')
  const lent = await mine.send('+15550180000', { channel_id: theirs.number.channel_id })
  t.equal(lent.body.error.code, 'CHANNEL_NOT_FOUND')
})

t.test('a message that is still queued is referred to once it is sent, under the same key', async (t) => {
  const tenant = await makeTenant(world)
  const to = '+15557320001'
  await tenant.writes(to, 'Hi')
  // Temporary trouble of this recipient alone: the message waits for its next attempt.
  const match = { recipient: to, phone_number_id: tenant.number.phone_number_id }
  await world.control('POST', 'faults', { match, times: 1000, error: { code: 131000 } })
  const { body: queued } = await tenant.send(to)
  const quote = { context: { message_id: queued.id } }
  const reaction = { message: { type: 'reaction', message_id: queued.id, emoji: '👍' } }
  const call = { headers: { 'idempotency-key': 'quote' } }
  const error = { code: 'MESSAGE_NOT_SENT_YET', details: { message_id: queued.id } }
  for (const fields of [quote, reaction]) t.match(await tenant.send(to, fields, call), { status: 409, body: { error } })
  await world.control('DELETE', 'faults')
  await tenant.message(queued.id, 'sent', 'delivered', 'read')
  t.equal((await tenant.send(to, quote, call)).status, 202, 'the refusal has used up no key')
  const refused = await tenant.send('+15550190190')
  await tenant.message(refused.body.id, 'failed')
  const failed = await tenant.send(to, { context: { message_id: refused.body.id } })
  t.match(failed, {
    status: 422,
    body: { error: { code: 'MESSAGE_NOT_FOUND', message: /before the provider accepted/ } },
  })
})

t.test('a send names its channel when there are several of the type, and is refused when there is none', async (t) => {
  const tenant = await makeTenant(world)
  const second = await connectNumber(world, tenant.project_id)
  const ids = [tenant.number.channel_id, second.channel_id]
  const { status, body } = await tenant.send('+15550180000')
  t.equal(status, 422)
  t.equal(body.error.code, 'CHANNEL_REQUIRED')
  t.same(body.error.details.channels.map(({ id }: Json) => id).sort(), ids.toSorted())
  const named = await tenant.send('+15550180000', { channel_id: second.channel_id })
  t.equal(named.body.channel_id, second.channel_id)
  for (const id of ids) await world.operator('PATCH', `channels/${id}`, { is_active: false })
  t.equal((await tenant.send('+15550180000')).body.error.code, 'CHANNEL_NOT_CONNECTED')
  t.equal((await tenant.send('+15550180000', { channel_id: ids[0] })).body.error.code, 'CHANNEL_NOT_CONNECTED')
  await world.operator('PATCH', `channels/${ids[0]}`, { is_active: true })
  t.equal((await tenant.send('+15550180000')).body.channel_id, ids[0], 'the only active channel is used')
  const off = (await tenant.send('+15550180000', { channel_id: ids[1] })).body.error
  t.match(
    off,
    { message: /^The channel in details is inactive/, details: { channel_id: ids[1] } },
    'not that there is none',
  )
})

/** Returns the texts that the provider accepted for a recipient, in that order. */
async function accepted(tenant: Tenant, recipient: string): Promise<string[]> {
  const all = await tenant.sent(`&recipient=${encodeURIComponent(recipient)}`)
  return all.map(({ body }) => body.text.body)
}

t.test('messages to one recipient leave in the order accepted, whatever fails in between', async (t) => {
  const tenant = await makeTenant(world)
  const COUNT = process.env.PARLEY_TEST_ALL ? 50 : 25
  const recipients = ['+15557300001', '+15557300002']
  for (const to of recipients) await tenant.writes(to, 'Hi')
  const match = { recipient: '+1555730000*', phone_number_id: tenant.number.phone_number_id }
  await world.control('POST', 'faults', { match: { ...match, rate: 0.3 }, times: 6, error: { code: 131000 } })
  await world.control('POST', 'faults', { match: { ...match, rate: 0.2 }, times: 4, reset: 'before' })
  await world.control('POST', 'faults', { match: { ...match, rate: 0.2 }, times: 2, reset: 'after' })
  const texts = Array.from({ length: COUNT }, (_, i) => `message ${i}`)
  for (const body of texts) {
    const answers = await Promise.all(recipients.map((to) => tenant.send(to, { message: text(body) })))
    t.ok(answers.every(({ status }) => status === 202))
  }
  for (const to of recipients) {
    await eventually(`${to} has all`, async () => (await accepted(tenant, to)).length >= COUNT)
    t.same(await accepted(tenant, to), texts)
  }
  await world.control('DELETE', 'faults')
})

t.test('a stuck recipient delays nobody else', async (t) => {
  const tenant = await makeTenant(world)
  const { body } = await tenant.send('+15550180003')
  const others = await Promise.all(Array.from({ length: 20 }, (_, i) => tenant.send(`+1555731${1000 + i}`, template())))
  for (const other of others) await tenant.message(other.body.id, 'read')
  t.equal((await tenant.api('GET', `messages/${body.id}`)).body.status, 'queued')
})

t.test('a channel shows that the provider rejects its credentials, and recovers', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('credentials', ['whatsapp.channel.disconnected', 'whatsapp.channel.connected'])
  const { channel_id } = tenant.number
  const status = async () => (await world.operator('GET', `channels/${channel_id}`)).body
  const { body } = await tenant.send('+15550190190')
  t.equal((await tenant.message(body.id, 'failed')).error.code, '190')
  const broken = await eventually('disconnected', async () => (await status()).status === 'disconnected' && status())
  t.ok(broken.status_reason)
  await tenant.send('+15550180000')
  await eventually('connected', async () => (await status()).status === 'connected')
  const told = await eventually('both events', () => {
    const events = world.sink.events('credentials')
    const broken_at = events.findIndex(({ type }) => type === 'whatsapp.channel.disconnected')
    // The event of the first connection may come only now.
    return broken_at >= 0 && events.length === broken_at + 2 && events.slice(broken_at)
  })
  t.same(
    told.map(({ type, data }) => [type, data.channel_id, data.status]),
    [
      ['whatsapp.channel.disconnected', channel_id, 'disconnected'],
      ['whatsapp.channel.connected', channel_id, 'connected'],
    ],
  )
})

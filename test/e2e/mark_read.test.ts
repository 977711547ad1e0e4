import t from 'tap'
import { type Answer, eventually, type Json } from './client.ts'
import { joinWorld, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)

const codeOf = ({ status, body }: Answer) => [status, body.error?.code]

/** Returns the requests that told the provider that a message was read. */
async function reads(message_id: string, { control } = world): Promise<Json[]> {
  return (await control('GET', 'reads')).body.data.filter((one: Json) => one.message_id === message_id)
}

async function inbound(tenant: Tenant, from: string): Promise<{ id: string; provider_message_id: string }> {
  const { provider_message_id } = await tenant.writes(from, 'Read me')
  const find = async () => {
    const { data } = (await tenant.api('GET', 'messages?status=received')).body
    return data.find((one: Json) => one.provider_message_id === provider_message_id)
  }
  return eventually('the message is here', find)
}

t.test('a received message is marked as read by our id or by the provider’s', async (t) => {
  const tenant = await makeTenant(world)
  const { id, provider_message_id } = await inbound(tenant, '+15557000061')
  const first = await tenant.api('POST', 'messages/mark-read', { message_id: id })
  t.same([first.status, first.body], [200, { success: true }])
  const typing_indicator = { type: 'text' }
  const second = await tenant.api('POST', 'messages/mark-read', { message_id: provider_message_id, typing_indicator })
  t.same([second.status, second.body], [200, { success: true }])
  t.match(await reads(provider_message_id), [{ typing: false }, { typing: true }])
})

/** Returns the texts of a person's messages in a status, oldest first. */
async function texts({ api }: Tenant, status: string): Promise<string[]> {
  const { data } = (await api('GET', `messages?status=${status}&limit=200`)).body
  return data
    .filter(({ direction }: Json) => direction === 'inbound')
    .map(({ message }: Json) => message.body)
    .reverse()
}

t.test('a read message and the earlier ones of the person are marked as read, once', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, ben] = ['+15557000071', '+15557000072']
  const timestamp = Math.floor(Date.now() / 1000) - 100
  for (const [n, body] of ['one', 'two', 'three', 'four'].entries()) {
    const id = `wamid.${tenant.project_id}.${body}`
    await tenant.writes(ana, body, { id, timestamp: String(timestamp + n) })
  }
  await tenant.writes(ben, 'other')
  const unread = async () => (await tenant.api('GET', 'crm/tickets')).body.data.map((one: Json) => one.unread_count)
  await eventually('all are here', async () => (await texts(tenant, 'received')).length === 5)
  const find = async (body: string) =>
    (await tenant.api('GET', 'messages')).body.data.find((one: Json) => one.message.body === body)
  const read = async (body: string) =>
    t.equal((await tenant.api('POST', 'messages/mark-read', { message_id: (await find(body)).id })).status, 200)

  await read('two')
  t.same(await texts(tenant, 'read'), ['one', 'two'])
  t.same(await texts(tenant, 'received'), ['three', 'four', 'other'])
  t.same((await unread()).sort(), [1, 2], 'two messages of Ana and the one of Ben are left')
  const first = await find('two')
  t.match(first, { status: 'read', read_at: /./, direction: 'inbound' })
  await read('two')
  await read('one')
  t.equal((await find('two')).read_at, first.read_at, 'a repeat changes nothing')
  t.same((await unread()).sort(), [1, 2])
  await read('four')
  t.same(await texts(tenant, 'received'), ['other'])
  t.same((await unread()).sort(), [0, 1])
  await tenant.writes(ana, 'five')
  await eventually('the next one is unread', async () => (await texts(tenant, 'received')).includes('five'))
})

t.test('a message that cannot be marked as read is refused before the provider is asked', async (t) => {
  const [tenant, other] = [await makeTenant(world), await makeTenant(world)]
  const theirs = await inbound(other, '+15557000062')
  const mine = await inbound(tenant, '+15557000062')
  const sent = (await tenant.send('+15557000062')).body
  const { provider_message_id } = await tenant.message(sent.id, 'read')
  const unknown: [string, string][] = [
    ['a message that does not exist', `msg_${'0'.repeat(24)}`],
    ['a provider’s message that does not exist', 'wamid.NONE'],
    ['a message of another project', theirs.id],
    ['its id at the provider', theirs.provider_message_id],
    ['a message that was sent', sent.id],
    ['its id at the provider', provider_message_id],
  ]
  for (const [what, message_id] of unknown) {
    const answer = await tenant.api('POST', 'messages/mark-read', { message_id })
    t.same(codeOf(answer), [422, 'MESSAGE_NOT_FOUND'], what)
  }
  const wrong: Json[] = [
    {},
    { message_id: '' },
    { message_id: mine.id, typing_indicator: { type: 'audio' } },
    { message_id: mine.id, status: 'read' },
  ]
  for (const body of wrong)
    t.same(
      codeOf(await tenant.api('POST', 'messages/mark-read', body)),
      [400, 'VALIDATION_ERROR'],
      JSON.stringify(body),
    )
  await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: false })
  const off = await tenant.api('POST', 'messages/mark-read', { message_id: mine.id })
  t.same(codeOf(off), [422, 'CHANNEL_NOT_CONNECTED'])
  t.same(await reads(mine.provider_message_id), [])
  t.same(await reads(theirs.provider_message_id), [])
})

t.test('marking as read needs the scope messages:write', async (t) => {
  const tenant = await makeTenant(world)
  const { project_id, user_id } = tenant
  const fields = { project_id, user_id, name: 'Reader', scopes: ['messages:read'] }
  const { token } = (await world.operator('POST', 'tokens', fields)).body
  const answer = await tenant.api('POST', 'messages/mark-read', { message_id: 'wamid.X' }, { token })
  t.same(codeOf(answer), [403, 'INSUFFICIENT_SCOPE'])
})

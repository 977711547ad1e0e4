/**
 * What the business writes elsewhere becomes an outbound message with its origin, once, and what Parley sends is never
 * doubled by a provider that tells it back, whatever the order of answer, echo, status and repeats.
 */
import { createHmac } from 'node:crypto'
import t, { type Test } from 'tap'
import { signCall } from '../../actors/providers/signed_call.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'
import { startHeldProvider } from './held_provider.ts'
import { inboxAgent } from './inbox_client.ts'

const world = await joinWorld(t)
const provider = await startHeldProvider(t)
const SECRET = 'a-secret-of-sixteen'

let accounts = 100
let people = 0
let tenants = 0

type Place = { tenant: Tenant; sink: string }
type Connected = Place & { channel: string; channel_id: string; account: string; person: string }
type Call = { body: object; headers(raw: string): Record<string, string> }
/** `id`: that of the provider. `opaque`: our own, where the provider returns it. `at`: Unix milliseconds. */
type Told = { id: string; text: string; at: number; opaque?: string | undefined }

type Channel = {
  name: string
  channel: string
  connect_as: string
  origin: string
  connect(account: string): Json
  echo(to: Connected, told: Told): Call
  /** A status under the provider's id; undefined where the provider has none. */
  delivered?(to: Connected, told: Pick<Told, 'id' | 'at' | 'opaque'>): Call
  /** The person writes. */
  inbound(to: Connected, told: Told): Call
}

const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')
const graph = (body: object): Call => ({
  body,
  headers: (raw) => ({ 'x-hub-signature-256': `sha256=${hmac(SECRET, raw)}` }),
})
const seconds = (at: number) => String(Math.floor(at / 1000))

const whatsapp = ({ account }: Connected, field: string, value: Json): Call => {
  const metadata = { display_phone_number: '15557831000', phone_number_id: account }
  const change = { field, value: { messaging_product: 'whatsapp', metadata, ...value } }
  return graph({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [change] }] })
}

const pageOf = (object: string) => (to: Connected, at: number, event: Json, is_own: boolean) => {
  const [person, account] = [{ id: to.person }, { id: to.account }]
  const sides = is_own ? { sender: account, recipient: person } : { sender: person, recipient: account }
  return graph({ object, entry: [{ id: to.account, time: at, messaging: [{ ...sides, timestamp: at, ...event }] }] })
}

const page = (channel: string, object: string): Channel => {
  const call = pageOf(object)
  return {
    name: channel,
    channel,
    connect_as: 'cloud',
    origin: 'app',
    connect: (account) => ({ account_id: account, verify_token: 'v', ...meta(account) }),
    echo: (to, { id, text, at, opaque }) =>
      call(to, at, { message: { mid: id, text, is_echo: true, app_id: 7, ...(opaque && { metadata: opaque }) } }, true),
    ...(object === 'page' && {
      delivered: (to, { id, at }) => call(to, at, { delivery: { mids: [id], watermark: at } }, false),
    }),
    inbound: (to, { id, text, at }) => call(to, at, { message: { mid: id, text } }, false),
  }
}

const meta = (account: string) => ({
  access_token: `token-${account}`,
  app_secret: SECRET,
  api_base_url: provider.url,
})

const gateway = ({ account }: Connected, event: string, data: Json): Call => ({
  body: { event, instance: account, data, sender: '5511900000000@s.whatsapp.net' },
  headers: () => ({ 'x-parley-secret': SECRET }),
})
const upsert = (to: Connected, { id, text, at }: Told, fromMe: boolean) =>
  gateway(to, 'messages.upsert', {
    key: {
      remoteJid: `${to.person}@s.whatsapp.net`,
      fromMe,
      id,
      ...(fromMe && { senderPn: '5511900000000@s.whatsapp.net' }),
    },
    pushName: fromMe ? 'The shop' : 'Ana',
    message: { conversation: text },
    messageTimestamp: Math.floor(at / 1000),
  })

const bot = (to: Connected, { id, text, at }: Told, is_own: boolean): Call => ({
  body: {
    update_id: ++people,
    business_message: {
      message_id: Number(id.replace(/\D/g, '')),
      business_connection_id: 'b1',
      from: is_own ? { id: 1, first_name: 'Owner' } : { id: Number(to.person), first_name: 'Ana' },
      chat: { id: Number(to.person), type: 'private', first_name: 'Ana' },
      date: Math.floor(at / 1000),
      text,
    },
  },
  headers: () => ({ 'x-telegram-bot-api-secret-token': SECRET }),
})

const posted = (to: Connected, { id, text, at }: Told, is_own: boolean): Call => ({
  body: {
    event: is_own ? 'im_send_msg' : 'im_receive_msg',
    user_openid: to.account,
    create_time: 1,
    content: JSON.stringify({
      conversation_id: to.person,
      from_user: { id: is_own ? to.account : 'person' },
      message_id: id,
      timestamp: at,
      type: 'text',
      text: { body: text },
    }),
  },
  headers: (raw) => ({ 'tiktok-signature': `t=1,s=${hmac(SECRET, `1.${raw}`)}` }),
})

const mailed = (to: Connected, { id, text, at }: Told, is_own: boolean): Call => {
  const [own, person] = [`s${to.account}@example.com`, to.person]
  return {
    body: {
      message_id: `<${id}@example.com>`,
      from: { address: is_own ? own : person },
      to: is_own ? `"Ana, of Acme" <${person}>` : own,
      date: new Date(at).toISOString(),
      text,
    },
    headers: (raw) => ({ 'x-parley-signature': signCall(SECRET, raw, new Date()) }),
  }
}

const CHANNELS: Channel[] = [
  {
    name: 'WhatsApp beside its app',
    channel: 'whatsapp',
    connect_as: 'cloud',
    origin: 'phone',
    connect: (account) => ({ phone_number_id: account, business_account_id: '1', verify_token: 'v', ...meta(account) }),
    echo(to, { id, text, at }) {
      const echo = {
        from: '15557831000',
        to: to.person,
        id,
        timestamp: seconds(at),
        type: 'text',
        text: { body: text },
      }
      return whatsapp(to, 'smb_message_echoes', { message_echoes: [echo] })
    },
    delivered(to, { id, at, opaque }) {
      const status = { id, status: 'delivered', timestamp: seconds(at), recipient_id: to.person }
      return whatsapp(to, 'messages', {
        statuses: [{ ...status, ...(opaque && { biz_opaque_callback_data: opaque }) }],
      })
    },
    inbound(to, { id, text, at }) {
      const message = { from: to.person, id, timestamp: seconds(at), type: 'text', text: { body: text } }
      return whatsapp(to, 'messages', { messages: [message] })
    },
  },
  page('messenger', 'page'),
  page('facebook', 'page'),
  page('instagram', 'instagram'),
  {
    name: 'a paired phone',
    channel: 'whatsapp',
    connect_as: 'qr',
    origin: 'phone',
    connect: (account) => ({ api_base_url: provider.url, instance: account, api_key: 'key', webhook_secret: SECRET }),
    echo: (to, told) => upsert(to, told, true),
    delivered: (to, { id }) =>
      gateway(to, 'messages.update', {
        keyId: id,
        remoteJid: `${to.person}@s.whatsapp.net`,
        fromMe: true,
        status: 'DELIVERY_ACK',
      }),
    inbound: (to, told) => upsert(to, told, false),
  },
  {
    name: 'a business account of Telegram',
    channel: 'telegram',
    connect_as: 'cloud',
    origin: 'phone',
    connect: (account) => ({
      bot_token: `${account}:${'x'.repeat(35)}`,
      webhook_secret: SECRET,
      api_base_url: provider.url,
    }),
    echo: (to, told) => bot(to, told, true),
    inbound: (to, told) => bot(to, told, false),
  },
  {
    name: 'TikTok',
    channel: 'tiktok',
    connect_as: 'cloud',
    origin: 'app',
    connect: (account) => ({ account_id: account, ...meta(account) }),
    echo: (to, told) => posted(to, told, true),
    inbound: (to, told) => posted(to, told, false),
  },
  {
    name: 'a mail program',
    channel: 'email',
    connect_as: 'cloud',
    origin: 'mail',
    connect: (account) => ({
      smtp_url: 'smtp://user:word@127.0.0.1:9',
      from: `s${account}@example.com`,
      inbound_secret: SECRET,
    }),
    echo: (to, told) => mailed(to, told, true),
    inbound: (to, told) => mailed(to, told, false),
  },
]

async function settle(): Promise<Place> {
  const tenant = await makeTenant(world)
  const sink = `echoes-${++tenants}`
  const products = ['whatsapp', 'messenger', 'instagram', 'telegram', 'tiktok', 'email']
  await tenant.subscribe(
    sink,
    products.map((product) => `${product}.message.*`),
  )
  return { tenant, sink }
}

async function connect({ channel, connect_as, connect }: Channel, place: Place): Promise<Connected> {
  const account = String(900_000_000 + ++accounts)
  const fields = { project_id: place.tenant.project_id, channel_type: channel, provider: connect_as, name: account }
  const { _id } = await made(world.operator('POST', 'channels', { ...fields, credentials: connect(account) }))
  return { ...place, channel, channel_id: _id, account, person: personOn(channel) }
}

function personOn(channel: string): string {
  const number = `5511${String(70_000_000 + ++people)}`
  return channel === 'email' ? `ana${number}@people.example` : number
}

async function tell({ channel, channel_id }: Connected, { body, headers }: Call): Promise<void> {
  const raw = JSON.stringify(body)
  const url = `${world.base_url}/providers/${channel}/${channel_id}`
  const answer = await world.http('POST', url, {
    raw,
    headers: { 'content-type': 'application/json', ...headers(raw) },
  })
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
}

const messagesOf = async ({ tenant, channel_id }: Connected): Promise<Json[]> =>
  (await made(tenant.api('GET', 'messages?limit=200'))).data.filter((one: Json) => one.channel_id === channel_id)

const ticketsOf = async ({ tenant }: Connected, chat_user: string): Promise<Json[]> =>
  (await made(tenant.api('GET', `crm/tickets?chat_user=${chat_user}`))).data

/** The types of the events of a message. */
const eventsOf = ({ sink }: Connected, id: string): string[] =>
  world.sink.events(sink).flatMap(({ type, data }) => (data.message_id === id ? [type as string] : []))

for (const one of CHANNELS) {
  t.test(`${one.name}: what the business writes elsewhere is an outbound message`, async (t) => {
    const place = await settle()
    const to = await connect(one, place)
    const { row, ask } = await inboxAgent(world, place.tenant)
    const waitsSince = async (ticket_id: string) => (await row(ticket_id)).waiting_since
    const at = Date.now() - 3_000
    await tell(to, one.echo(to, { id: 'own-1', text: 'We open at nine', at }))
    const [first, ...more] = await messagesOf(to)
    t.same(more, [])
    t.match(first, {
      direction: 'outbound',
      origin: one.origin,
      status: 'sent',
      type: 'text',
      message: { type: 'text', body: 'We open at nine' },
      from: null,
    })
    t.equal(Math.floor(Date.parse(first!.sent_at) / 1000), Math.floor(at / 1000), 'the time of the provider')
    t.equal(String(first!.to).replace(/^\+/, ''), to.person, 'to the person')
    t.same(await ticketsOf(to, first!.chat_user), [], 'no ticket')
    const event = await eventually('its event', () =>
      world.sink.events(to.sink).find(({ data }) => data.message_id === first!.id),
    )
    t.match(event.type, /\.message\.sent$/)
    t.match(event, {
      data: {
        origin: one.origin,
        messages: [{ type: 'text', id: first!.provider_message_id }],
        statuses: [{ status: 'sent' }],
      },
    })
    const again = await ask('POST', `messages/${first!.id}/retry`)
    t.match(again, { status: 409, body: { error: { code: 'MESSAGE_NOT_FAILED' } } }, 'never sent again')
    await tell(to, one.inbound(to, { id: 'their-5', text: 'Thanks, and on Sundays?', at: at + 2_000 }))
    const { chat_user } = (await messagesOf(to)).find(({ direction }) => direction === 'inbound')!
    t.equal(chat_user, first!.chat_user, 'one contact')
    const [ticket] = await ticketsOf(to, chat_user)
    t.not(await waitsSince(ticket!._id), null, 'the person waits')
    await tell(to, one.echo(to, { id: 'own-0', text: 'Hello', at: at - 60_000 }))
    t.not(await waitsSince(ticket!._id), null, 'an older message answers nothing')
    await tell(to, one.echo(to, { id: 'own-2', text: 'Never on Sundays', at: at + 3_000 }))
    t.equal(await waitsSince(ticket!._id), null, 'the person is answered')
    t.equal((await ticketsOf(to, chat_user)).length, 1)
    for (const id of ['own-1', 'own-2']) await tell(to, one.echo(to, { id, text: 'We open at nine', at }))
    t.equal((await messagesOf(to)).length, 4, 'repeats are the same messages')
  })
}

function permutations<Item>(items: Item[]): Item[][] {
  if (items.length < 2) return [items]
  return items.flatMap((first, index) =>
    permutations(items.filter((_, other) => other !== index)).map((rest) => [first, ...rest]),
  )
}

type Step = 'answer' | 'echo' | 'status' | 'echo again'

/** Runs the steps, and returns the messages of the channel when the send is answered. */
async function played(t: Test, one: Channel, place: Place, steps: Step[], is_foreign: boolean): Promise<void> {
  const { tenant } = place
  const to = await connect(one, place)
  const held = provider.hold(to.account)
  const address = one.channel === 'whatsapp' ? `+${to.person}` : to.person
  const message = { type: 'text', body: 'Hello' }
  const { channel, channel_id } = to
  const { id: ours } = await made(tenant.api('POST', 'messages', { channel, channel_id, to: address, message }))
  const asked = await held.asked
  const at = Date.now()
  const id = is_foreign ? `foreign-${asked.id}` : asked.id
  const opaque = is_foreign || !['messenger', 'facebook'].includes(one.channel) ? undefined : (ours as string)
  for (const step of steps) {
    if (step === 'answer') held.answer()
    else if (step === 'status') await tell(to, one.delivered!(to, { id, at, opaque: is_foreign ? undefined : ours }))
    else await tell(to, one.echo(to, { id, text: 'Hello', at, opaque }))
  }
  const name = steps.join(', ')
  const reached = steps.includes('status') ? 'delivered' : 'sent'
  await tenant.message(ours, is_foreign ? 'sent' : reached)
  const expected = is_foreign ? 2 : 1
  const rows = await eventually(`${one.name}: ${name}`, async () => {
    const all = await messagesOf(to)
    return all.length === expected && all.every(({ provider_message_id }) => provider_message_id) && all
  })
  const told = rows.find((row) => row.provider_message_id === id)
  t.match(told, { status: reached, origin: is_foreign ? one.origin : null }, name)
  t.same(rows.map(({ origin }) => origin).sort(), is_foreign ? [null, one.origin].sort() : [null], name)
  for (const { id } of rows) {
    const told = await eventually('its event', () => {
      const all = eventsOf(to, id)
      return all.length > 0 && all
    })
    // A message that is delivered before anybody says that it was sent has no event of being sent.
    t.equal(new Set(told).size, told.length, `${name}: each event once: ${told}`)
  }
}

const ORDERED: [name: string, is_foreign: boolean][] = [
  ['what Parley sends', false],
  ['what the business writes while Parley sends', true],
]

for (const one of CHANNELS.filter(({ channel }) => !['email', 'telegram'].includes(channel))) {
  for (const [name, is_foreign] of ORDERED) {
    t.test(`${one.name}: ${name} is there once, in every order of answer, echo, status and repeat`, async (t) => {
      const steps: Step[] = ['answer', 'echo', ...(one.delivered ? (['status'] as const) : []), 'echo again']
      const orders = new Map(permutations(steps).map((order) => [order.join().replaceAll('echo again', 'echo'), order]))
      const place = await settle()
      await Promise.all([...orders.values()].map((order) => played(t, one, place, order, is_foreign)))
    })
  }
}

t.test('a message without an answer is confirmed by the echo with its content, and by no other', async (t) => {
  const instagram = CHANNELS.find(({ channel }) => channel === 'instagram')!
  const place = await settle()
  const { tenant } = place
  const to = await connect(instagram, place)
  const held = provider.hold(to.account)
  const sent = {
    channel: 'instagram',
    channel_id: to.channel_id,
    to: to.person,
    message: { type: 'text', body: 'Hello' },
  }
  const { id: ours } = await made(tenant.api('POST', 'messages', sent))
  const asked = await held.asked
  const at = Date.now()
  await tell(to, instagram.echo(to, { id: 'other', text: 'Good morning', at }))
  await tell(to, instagram.echo(to, { id: asked.id, text: 'Hello', at }))
  t.equal((await messagesOf(to)).length, 1, 'while the answer may come, no second message')
  const rows = await eventually('both are known', async () => {
    const all = await messagesOf(to)
    return all.length === 2 && all.every(({ provider_message_id }) => provider_message_id) && all
  })
  const find = (id: string) => rows.find(({ provider_message_id }) => provider_message_id === id)
  t.match(find(asked.id), { id: ours, status: 'sent', confirmed: true, origin: null })
  t.match(find('other'), { status: 'sent', origin: 'app', message: { body: 'Good morning' } })
  held.answer()
})

t.test('edits and withdrawals of the business change its messages, wherever they were written', async (t) => {
  const [whatsapp_channel] = CHANNELS
  const place = await settle()
  const { tenant } = place
  const to = await connect(whatsapp_channel!, place)
  const at = Date.now() - 2_000
  await tell(to, whatsapp_channel!.echo(to, { id: 'wamid.own', text: 'We open at nien', at }))
  const message = { type: 'text', body: 'Hello' }
  const sent = { channel: 'whatsapp', channel_id: to.channel_id, to: `+${to.person}`, message }
  const { id: ours } = await made(tenant.api('POST', 'messages', sent))
  const { provider_message_id } = await tenant.message(ours, 'sent')
  const notice = (id: string, type: string, node: Json) => {
    const echo = { from: '15557831000', to: to.person, id, timestamp: seconds(Date.now()), type, [type]: node }
    return whatsapp(to, 'smb_message_echoes', { message_echoes: [echo] })
  }
  const edited = { original_message_id: 'wamid.own', message: { type: 'text', text: { body: 'We open at nine' } } }
  await tell(to, notice('wamid.edit', 'edit', edited))
  await tell(to, notice('wamid.revoke', 'revoke', { original_message_id: provider_message_id }))
  const find = async (id: string) => (await messagesOf(to)).find((one) => one.provider_message_id === id)
  t.match(await find('wamid.own'), { message: { body: 'We open at nine' }, edited_at: /^20/, origin: 'phone' })
  t.match(await find(provider_message_id), { id: ours, deleted_at: /^20/, message: { type: 'text', body: undefined } })
  const person = { from: to.person, id: 'wamid.theirs', timestamp: seconds(Date.now()), type: 'revoke' }
  const theirs = { ...person, revoke: { original_message_id: 'wamid.own' } }
  await tell(to, whatsapp(to, 'messages', { messages: [theirs] }))
  t.equal((await find('wamid.own'))!.deleted_at, null, 'only the author withdraws')
})

t.test(
  'a message with several files is one message of ours, and several of what the business writes elsewhere',
  async (t) => {
    const place = await settle()
    const { tenant } = place
    const to = await connect(CHANNELS.find(({ channel }) => channel === 'instagram')!, place)
    const attachments = ['1', '2'].map((name) => ({
      type: 'image',
      payload: { url: `https://cdn.example.com/${name}` },
    }))
    const call = pageOf('instagram')
    const echo = (mid: string) => call(to, Date.now(), { message: { mid, is_echo: true, attachments } }, true)
    const message = { type: 'image', link: 'https://example.com/a.png' }
    const sent = { channel: 'instagram', channel_id: to.channel_id, to: to.person, message }
    const { id: ours } = await made(tenant.api('POST', 'messages', sent))
    const { provider_message_id } = await tenant.message(ours, 'sent')
    await tell(to, echo(provider_message_id))
    t.equal((await messagesOf(to)).length, 1, 'ours')
    await tell(to, echo('elsewhere'))
    const links = (await messagesOf(to)).filter(({ origin }) => origin === 'app').map((one) => one.message.link)
    t.same(links.sort(), ['https://cdn.example.com/1', 'https://cdn.example.com/2'])
  },
)

t.test(
  'of the mails from the own address, that of a form is the person’s, and an automatic one answers nobody',
  async (t) => {
    const place = await settle()
    const to = await connect(CHANNELS.find(({ channel }) => channel === 'email')!, place)
    const own = { address: `s${to.account}@example.com` }
    const mail = (fields: Json): Call => ({
      body: { from: own, to: to.person, text: 'Hello', ...fields },
      headers: (raw) => ({ 'x-parley-signature': signCall(SECRET, raw, new Date()) }),
    })
    await tell(to, mail({ message_id: '<form@example.com>', reply_to: { address: to.person } }))
    await tell(to, mail({ message_id: '<self@example.com>', to: own.address }))
    await tell(to, mail({ message_id: '<away@example.com>', auto_submitted: 'auto-replied' }))
    const all = await messagesOf(to)
    const told = all.map(({ provider_message_id, direction, origin }) => [provider_message_id, direction, origin])
    t.same(told.sort(), [
      ['<away@example.com>', 'outbound', 'mail'],
      ['<form@example.com>', 'inbound', null],
      ['<self@example.com>', 'inbound', null],
    ])
    const { chat_user } = all.find(({ provider_message_id }) => provider_message_id === '<form@example.com>')!
    const [ticket] = await ticketsOf(to, chat_user)
    const { row } = await inboxAgent(world, place.tenant)
    t.not((await row(ticket!._id)).waiting_since, null, 'an automatic mail answers nobody')
  },
)

/**
 * Every status, watermark and receipt before, in and after the commit of the message it belongs to. Providers call back
 * while their answer to the send is still on its way; here each answer waits until the test releases it.
 */
import { createHmac } from 'node:crypto'
import t from 'tap'
import { signCall } from '../../actors/providers/signed_call.ts'
import { startSmtp } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, startWorld } from './fixture.ts'
import { startHeldProvider } from './held_provider.ts'

const shared = await joinWorld(t)
const provider = await startHeldProvider(t)
const place = { world: shared, tenant: await makeTenant(shared) }
const SECRET = 'a secret of sixteen'
const PERSON = '6543210987654321'
const MAIL = 'ana@example.com'
let accounts = 0

const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')

/** `id` is the provider's id of the message and `ours` is our own. `at` is in milliseconds of the provider's clock. */
type About = { id: string; ours: string; account: string; at: number }
type Call = { body: object; headers(raw: string): Record<string, string> }

const graph = (body: object): Call => ({
  body,
  headers: (raw) => ({ 'x-hub-signature-256': `sha256=${hmac(SECRET, raw)}` }),
})
const page = (object: string, { account, at }: About, event: object) =>
  graph({
    object,
    entry: [
      {
        id: account,
        time: at,
        messaging: [{ sender: { id: PERSON }, recipient: { id: account }, timestamp: at, ...event }],
      },
    ],
  })
const whatsapp = ({ account, id, ours, at }: About, status: string, more: object = {}) => {
  const said = {
    id,
    status,
    timestamp: String(Math.floor(at / 1000)),
    recipient_id: PERSON,
    biz_opaque_callback_data: ours,
  }
  const metadata = { display_phone_number: '15557831000', phone_number_id: account }
  const value = { messaging_product: 'whatsapp', metadata, statuses: [{ ...said, ...more }] }
  return graph({ object: 'whatsapp_business_account', entry: [{ id: '1', changes: [{ field: 'messages', value }] }] })
}
const gateway = ({ account }: About, event: string, data: object): Call => ({
  body: { event, instance: account, data },
  headers: () => ({ 'x-parley-secret': SECRET }),
})
const receipt = (about: About, id: string, status: string) =>
  gateway(about, 'messages.update', { keyId: id, remoteJid: `${PERSON}@s.whatsapp.net`, fromMe: true, status })
const signed = (body: object): Call => ({
  body,
  headers: (raw) => ({ 'x-parley-signature': signCall(SECRET, raw, new Date()) }),
})
const ownKey = (ours: string) => `3EB0${ours.slice(4).toUpperCase()}`

type Row = {
  channel: string
  connect_as?: string
  what: string
  call(about: About): Call
  becomes: string
  error?: string
}

const pages = (channel: string, object: string): Row[] => [
  {
    channel,
    what: 'a read watermark',
    call: (one) => page(object, one, { read: { watermark: one.at } }),
    becomes: 'read',
  },
  {
    channel,
    what: 'a delivery of a named message',
    call: (one) => page(object, one, { delivery: { mids: [one.id], watermark: one.at } }),
    becomes: 'delivered',
  },
  {
    channel,
    what: 'a delivery watermark alone',
    call: (one) => page(object, one, { delivery: { watermark: one.at } }),
    becomes: 'delivered',
  },
]

const rows: Row[] = [
  ...pages('messenger', 'page'),
  ...pages('facebook', 'page'),
  {
    channel: 'instagram',
    what: 'the message that was seen',
    call: (one) => page('instagram', one, { read: { mid: one.id } }),
    becomes: 'read',
  },
  {
    channel: 'tiktok',
    what: 'the moment of the last read',
    call({ account, at }) {
      const content = { conversation_id: PERSON, from_user: { id: 'person' }, read: { last_read_timestamp: at } }
      const body = { event: 'im_mark_read_msg', user_openid: account, create_time: 1, content: JSON.stringify(content) }
      return { body, headers: (raw) => ({ 'tiktok-signature': `t=1,s=${hmac(SECRET, `1.${raw}`)}` }) }
    },
    becomes: 'read',
  },
  ...['sent', 'delivered', 'read'].map((status) => ({
    channel: 'whatsapp',
    what: `the status ${status}`,
    call: (one: About) => whatsapp(one, status),
    becomes: status,
  })),
  {
    channel: 'whatsapp',
    what: 'the status failed',
    call: (one) => whatsapp(one, 'failed', { errors: [{ code: 131026, title: 'Message undeliverable' }] }),
    becomes: 'failed',
    error: '131026',
  },
  {
    channel: 'whatsapp',
    connect_as: 'qr',
    what: 'a receipt by our key',
    call: (one) => receipt(one, ownKey(one.ours), 'READ'),
    becomes: 'read',
  },
  {
    channel: 'whatsapp',
    connect_as: 'qr',
    what: 'a failure by our key',
    call: (one) => receipt(one, ownKey(one.ours), 'ERROR'),
    becomes: 'failed',
    error: 'ERROR',
  },
  {
    channel: 'whatsapp',
    connect_as: 'qr',
    what: 'a receipt by a key of the gateway’s own',
    call: (one) => receipt(one, one.id, 'DELIVERY_ACK'),
    becomes: 'delivered',
  },
]

/** A node with a tenant. */
type Place = typeof place
type Connected = Place & { channel: string; channel_id: string; account: string }

async function connect(channel: string, connect_as = 'cloud', { world, tenant } = place): Promise<Connected> {
  const account = String(900_000_000 + ++accounts)
  const secrets = { access_token: `token-${account}`, app_secret: SECRET, api_base_url: provider.url }
  const credentials: Json =
    connect_as === 'qr'
      ? { api_base_url: provider.url, instance: account, api_key: 'the-key', webhook_secret: SECRET }
      : channel === 'whatsapp'
        ? { ...secrets, phone_number_id: account, business_account_id: '1', verify_token: 'v' }
        : channel === 'tiktok'
          ? { ...secrets, account_id: account }
          : { ...secrets, account_id: account, verify_token: 'v' }
  const { project_id } = tenant
  const fields = {
    project_id,
    channel_type: channel,
    provider: connect_as,
    name: channel,
    credentials,
  }
  const { _id: channel_id } = await made(world.operator('POST', 'channels', fields))
  return { world, tenant, channel, channel_id, account }
}

async function say({ world, channel, channel_id }: Omit<Connected, 'account'>, { body, headers }: Call) {
  const raw = JSON.stringify(body)
  const url = `${world.base_url}/providers/${channel}/${channel_id}`
  const answer = await world.http('POST', url, {
    raw,
    headers: { 'content-type': 'application/json', ...headers(raw) },
  })
  if (answer.status !== 200) throw new Error(`${answer.status}: ${answer.text}`)
}

async function send(
  { tenant, channel, channel_id }: Omit<Connected, 'world'>,
  to = channel === 'whatsapp' ? `+${PERSON.slice(0, 12)}` : PERSON,
) {
  const message = { type: 'text', body: 'Hello' }
  return (await made(tenant.api('POST', 'messages', { channel, channel_id, to, message }))).id as string
}

const statusOf = async (id: string) => (await place.tenant.api('GET', `messages/${id}`)).body

for (const { channel, connect_as, what, call, becomes, error } of rows) {
  t.test(`${channel}${connect_as ? ` by ${connect_as}` : ''}: ${what}`, async (t) => {
    for (const when of ['before the answer', 'after the answer'] as const) {
      const to = await connect(channel, connect_as)
      const held = provider.hold(to.account)
      const ours = await send(to)
      const asked = await held.asked
      const about = { id: asked.id, ours, account: to.account, at: asked.at }
      if (when === 'before the answer') await say(to, call(about))
      held.answer()
      if (when === 'after the answer') {
        await to.tenant.message(ours, 'sent')
        await say(to, call(about))
      }
      const { error: said } = await to.tenant.message(ours, becomes)
      t.equal(said?.code, error, `${when}: the error`)
      await eventually('the id is known', async () => (await statusOf(ours)).provider_message_id !== null)
      t.equal((await statusOf(ours)).status, becomes, `${when}: the status stays`)
    }
  })
}

for (const hours of [-1, 0, 1]) {
  t.test(`a provider whose clock is off by ${hours} h: a read mark covers the earlier messages alone`, async (t) => {
    const to = await connect('messenger')
    provider.turnClock(to.account, hours * 3_600_000)
    const { tenant } = to
    const first = provider.hold(to.account)
    const one = await send(to)
    const { at } = await first.asked
    first.answer()
    await tenant.message(one, 'sent')
    // The provider's answers give whole seconds.
    const later = at + 5_000
    provider.turnClock(to.account, hours * 3_600_000 + 10_000)
    const second = provider.hold(to.account)
    const two = await send(to)
    const asked = await second.asked
    const read = (watermark: number) =>
      page('page', { id: '', ours: '', account: to.account, at: watermark }, { read: { watermark } })
    await say(to, read(later))
    t.equal((await statusOf(one)).status, 'read', 'the message before the mark is read')
    second.answer()
    await tenant.message(two, 'sent')
    const three = await send(to)
    await tenant.message(three, 'sent')
    t.equal((await statusOf(two)).status, 'sent', 'the message after the mark stays sent')
    await say(to, read(asked.at))
    await tenant.message(two, 'read')
  })
}

t.test('a watermark outlives the node that received it', async (t) => {
  // The node restarts. Nothing else than the watermark settles the message.
  const world = await startWorld(t, { waits: { confirm_ms: 60_000, send_ms: 30_000 } })
  const tenant = await makeTenant(world)
  const to = await connect('messenger', 'cloud', { world, tenant })
  const held = provider.hold(to.account)
  const ours = await send(to)
  // The node ends before the answer comes, so the message is in doubt. A second call brings the watermark.
  const { at } = await held.asked
  await say(
    to,
    page('page', { id: '', ours, account: to.account, at: at + 3_600_000 }, { read: { watermark: at + 3_600_000 } }),
  )
  held.answer()
  await world.restart()
  t.match(await tenant.message(ours, 'read'), { read_at: /./ })
})

t.test('e-mail: a mail that comes back before its server’s answer was stored', async (t) => {
  const { world, tenant } = place
  for (const named_by of ['our Message-ID', 'that of the server'] as const) {
    const smtp = await startSmtp(t)
    const foreign = `<${accounts}@AM0PR01MB1234.eurprd01.prod.outlook.com>`
    const inbound_secret = SECRET
    const credentials = {
      smtp_url: smtp.url.replace('//', '//user:word@'),
      from: `s${++accounts}@example.com`,
      inbound_secret,
    }
    const fields = {
      project_id: tenant.project_id,
      channel_type: 'email',
      provider: 'cloud',
      name: 'Mail',
      credentials,
    }
    const { _id: channel_id } = await made(world.operator('POST', 'channels', fields))
    const to = { ...place, channel: 'email', channel_id, account: '' }
    let letGo = () => {}
    smtp.holdEnd(
      new Promise((resolve) => (letGo = () => resolve())),
      named_by === 'our Message-ID' ? undefined : `250 2.0.0 OK ${foreign} [Hostname=x]`,
    )
    const ours = await send(to, MAIL)
    const [mail] = await eventually('the mail is there', () => smtp.mails.length > 0 && smtp.mails)
    const message_id = named_by === 'our Message-ID' ? mail!.headers['message-id'] : foreign
    await say(to, signed({ bounce: { message_id, status: '5.1.1', diagnostic: 'no such user' } }))
    letGo()
    const { error } = await tenant.message(ours, 'failed')
    t.match(error, { code: '5.1.1', message: 'no such user' }, named_by)
  }
})

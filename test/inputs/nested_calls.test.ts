/** A call whose values nest very deep is refused, and changes nothing, whichever provider makes it. */
import { createHmac } from 'node:crypto'
import t from 'tap'
import { MAX_LEVELS, nestsTooDeep } from '../../actors/providers/nesting.ts'
import { signCall } from '../../actors/providers/signed_call.ts'
import type { Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant, type Tenant } from '../e2e/fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const now_s = () => Math.floor(Date.now() / 1000)
const hmac = (key: string, text: string) => createHmac('sha256', key).update(text).digest('hex')

/** `call`: a call that brings one message, with `nested` beside what is known. */
type Line = {
  channel_id: string
  header: string
  sign: (raw: string) => string
  call: (id: string, nested: unknown) => Json
}

async function connect(channel_type: string, credentials: Json, provider = 'simulator'): Promise<string> {
  const { project_id } = tenant
  const api_base_url = provider === 'cloud' ? {} : { api_base_url: world.simulator_url }
  const fields = {
    project_id,
    channel_type,
    provider,
    name: channel_type,
    credentials: { ...credentials, ...api_base_url },
  }
  return (await made(world.operator('POST', 'channels', fields)))._id
}

const app_secret = 'the secret of an app'
const meta = (raw: string) => `sha256=${hmac(app_secret, raw)}`
const SHARED = 'a-secret_token'

async function page(channel: string, object: string): Promise<Line> {
  const account_id = `${process.pid}${channel.length}17`
  const event = (mid: string, nested: unknown) => ({
    sender: { id: '6543' },
    recipient: { id: account_id },
    timestamp: Date.now(),
    message: { mid, text: 'Hi', nested },
  })
  const secrets = { access_token: 'token', app_secret, verify_token: 'verify' }
  return {
    channel_id: await connect(channel, { account_id, ...secrets }),
    header: 'x-hub-signature-256',
    sign: meta,
    call: (mid, nested) => ({ object, entry: [{ id: account_id, time: Date.now(), messaging: [event(mid, nested)] }] }),
  }
}

const LINES: Record<string, (tenant: Tenant) => Promise<Line> | Line> = {
  whatsapp: ({ number }) => ({
    channel_id: number.channel_id,
    header: 'x-hub-signature-256',
    sign: (raw) => `sha256=${hmac(number.app_secret, raw)}`,
    call(id, nested) {
      const message = { id, from: '15550401000', timestamp: String(now_s()), type: 'text', text: { body: 'Hi' } }
      const metadata = { display_phone_number: '15557831000', phone_number_id: number.phone_number_id }
      const value = { messaging_product: 'whatsapp', metadata, messages: [{ ...message, nested }] }
      const changes = [{ field: 'messages', value }]
      return { object: 'whatsapp_business_account', entry: [{ id: number.business_account_id, changes }] }
    },
  }),
  messenger: () => page('messenger', 'page'),
  instagram: () => page('instagram', 'instagram'),
  async telegram() {
    const bot_token = `${process.pid}17:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw`
    const chat = { id: 518273640, type: 'private', first_name: 'Ana' }
    return {
      channel_id: await connect('telegram', { bot_token, webhook_secret: SHARED }),
      header: 'x-telegram-bot-api-secret-token',
      sign: () => SHARED,
      call: (id, nested) => ({
        update_id: Number(id.replaceAll(/\D/g, '')),
        message: { message_id: 9, date: now_s(), chat, text: 'Hi', nested },
      }),
    }
  },
  async tiktok() {
    const account_id = `${process.pid}29`
    return {
      channel_id: await connect('tiktok', { account_id, access_token: 'act.token', app_secret }),
      header: 'tiktok-signature',
      sign: (raw) => `t=${now_s()},s=${hmac(app_secret, `${now_s()}.${raw}`)}`,
      call: (message_id, nested) => ({
        event: 'im_receive_msg',
        user_openid: account_id,
        nested,
        content: JSON.stringify({
          ...{ conversation_id: 'c', from_user: { id: 'p' }, message_id, timestamp: Date.now() },
          ...{ type: 'text', text: { body: 'Hi' } },
        }),
      }),
    }
  },
  async 'paired phone'() {
    const instance = `nested-${process.pid}`
    return {
      channel_id: await connect('whatsapp', { instance, api_key: 'key', webhook_secret: SHARED }, 'qr'),
      header: 'x-parley-secret',
      sign: () => SHARED,
      call(id, nested) {
        const key = { remoteJid: '5511999999999@s.whatsapp.net', fromMe: false, id }
        const message = { key, message: { conversation: 'Hi' }, messageTimestamp: now_s(), nested }
        return { event: 'messages.upsert', instance, data: message }
      },
    }
  },
  async email() {
    const inbound_secret = 'a secret of sixteen'
    const from = `nested-${process.pid}@example.com`
    return {
      channel_id: await connect('email', { smtp_url: 'smtp://a:b@127.0.0.1:9', from, inbound_secret }, 'cloud'),
      header: 'x-parley-signature',
      sign: (raw) => signCall(inbound_secret, raw, new Date()),
      call: (id, nested) => ({
        message_id: `<${id}@example.com>`,
        from: { address: 'ana@example.com' },
        text: 'Hi',
        nested,
      }),
    }
  },
}

/** A mark in the place of `nested`, which JSON.stringify could not write. */
const DEEPER: Record<string, (levels: number) => string> = {
  lists: (levels) => '['.repeat(levels) + ']'.repeat(levels),
  objects: (levels) => `${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}`,
  'quotes in names': (levels) => `${'{"\\"]\\\\":'.repeat(levels)}0${'}'.repeat(levels)}`,
}

for (const [name, begin] of Object.entries(LINES)) {
  t.test(`${name}: a call that nests too deep is refused, and the next one is stored`, async (t) => {
    const { channel_id, header, sign, call } = await begin(tenant)
    const type = name === 'paired phone' ? 'whatsapp' : name
    const post = (id: string, nested: string) => {
      const raw = JSON.stringify(call(id, 'NESTED')).replace('"NESTED"', nested)
      const headers = { 'content-type': 'application/json', [header]: sign(raw) }
      return world.http('POST', `${world.base_url}/providers/${type}/${channel_id}`, { raw, headers })
    }
    const stored = async () =>
      (await made(tenant.api('GET', 'messages'))).data.filter((one: Json) => one.channel_id === channel_id).length
    for (const [what, nested] of Object.entries(DEEPER)) {
      for (const levels of [MAX_LEVELS, 5_000, 50_000]) {
        const { status, text } = await post(`${channel_id}.1${levels}`, nested(levels))
        t.equal(status, 400, `${levels} ${what}`)
        t.match(text, /must not nest deeper than 128 levels/)
      }
    }
    t.equal(await stored(), 0)
    t.equal((await post(`${channel_id}.2`, DEEPER.lists!(100))).status, 200)
    t.equal(await stored(), 1)
  })
}

t.test('brackets in texts are no levels, and a text that is cut ends the look', (t) => {
  const brackets = '[{'.repeat(500)
  for (const [text, is_deep] of [
    [`["${brackets}"]`, false],
    [`["\\\\", "\\"${brackets}"]`, false],
    [`["\\\\", ${brackets}`, true],
    [`["\\\\\\"${brackets}`, false],
    [`[${'[],'.repeat(500)}0]`, false],
    ['['.repeat(MAX_LEVELS) + ']'.repeat(MAX_LEVELS), false],
    ['['.repeat(MAX_LEVELS + 1), true],
    [`"${'\\'.repeat(1000)}`, false],
  ] as const)
    t.equal(nestsTooDeep(text), is_deep, text.slice(0, 20))
  t.end()
})

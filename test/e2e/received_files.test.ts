/** Files that people send: fetched once, kept, shown, sent on, and given up with a reason. */
import { createHash, randomBytes } from 'node:crypto'
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { control, operator, base_url, simulator_url: api_base_url, sink } = world

/** The smallest PNG. */
const PICTURE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
)

type Line = {
  tenant: Tenant
  channel_id: string
  /** A person sends the file. Resolves once the webhook was answered. */
  sends(file: Json): Promise<void>
  /** Requests of the provider for a file. */
  operation: string
  channel: string
}

/** `names`: false where files have neither names nor captions. */
type Way = { channel: string; product: string; names: boolean; connect(): Promise<Line> }

let lines = 0

async function connect(
  channel_type: string,
  provider: string,
  credentials: Json,
): Promise<{ tenant: Tenant; id: string }> {
  const tenant = await makeTenant(world)
  const fields = { project_id: tenant.project_id, channel_type, provider, name: 'Line', credentials }
  const { _id: id } = await made(operator('POST', 'channels', fields))
  return { tenant, id }
}

const ways: Record<string, Way> = {
  telegram: {
    channel: 'telegram',
    product: 'telegram',
    names: true,
    async connect() {
      const bot_id = String(process.pid * 1000 + ++lines)
      const bot = { bot_token: `${bot_id}:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw`, webhook_secret: 'a-secret_token' }
      const { tenant, id } = await connect('telegram', 'simulator', { ...bot, api_base_url })
      await made(control('PUT', 'bots', { ...bot, webhook_url: `${base_url}/providers/telegram/${id}` }))
      return {
        tenant,
        channel_id: id,
        operation: 'getFile',
        channel: 'telegram',
        async sends({ data, mime_type, filename, caption }) {
          const field = filename ? 'document' : 'photo'
          const file = { data, mime_type, ...(filename && { file_name: filename }) }
          const message = { [field]: file, ...(caption && { caption }) }
          await made(control('POST', 'inbound', { channel: 'telegram', from: 518273640, bot_id, message }))
        },
      }
    },
  },
  'a paired phone': {
    channel: 'whatsapp',
    product: 'whatsapp',
    names: true,
    async connect() {
      const instance = `phone-${process.pid}-${++lines}`
      const webhook_secret = 'the word of the header'
      const api_key = `key of ${instance}`
      const { tenant, id } = await connect('whatsapp', 'qr', { api_base_url, instance, api_key, webhook_secret })
      const webhook_url = `${base_url}/providers/whatsapp/${id}`
      const webhook_headers = { 'X-Parley-Secret': webhook_secret }
      const number = String(15_550_000_000 + lines)
      await made(control('PUT', 'instances', { instance, api_key, number, webhook_url, webhook_headers }))
      return {
        tenant,
        channel_id: id,
        operation: 'getBase64FromMediaMessage',
        channel: 'whatsapp_qr',
        async sends({ data, mime_type, filename, caption }) {
          const field = filename ? 'documentMessage' : 'imageMessage'
          const node = {
            data,
            mimetype: mime_type,
            ...(filename && { fileName: filename }),
            ...(caption && { caption }),
          }
          await made(
            control('POST', 'inbound', {
              channel: 'whatsapp_qr',
              from: '+15551234567',
              instance,
              message: { [field]: node },
            }),
          )
        },
      }
    },
  },
  tiktok: {
    channel: 'tiktok',
    product: 'tiktok',
    names: false,
    async connect() {
      const account_id = `business-${process.pid}-${++lines}`
      const account = { account_id, access_token: `act.${account_id}`, app_secret: `the app's secret of ${account_id}` }
      const { tenant, id } = await connect('tiktok', 'simulator', { ...account, api_base_url })
      const webhook_url = `${base_url}/providers/tiktok/${id}`
      await made(control('PUT', 'accounts', { channel: 'tiktok', ...account, webhook_url }))
      return {
        tenant,
        channel_id: id,
        operation: 'media_download',
        channel: 'tiktok',
        async sends({ data, mime_type }) {
          const message = { type: 'image', image: { data, mime_type } }
          await made(control('POST', 'inbound', { channel: 'tiktok', from: 'conversation-1', account_id, message }))
        },
      }
    },
  },
}

/** The only received message of the tenant, once it fits. */
function received({ tenant }: Line, fits: (content: Json) => boolean): Promise<Json> {
  return eventually('the message', async () => {
    const [message] = (await tenant.api('GET', 'messages?direction=inbound')).body.data
    return message && fits(message.message) && message
  })
}

const isStored = ({ media_status }: Json) => media_status === 'stored'
const isFailed = ({ media_status }: Json) => media_status === 'failed'

for (const [name, way] of Object.entries(ways)) {
  t.test(`${name}: a file is stored, told of, downloaded, and sent on`, async (t) => {
    const line = await way.connect()
    const { tenant, channel_id } = line
    const path = `files-${way.channel}-${channel_id}`
    await tenant.subscribe(path, [`${way.product}.message.received`, `${way.product}.message.media`])
    const bytes = way.names ? randomBytes(300_000) : Buffer.concat([PICTURE, randomBytes(300_000)])
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const named = way.names ? { filename: 'plan.own', caption: 'Here' } : {}
    await line.sends({ data: bytes.toString('base64'), mime_type: 'application/x-own', ...named })
    const message = await received(line, isStored)
    const { media_id } = message.message
    const type = way.names ? 'document' : 'image'
    const facts = { file_size: bytes.length, sha256, ...(way.names && { filename: 'plan.own' }) }
    t.match(message, { type, message: { ...facts, ...named, media_status: 'stored' } })
    t.match(media_id, /^[0-9a-f]{24}$/, 'the id is ours')

    const events = await eventually('both events', () => sink.events(path).length === 2 && sink.events(path))
    const [told] = events.filter(({ type }) => type.endsWith('received'))
    const [fetched] = events.filter(({ type }) => type.endsWith('media'))
    t.match(told?.data.messages[0][type], { media_id, media_status: 'pending' }, 'the first event promises the file')
    const media = { media_id, media_status: 'stored', media_error: null, ...facts }
    t.match(fetched?.data, { message_id: message.id, channel_id, media })

    const { body: shown } = await tenant.api('GET', `media/${media_id}?phone_number_id=any`)
    t.match(shown, { media_id, ...facts })
    const got = await fetch(`${base_url}/v1/media/${media_id}/download?phone_number_id=any`, {
      headers: { authorization: `Bearer ${tenant.token}` },
    })
    t.ok(Buffer.from(await got.arrayBuffer()).equals(bytes), 'the bytes are the same')
    if (way.names) t.match(got.headers.get('content-disposition'), /plan\.own/)

    await tenant.writes('+15557654321', { type: 'text', text: { body: 'Hello' } })
    const sent = await tenant.send('+15557654321', {
      channel_id: tenant.number.channel_id,
      message: { type: 'document', media_id, filename: 'plan.own' },
    })
    t.equal(sent.status, 202, 'a file may be sent on, on another channel')
  })

  t.test(`${name}: bytes decide the type, and a picture is shown as one`, async (t) => {
    const line = await way.connect()
    await line.sends({ data: PICTURE.toString('base64'), mime_type: 'image/jpeg' })
    const { type, message } = await received(line, isStored)
    t.match({ type, message }, { type: 'image', message: { mime_type: 'image/png', file_size: PICTURE.length } })
  })

  t.test(`${name}: a provider that has trouble is asked again`, async (t) => {
    const line = await way.connect()
    const rule = { match: { channel: line.channel, operation: line.operation }, garbage: true, times: 1 }
    await made(control('POST', 'faults', rule))
    await line.sends({ data: PICTURE.toString('base64'), mime_type: 'image/png' })
    const { message } = await received(line, isStored)
    t.notOk('media_error' in message)
  })
}

t.test('a file that its provider does not give out has a reason, and is fetched again on request', async (t) => {
  const line = await ways.telegram!.connect()
  const { tenant, channel_id } = line
  await tenant.subscribe(`failed-${channel_id}`, ['telegram.message.media'])
  const match = { channel: 'telegram', operation: 'getFile' }
  const { id } = await made(
    control('POST', 'faults', { match, error: { code: 400, message: 'Bad Request: file is too big' } }),
  )
  await line.sends({ data: PICTURE.toString('base64'), mime_type: 'image/png' })
  const { message } = await received(line, isFailed)
  t.match(message, { media_error: { code: 'too_large', message: /20 MB/ } })
  await eventually('the event', () => sink.events(`failed-${channel_id}`).length === 1)
  t.match(sink.events(`failed-${channel_id}`)[0]?.data.media, {
    media_status: 'failed',
    media_error: { code: 'too_large' },
  })
  t.equal((await tenant.api('GET', `media/${message.media_id}?phone_number_id=any`)).status, 404)
  await made(control('DELETE', `faults?id=${id}`))
  const again = await tenant.api('POST', `media/${message.media_id}/fetch`)
  t.match(again, { status: 202, body: { media_id: message.media_id, media_status: 'pending' } })
  const { message: stored } = await received(line, isStored)
  t.notOk('media_error' in stored, 'the reason is gone')
  const third = await tenant.api('POST', `media/${message.media_id}/fetch`)
  t.match(third, { status: 202, body: { media_status: 'stored' } })
  t.equal((await tenant.api('POST', 'media/66f2a0c1d4e5f60718293a4f/fetch')).status, 404)
})

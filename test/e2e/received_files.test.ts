/** Files that people send: fetched once, kept, shown, sent on, and given up with a reason. */
import { createHash, randomBytes } from 'node:crypto'
import { request } from 'node:http'
import t from 'tap'
import { signCall } from '../../actors/mod.ts'
import { connectPage } from '../inputs/page_account.ts'
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

/** An account of Messenger or Instagram; a file with a name has one on Messenger alone. */
function page(channel: 'messenger' | 'instagram'): Way {
  return {
    channel,
    product: channel,
    names: channel === 'messenger',
    async connect() {
      const tenant = await makeTenant(world)
      const account = await connectPage(world, tenant, channel)
      const { account_id, channel_id } = account
      return {
        tenant,
        channel_id,
        operation: 'download',
        channel,
        async sends(file) {
          const type = file.filename ? 'document' : 'image'
          const message = { type, [type]: file }
          await made(control('POST', 'inbound', { channel, from: '6543210987654321', account_id, message }))
        },
      }
    },
  }
}

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
  messenger: page('messenger'),
  instagram: page('instagram'),
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
  'the Cloud API of WhatsApp': {
    channel: 'whatsapp',
    product: 'whatsapp',
    names: true,
    async connect() {
      const tenant = await makeTenant(world)
      return {
        tenant,
        channel_id: tenant.number.channel_id,
        operation: 'download',
        channel: 'whatsapp',
        async sends({ data, mime_type, filename, caption }) {
          const type = filename ? 'document' : 'image'
          const file = { data, mime_type, ...(filename && { filename }), ...(caption && { caption }) }
          await tenant.writes('+15551234567', { type, [type]: file })
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

/** A mailbox, whose mails have their files as attachments. */
async function connectMailbox() {
  const address = `support-${process.pid}-${++lines}@example.com`
  const inbound_secret = `the word of ${address}`
  const smtp_url = 'smtp://nobody:nothing@127.0.0.1:9'
  const { tenant, id } = await connect('email', 'cloud', { smtp_url, from: address, inbound_secret })
  const webhook_url = `${base_url}/providers/email/${id}`
  await made(control('PUT', 'mailboxes', { address, password: 'secret', inbound_secret, webhook_url }))
  const sends = (attachments: Json[], fields: Json = {}) =>
    made(
      control('POST', 'inbound', {
        channel: 'email',
        from: 'ana@example.com',
        account_id: address,
        message: { subject: 'Plan', text: 'See it', attachments, ...fields },
      }),
    )
  return { tenant, channel_id: id, address, webhook_url, inbound_secret, sends }
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

t.test('an e-mail brings its files, and those behind an address are fetched', async (t) => {
  const { tenant, channel_id, sends } = await connectMailbox()
  await tenant.subscribe(`mail-${channel_id}`, ['email.message.received', 'email.message.media'])
  const bytes = randomBytes(2_000_000)
  const plan = { filename: 'plan.pdf', mime_type: 'application/pdf', data: bytes.toString('base64') }
  const path = { filename: '../../etc/own.txt', mime_type: 'text/plain', data: 'b3du' }
  await sends([plan, { filename: 'C:\\own', mime_type: 'text/plain', size: 4 }, path])
  const [message] = await eventually('the mail', async () => {
    const { data } = (await tenant.api('GET', 'messages?direction=inbound')).body
    return data.length > 0 && data
  })
  const [stored, named] = message.message.attachments
  const names = message.message.attachments.map(({ filename }: Json) => filename)
  t.match(stored, { filename: 'plan.pdf', size: bytes.length, media_status: 'stored', media_id: /^[0-9a-f]{24}$/ })
  t.notOk('media_status' in named, 'of a file that was not brought only the name is there')
  t.match(names, ['plan.pdf', 'own', 'own.txt'], 'no name is a path')
  const got = await fetch(`${base_url}/v1/media/${stored.media_id}/download?phone_number_id=${channel_id}`, {
    headers: { authorization: `Bearer ${tenant.token}` },
  })
  t.ok(Buffer.from(await got.arrayBuffer()).equals(bytes))
  const [event] = await eventually(
    'the event',
    () => sink.events(`mail-${channel_id}`).length > 0 && sink.events(`mail-${channel_id}`),
  )
  t.match(event?.data.messages[0].attachments[0], { media_id: stored.media_id, media_status: 'stored' })
})

t.test('a file of an e-mail is taken with the signature of its hash alone, and for its own project', async (t) => {
  const { tenant, webhook_url, inbound_secret, sends } = await connectMailbox()
  const other = await connectMailbox()
  const bytes = Buffer.from('plain words')
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const bring = async (signed: string, announced = sha256, secret = inbound_secret) => {
    const headers = { 'x-parley-signature': signCall(secret, signed, new Date()), 'x-parley-sha256': announced }
    const answer = await fetch(`${webhook_url}/files`, { method: 'POST', headers, body: bytes })
    return { status: answer.status, body: (await answer.json()) as Json }
  }
  t.match(await bring(sha256), { status: 200, body: { media_id: /^[0-9a-f]{24}$/ } })
  t.match(await bring('another'), { status: 401 })
  t.match(await bring(sha256, sha256, 'another word'), { status: 401 })
  const wrong = createHash('sha256').update('other words').digest('hex')
  t.match(await bring(wrong, wrong), { status: 400 }, 'other bytes than announced')
  const { body } = await bring(sha256)
  await other.sends([{ filename: 'a.txt', mime_type: 'text/plain', size: 11, media_id: body.media_id }])
  const { data } = (await other.tenant.api('GET', 'messages?direction=inbound')).body
  t.match(data[0].message.attachments[0], { media_status: 'failed', media_error: { code: 'file_gone' } })
  t.notOk('media_id' in data[0].message.attachments[0], 'the file of another project is not named')
  await sends([{ filename: 'a.txt', mime_type: 'text/plain', size: 11, media_id: body.media_id }])
  const own = (await tenant.api('GET', 'messages?direction=inbound')).body.data
  t.match(own[0].message.attachments[0], { media_id: body.media_id, media_status: 'stored' })
})

t.test('a mail system that sends slowly holds up the files of its own company alone', async (t) => {
  const slow = await connectMailbox()
  const other = await connectMailbox()
  const headersFor = (secret: string, sha256: string) => ({
    'x-parley-signature': signCall(secret, sha256, new Date()),
    'x-parley-sha256': sha256,
  })
  const announced = createHash('sha256').update('never sent').digest('hex')
  const statuses: (number | undefined)[] = []
  const under_way = Array.from({ length: 40 }, () => {
    const headers = { ...headersFor(slow.inbound_secret, announced), 'content-length': 1_000_000 }
    const sending = request(`${slow.webhook_url}/files`, { method: 'POST', headers, agent: false })
    sending.on('response', (answer) => statuses.push(answer.resume().statusCode)).on('error', () => {})
    sending.write('the first bytes')
    return sending
  })
  t.teardown(() => {
    for (const sending of under_way) sending.destroy()
  })
  await eventually('the slow one has its share', async () => statuses.length > 0)
  const bytes = Buffer.from('plain words')
  const headers = headersFor(other.inbound_secret, createHash('sha256').update(bytes).digest('hex'))
  const answer = await fetch(`${other.webhook_url}/files`, { method: 'POST', headers, body: bytes })
  t.equal(answer.status, 200)
  t.same([...new Set(statuses)], [503], 'those that have no place come again')
})

t.test('a provider that never answers holds up the files of its own channel alone', async (t) => {
  const line = await ways.telegram!.connect()
  const { tenant } = line
  const match = { channel: 'telegram', operation: 'getFile' }
  const { id } = await made(control('POST', 'faults', { match, hang: 'before' }))
  t.teardown(() => control('DELETE', `faults?id=${id}`))
  for (let n = 0; n < 10; n++) await line.sends({ data: PICTURE.toString('base64'), mime_type: 'image/png' })
  const instance = `phone-${process.pid}-${++lines}`
  const phone = { api_base_url, instance, api_key: `key of ${instance}`, webhook_secret: 'the word of the header' }
  const fields = { project_id: tenant.project_id, channel_type: 'whatsapp', provider: 'qr', name: 'Phone' }
  const { _id } = await made(operator('POST', 'channels', { ...fields, credentials: phone }))
  const webhook_headers = { 'X-Parley-Secret': phone.webhook_secret }
  const webhook_url = `${base_url}/providers/whatsapp/${_id}`
  const { api_key } = phone
  await made(control('PUT', 'instances', { instance, api_key, number: '15550009999', webhook_url, webhook_headers }))
  const message = { imageMessage: { data: PICTURE.toString('base64'), mimetype: 'image/png' } }
  await made(control('POST', 'inbound', { channel: 'whatsapp_qr', from: '+15551239999', instance, message }))
  await eventually('the file of the phone', async () => {
    const { data } = (await tenant.api('GET', 'messages?direction=inbound&channel=whatsapp')).body
    return data[0]?.message.media_status === 'stored'
  })
  const { data } = (await tenant.api('GET', 'messages?direction=inbound&channel=telegram')).body
  t.equal(data.length, 10)
  t.ok(
    data.every((one: Json) => one.message.media_status === 'pending'),
    'those of the bot wait',
  )
})

t.test('the file of a person who is erased is gone, and so is one that is still to be fetched', async (t) => {
  const line = await ways.telegram!.connect()
  const { tenant } = line
  await line.sends({ data: PICTURE.toString('base64'), mime_type: 'image/png' })
  const { message, chat_user } = await received(line, isStored)
  const match = { channel: 'telegram', operation: 'getFile' }
  const { id } = await made(control('POST', 'faults', { match, garbage: true }))
  t.teardown(() => control('DELETE', `faults?id=${id}`))
  await line.sends({ data: PICTURE.toString('base64'), mime_type: 'image/png' })
  const waiting = await received(line, ({ media_status }) => media_status === 'pending')
  await made(operator('POST', 'erasures', { kind: 'contact', id: chat_user, confirm: true }))
  await eventually('both are gone', async () => {
    const gone = await tenant.api('GET', `media/${message.media_id}?phone_number_id=any`)
    const again = await tenant.api('POST', `media/${waiting.message.media_id}/fetch`)
    return gone.status === 404 && again.status === 404
  })
})

t.test('an edited picture has its file anew, and the former one is gone', async (t) => {
  const bot_id = String(process.pid * 1000 + ++lines)
  const bot = { bot_token: `${bot_id}:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw`, webhook_secret: 'a-secret_token' }
  const { tenant, id } = await connect('telegram', 'simulator', { ...bot, api_base_url })
  const webhook_url = `${base_url}/providers/telegram/${id}`
  await made(control('PUT', 'bots', { ...bot, webhook_url }))
  const photo = { data: PICTURE.toString('base64') }
  const said = { channel: 'telegram', from: 518273640, bot_id, message: { photo, caption: 'Old' } }
  const { message: told } = await made(control('POST', 'inbound', said))
  const shown = async (caption: string) =>
    eventually(`the picture of ${caption}`, async () => {
      const { data } = (await tenant.api('GET', 'messages?direction=inbound')).body
      return data.find(
        ({ type, message }: Json) => type === 'image' && message.caption === caption && isStored(message),
      )
    })
  const before = await shown('Old')
  const edited_message = { ...told, caption: 'New', edit_date: told.date + 1 }
  const headers = { 'x-telegram-bot-api-secret-token': bot.webhook_secret, 'content-type': 'application/json' }
  const body = JSON.stringify({ update_id: 900_000 + lines, edited_message })
  t.equal((await fetch(webhook_url, { method: 'POST', headers, body })).status, 200)
  const after = await shown('New')
  t.equal(after.id, before.id, 'the message is the same one')
  t.not(after.message.media_id, before.message.media_id)
  const one = (media_id: string) => tenant.api('GET', `media/${media_id}?phone_number_id=any`)
  t.equal((await one(after.message.media_id)).status, 200)
  t.equal((await one(before.message.media_id)).status, 404)
})

t.test('a file that was sent on outlives the message that brought it, and one that was not does not', async (t) => {
  const tenant = await makeTenant(world)
  const { phone_number_id } = tenant.number
  const query = `phone_number_id=${phone_number_id}`
  const withdraws = (original_message_id: string) =>
    tenant.writes('+15551234567', { type: 'revoke', revoke: { original_message_id } })
  const shown = async (caption: string) =>
    eventually(`the picture of ${caption}`, async () => {
      const { data } = (await tenant.api('GET', 'messages?direction=inbound')).body
      return data.find(({ message }: Json) => message.caption === caption && isStored(message))
    })
  const sends = async (caption: string) => {
    await tenant.writes('+15551234567', { type: 'image', image: { data: PICTURE.toString('base64'), caption } })
    return shown(caption)
  }
  const [first, second] = [await sends('Kept'), await sends('Lost')]
  await tenant.writes('+15557654321', { type: 'text', text: { body: 'Hello' } })
  const copy = await tenant.send('+15557654321', { message: { type: 'image', media_id: first.message.media_id } })
  t.equal(copy.status, 202)
  for (const one of [first, second]) await withdraws(one.provider_message_id)
  await eventually('both are withdrawn', async () => {
    const { data } = (await tenant.api('GET', 'messages?direction=inbound')).body
    const theirs = data.filter(({ id }: Json) => id === first.id || id === second.id)
    return theirs.length === 2 && theirs.every((one: Json) => one.deleted_at && !one.message.media_id)
  })
  t.equal((await tenant.api('GET', `media/${first.message.media_id}?${query}`)).status, 200, 'the copy has its file')
  t.equal((await tenant.api('GET', `media/${second.message.media_id}?phone_number_id=none`)).status, 404)
})

t.test('an e-mail that an agent wrote in a mail program keeps its files, too', async (t) => {
  const { tenant, address, sends } = await connectMailbox()
  const plan = { filename: 'plan.png', mime_type: 'image/png', data: PICTURE.toString('base64') }
  await sends([plan], { from: { address }, to: 'bo@example.com' })
  const { data } = (await tenant.api('GET', 'messages?direction=outbound&channel=email')).body
  t.match(data[0]?.message.attachments, [{ filename: 'plan.png', media_status: 'stored' }])
})

/**
 * Each kind of content in the table of docs/messaging.md can be sent by `parley simulate inbound --kind`, on each channel that
 * has it, and becomes the message that the table says.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { inboundOf, kinds, kindsOn } from '../../http/cli/simulate/simulated_kinds.ts'
import { connectPage } from '../inputs/page_account.ts'
import { root } from '../support/root.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { control, operator, base_url, simulator_url: api_base_url } = world

let lines = 0

async function connect({ project_id }: Tenant, channel_type: string, credentials: Json, provider = 'simulator') {
  const fields = { project_id, channel_type, provider, name: 'Line', credentials }
  return (await made(operator('POST', 'channels', fields)))._id
}

/** Each connects an account of the simulator, and says how a call of its control API names it. */
const CONNECT: Record<string, (tenant: Tenant, name: string) => Promise<Json>> = {
  whatsapp: async ({ number: { phone_number_id } }) => ({ phone_number_id }),
  messenger: async (tenant) => ({ account_id: (await connectPage(world, tenant, 'messenger')).account_id }),
  instagram: async (tenant) => ({ account_id: (await connectPage(world, tenant, 'instagram')).account_id }),
  async telegram(tenant) {
    const bot_id = String(process.pid * 1000 + ++lines)
    const bot = { bot_token: `${bot_id}:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw`, webhook_secret: 'a-secret_token' }
    const id = await connect(tenant, 'telegram', { ...bot, api_base_url })
    await made(control('PUT', 'bots', { ...bot, webhook_url: `${base_url}/providers/telegram/${id}` }))
    return { bot_id }
  },
  async whatsapp_qr(tenant, name) {
    const phone = { instance: `phone-${name}`, api_key: `key of ${name}` }
    const webhook_secret = 'the word of the header'
    const id = await connect(tenant, 'whatsapp', { api_base_url, ...phone, webhook_secret }, 'qr')
    const webhook = { webhook_url: `${base_url}/providers/whatsapp/${id}`, number: String(15_550_100_000 + ++lines) }
    await made(
      control('PUT', 'instances', { ...phone, ...webhook, webhook_headers: { 'X-Parley-Secret': webhook_secret } }),
    )
    return { instance: phone.instance }
  },
  async tiktok(tenant, name) {
    const account = { account_id: `business-${name}`, access_token: `act.${name}`, app_secret: `secret of ${name}` }
    const id = await connect(tenant, 'tiktok', { ...account, api_base_url })
    const webhook_url = `${base_url}/providers/tiktok/${id}`
    await made(control('PUT', 'accounts', { channel: 'tiktok', ...account, webhook_url }))
    return { account_id: account.account_id }
  },
  async email(tenant, name) {
    const address = `support-${name}@example.com`
    const inbound_secret = `the word of ${address}`
    const id = await connect(
      tenant,
      'email',
      { smtp_url: 'smtp://a:b@127.0.0.1:9', from: address, inbound_secret },
      'cloud',
    )
    const webhook_url = `${base_url}/providers/email/${id}`
    await made(control('PUT', 'mailboxes', { address, password: 'secret', inbound_secret, webhook_url }))
    return { account_id: address }
  },
}

const PEOPLE: Record<string, string> = { email: 'ana@example.com', tiktok: 'conversation-9' }

/** The table, without the echo: that is `parley simulate echo`. */
const page = readFileSync(join(root, 'docs/messaging.md'), 'utf8').split('<!-- inbound -->')[1]!
const [head, , ...body] = page.split('<!-- /inbound -->')[0]!.trim().split('\n').map(cellsOf)
const rows = body
  .map(([kind, ...cells]) => ({ kind: kind!.replaceAll(' ', '-'), cells }))
  .filter(({ kind }) => kind !== 'echo')

function cellsOf(line: string): string[] {
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())
}

t.test('the command knows each kind of the table, on each channel that has it', (t) => {
  for (const { kind, cells } of rows) {
    t.ok((kinds as readonly string[]).includes(kind), `--kind ${kind}`)
    for (const [at, cell] of cells.entries()) {
      const channel = head![at + 1]!
      // Visitors of the web chat write themselves.
      if (channel === 'web') continue
      const is_there = cell !== 'none there' && cell !== 'not told'
      t.equal(kindsOn(channel)!.includes(kind), is_there, `${kind} on ${channel}: ${cell}`)
    }
  }
  t.same(kindsOn('facebook'), kindsOn('messenger'))
  t.end()
})

/** The first bytes of each kind's file, from a place on. */
const FILES: Record<string, [at: number, begins: string]> = {
  'voice-note': [0, 'OggS'],
  video: [4, 'ftyp'],
  file: [0, '%PDF-'],
}

/** Resolves to that part of the file of the message, or of its attachment, once it was fetched. */
async function bytesOf(tenant: Tenant, { id, channel_id }: Json, [at, begins]: [number, string]): Promise<string> {
  const media_id = await eventually('the file is here', async () => {
    const { message } = await made(tenant.api('GET', `messages/${id}`))
    const file = message.attachments?.[0] ?? message
    return file.media_status !== 'pending' && file.media_id
  })
  const { text } = await tenant.api('GET', `media/${media_id}/download?phone_number_id=${channel_id}`)
  return text.slice(at, at + begins.length)
}

for (const [at, channel] of head!.slice(1).entries()) {
  if (channel === 'web') continue
  t.test(`${channel}: each kind arrives as the message that the table says`, async (t) => {
    const tenant = await makeTenant(world)
    const named = await CONNECT[channel]!(tenant, `${channel}-${process.pid}`)
    const from = PEOPLE[channel] ?? `1555${String(process.pid).slice(-4).padStart(4, '0')}${100 + at}`
    const inbound = (said: Json) => made(control('POST', 'inbound', { channel, from, ...named, ...said }))
    const newest = async (): Promise<Json> => (await made(tenant.api('GET', 'messages?limit=1'))).data[0]
    for (const kind of kindsOn(channel)!) {
      const { provider_message_id: about } = await inbound({ message: 'First' })
      const { webhook } = await inbound(inboundOf(channel, kind, { from, about }))
      t.equal(webhook.status, 200, kind)
      const message = await newest()
      t.notMatch(message.message, { body: 'First' }, `${kind} is stored`)
      const cell = rows.find((row) => row.kind === kind)?.cells[at]
      const type = /^`(\w+)`$/.exec(cell ?? '')?.[1]
      if (type) t.equal(message.type, type, kind)
      if (cell === 'with `context`') t.equal(message.context?.message_id, about, kind)
      const begins = FILES[kind]
      if (begins) t.equal(await bytesOf(tenant, message, begins), begins[1], `${kind} is a file of its type`)
      if (cell === 'as an attachment') t.equal(message.message.attachments?.length, 1, kind)
    }
  })
}

/**
 * Nothing that a provider tells is silent: what is known is read, and what is not is counted under a name, with the names of
 * its fields. What a person did is kept as well.
 */
import t from 'tap'
import { OutboundGuard } from '../../../actors/outbound/mod.ts'
import { Email } from '../../../actors/providers/email/mod.ts'
import { Evolution } from '../../../actors/providers/evolution/mod.ts'
import { ignoredField } from '../../../actors/providers/ignored.ts'
import { Instagram } from '../../../actors/providers/instagram/mod.ts'
import { Messenger } from '../../../actors/providers/messenger/mod.ts'
import type { Credentials, Inbound, Provider } from '../../../actors/providers/provider.ts'
import { signCall } from '../../../actors/providers/signed_call.ts'
import { Telegram } from '../../../actors/providers/telegram/mod.ts'
import { TikTok } from '../../../actors/providers/tiktok/mod.ts'
import { WhatsApp } from '../../../actors/providers/whatsapp/mod.ts'
import { NOW, reader } from './examples.ts'
import { signMeta } from './page_accounts.ts'
import { signTikTok } from './tiktok/account.ts'

type Json = Record<string, unknown>

/** `counted`: the names under which parts are counted. `kept`: the message that is kept, `null` for none. */
type Row = { what: string; call: Json; counted: string[]; kept?: Json | null }

const CREDENTIALS: Credentials = {
  app_secret: 'a-secret-of-the-app',
  webhook_secret: 'a-secret',
  instance: 'shop',
  account_id: '17',
  inbound_secret: 'a secret of sixteen',
  from: 'support@example.com',
}

const change = (field: string, value: Json): Json => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '1', changes: [{ field, value: { metadata: { phone_number_id: 'pn1' }, ...value } }] }],
})
const said = (message: Json) => change('messages', { messages: [{ from: '34600', id: 'wamid.1', ...message }] })

const whatsapp: Row[] = [
  { what: 'a text', call: said({ type: 'text', text: { body: 'Hi' } }), counted: [], kept: { type: 'text' } },
  {
    what: 'a type of message',
    call: said({ type: 'hologram', hologram: { url: 'https://a.example', depth: 3 } }),
    counted: ['messages.hologram'],
    kept: { type: 'unsupported', message: { kind: 'hologram', hologram: { depth: 3 } } },
  },
  {
    what: 'what stands beside messages',
    call: change('messages', { whispers: [{ id: 1 }] }),
    counted: ['messages.whispers'],
  },
  {
    what: 'a status',
    call: change('messages', { statuses: [{ id: 'w', status: 'warped' }] }),
    counted: ['statuses.warped'],
  },
  { what: 'a field', call: change('calls', { calls: [{ id: 'c' }] }), counted: ['calls'] },
  {
    what: 'an event of the account',
    call: change('account_update', { event: 'NEW' }),
    counted: ['account_update.NEW'],
  },
]

const page = (object: string, event: Json, field = 'messaging'): Json => ({
  object,
  entry: [{ id: '17', time: 1, [field]: [{ sender: { id: '6543' }, recipient: { id: '17' }, ...event }] }],
})

const pages = (object: string): Row[] => [
  { what: 'a text', call: page(object, { message: { mid: 'm', text: 'Hi' } }), counted: [], kept: { type: 'text' } },
  {
    what: 'an attachment',
    call: page(object, { message: { mid: 'm', attachments: [{ type: 'hologram', payload: { depth: 3 } }] } }),
    counted: ['message.attachments.hologram'],
    kept: { type: 'unsupported', message: { kind: 'hologram', depth: 3 } },
  },
  {
    what: 'a field of a message',
    call: page(object, { message: { mid: 'm', text: 'Hi', hologram: { depth: 3 } } }),
    counted: ['message.hologram'],
    kept: { type: 'text' },
  },
  {
    what: 'an event of a person',
    call: page(object, { hologram: { depth: 3 } }),
    counted: [],
    kept: { type: 'unsupported', message: { kind: 'hologram', hologram: { depth: 3 } } },
  },
  { what: 'a list of an entry', call: page(object, {}, 'whispers'), counted: ['entry.whispers'] },
]

const chat = { id: 518273640, type: 'private', first_name: 'Ana' }
const group = { id: -100, type: 'supergroup', title: 'All' }
const written = (content: Json): Json => ({
  update_id: 7,
  message: { message_id: 9, date: 1_790_000_000, chat, ...content },
})

const telegram: Row[] = [
  { what: 'a text', call: written({ text: 'Hi' }), counted: [], kept: { type: 'text' } },
  { what: 'a notice about the chat', call: written({ chat_background_set: {} }), counted: [] },
  {
    what: 'a content',
    call: written({ hologram: { depth: 3 } }),
    counted: [],
    kept: { type: 'unsupported', message: { kind: 'hologram', hologram: { depth: 3 } } },
  },
  {
    what: 'a field beside a text',
    call: written({ text: 'Hi', hologram: { depth: 3 } }),
    counted: ['message.hologram'],
    kept: { type: 'text' },
  },
  { what: 'a message of a group', call: written({ text: 'Hi', chat: group }), counted: ['message.supergroup'] },
  {
    what: 'a reaction in a group',
    call: { update_id: 7, message_reaction: { chat: group, message_id: 9, new_reaction: [] } },
    counted: ['message_reaction.supergroup'],
  },
  { what: 'an update', call: { update_id: 7, hologram_shared: { depth: 3 } }, counted: ['hologram_shared'] },
]

const posted = (event: string, content: Json): Json => ({
  event,
  user_openid: '17',
  content: JSON.stringify({ conversation_id: 'c', from_user: { id: 'p' }, message_id: 'm', ...content }),
})

const tiktok: Row[] = [
  {
    what: 'a text',
    call: posted('im_receive_msg', { type: 'text', text: { body: 'Hi' } }),
    counted: [],
    kept: { type: 'text' },
  },
  {
    what: 'a type of message',
    call: posted('im_receive_msg', { type: 'hologram', hologram: { depth: 3 } }),
    counted: ['im_receive_msg.hologram'],
    kept: { type: 'unsupported', message: { kind: 'hologram', hologram: { depth: 3 } } },
  },
  { what: 'an event', call: posted('im_new_thing', { thing: { any: 1 } }), counted: ['im_new_thing'] },
  { what: 'a receipt without its moment', call: posted('im_mark_read_msg', {}), counted: ['im_mark_read_msg'] },
]

const person = '5511999999999@s.whatsapp.net'
const told = (event: string, data: Json, instance = 'shop'): Json => ({ event, instance, data })
const phoned = (message: Json, remoteJid = person) =>
  told('messages.upsert', { key: { remoteJid, fromMe: false, id: 'A1' }, message })

const evolution: Row[] = [
  { what: 'a text', call: phoned({ conversation: 'Hi' }), counted: [], kept: { type: 'text' } },
  {
    what: 'a kind of message',
    call: phoned({ hologramMessage: { depth: 3 } }),
    counted: [],
    kept: { type: 'unsupported', message: { kind: 'hologramMessage', hologramMessage: { depth: 3 } } },
  },
  {
    what: 'a message of a group',
    call: phoned({ conversation: 'Hi' }, '120363150000000000@g.us'),
    counted: ['messages.upsert.group'],
  },
  { what: 'news of the address book', call: told('CONTACTS_UPDATE', { remoteJid: person }), counted: [] },
  { what: 'an event', call: told('hologram.shared', { depth: 3 }), counted: ['hologram.shared'] },
  {
    what: 'a receipt',
    call: told('messages.update', { keyId: 'A1', remoteJid: person, fromMe: true, status: 'WARPED' }),
    counted: ['messages.update.WARPED'],
  },
  {
    what: 'a state of the connection',
    call: told('connection.update', { state: 'dreaming' }),
    counted: ['connection.update'],
  },
  { what: 'another instance', call: told('messages.upsert', {}, 'other'), counted: ['other'] },
]

const mail = { message_id: '<1@example.com>', from: { address: 'ana@example.com' }, text: 'Hi' }
const email: Row[] = [
  { what: 'a mail', call: mail, counted: [], kept: { type: 'text' } },
  { what: 'a field', call: { ...mail, hologram: { depth: 3 } }, counted: ['hologram'], kept: { type: 'text' } },
]

type Sign = (raw: string, credentials: Credentials) => string
const secret: Sign = () => 'a-secret'
const guard = new OutboundGuard({})
const open = () => Promise.reject(new Error('no file is opened'))

const PROVIDERS: [name: string, Provider, Sign, Row[]][] = [
  ['WhatsApp', new WhatsApp(), signMeta, whatsapp],
  ['Messenger', new Messenger(), signMeta, pages('page')],
  ['Instagram', new Instagram(), signMeta, pages('instagram')],
  ['Telegram', new Telegram(), secret, telegram],
  ['TikTok', new TikTok(), signTikTok, tiktok],
  ['a paired phone', new Evolution(), secret, evolution],
  ['e-mail', new Email({ guard, open }), (raw) => signCall(CREDENTIALS.inbound_secret!, raw, NOW), email],
]

for (const [name, provider, sign, rows] of PROVIDERS) {
  t.test(`${name}: an unknown part is counted, and kept where a person wrote it`, async (t) => {
    t.teardown(() => provider.close())
    const read = reader(provider, CREDENTIALS, sign)
    for (const { what, call, counted, kept } of rows) {
      const items = read(call)
      const ignored = items.filter((item) => item.kind === 'ignored')
      t.same(
        ignored.map(({ name }) => name),
        counted,
        what,
      )
      t.notMatch(JSON.stringify(ignored), /https|Hi/, `${what}: names alone`)
      const messages = items.filter((item: Inbound) => item.kind === 'message')
      t.equal(messages.length, kept ? 1 : 0, what)
      if (kept) t.match(messages[0], kept, what)
    }
  })
}

t.test('a sample names the fields of the part, and neither contents nor names that are contents', async (t) => {
  const provider = new WhatsApp()
  t.teardown(() => provider.close())
  const calls = [{ id: 'wacid.1', session: { sdp: 'v=0', deeper: { than: { this: 1 } } }, '34600123456': true }]
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`f_${n}`, n]))
  const read = reader(provider, CREDENTIALS, signMeta)
  const fields = (value: Json) =>
    read(change('calls', value)).flatMap((item) => (item.kind === 'ignored' ? item.sample_fields : []))
  t.same(fields({ calls, metadata: null }), [
    ...['metadata', 'calls', 'calls[].id', 'calls[].session', 'calls[].session.sdp', 'calls[].session.deeper'],
    'calls[].*',
  ])
  t.ok(fields(many).length <= 20, 'a bounded number')
})

t.test('a sample costs little, however deep and wide the part is', async (t) => {
  const provider = new Email({ guard, open })
  t.teardown(() => provider.close())
  const read = reader(provider, CREDENTIALS, (raw) => signCall(CREDENTIALS.inbound_secret!, raw, NOW))
  const lists = (levels: number) => JSON.parse(`${'['.repeat(levels)}{"id":1}${']'.repeat(levels)}`)
  const fields = (nested: unknown) =>
    read({ ...mail, nested }).flatMap((item) => (item.kind === 'ignored' ? item.sample_fields : []))
  t.same(fields(lists(2)), ['[][].id'])
  t.same(fields(JSON.parse(`{"a":${'['.repeat(100)}${']'.repeat(100)}}`)), ['a'])
  t.same(fields(lists(120)), [], 'names of a bounded length')
  const numbers = Object.fromEntries(Array.from({ length: 30_000 }, (_, n) => [`n_${10_000 + n}`, {}]))
  t.same(fields(numbers), ['*'])
  let looked_at = 0
  const watched = new Proxy(numbers, {
    get(all, name: string) {
      looked_at++
      return all[name]
    },
  })
  t.same(ignoredField('numbers', null, watched).sample_fields, ['*'])
  t.ok(looked_at <= 100, `${looked_at} fields`)
  const deepest = JSON.parse('['.repeat(400_000) + ']'.repeat(400_000))
  t.same(ignoredField('nested', null, deepest).sample_fields, [])
})

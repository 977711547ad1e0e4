/**
 * What a person can send on each channel: every kind of content, as providers tell it, and the message that it becomes.
 * The table in docs/messaging.md is this one; `TAP_SNAPSHOT=1` writes it.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { OutboundGuard } from '../../actors/outbound/mod.ts'
import { Email } from '../../actors/providers/email/mod.ts'
import { Evolution } from '../../actors/providers/evolution/mod.ts'
import { Instagram } from '../../actors/providers/instagram/mod.ts'
import { Messenger } from '../../actors/providers/messenger/mod.ts'
import type { Credentials, Inbound, Provider } from '../../actors/providers/provider.ts'
import { signCall } from '../../actors/providers/signed_call.ts'
import { Telegram } from '../../actors/providers/telegram/mod.ts'
import { TikTok } from '../../actors/providers/tiktok/mod.ts'
import { Web } from '../../actors/providers/web/mod.ts'
import { WhatsApp } from '../../actors/providers/whatsapp/mod.ts'
import { NOW, reader } from '../actors/providers/examples.ts'
import { signMeta } from '../actors/providers/page_accounts.ts'
import { signTikTok } from '../actors/providers/tiktok/account.ts'
import { root } from '../support/root.ts'

type Json = Record<string, unknown>

const KINDS = [
  'text',
  'quote',
  'picture',
  'voice note',
  'video',
  'file',
  'sticker',
  'location',
  'contact',
  'reaction',
  'edit',
  'withdrawal',
  'echo',
] as const
type Kind = (typeof KINDS)[number]

/** A call and what it becomes, or the reason why there is none. */
type Cell = { call: Json; is: string } | string

const url = 'https://cdn.example.com/file'

const change = (field: string, value: Json): Json => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '1',
      changes: [{ field, value: { messaging_product: 'whatsapp', metadata: { phone_number_id: 'pn1' }, ...value } }],
    },
  ],
})
const said = (type: string, content: unknown, more: Json = {}) =>
  change('messages', {
    contacts: [{ wa_id: '34600', profile: { name: 'Ana' } }],
    messages: [{ from: '34600', id: 'wamid.1', timestamp: '1790000000', type, [type]: content, ...more }],
  })
const file = (mime_type: string, more: Json = {}) => ({ id: '1', mime_type, sha256: 'c2hhMjU2', ...more })

const whatsapp: Record<Kind, Cell> = {
  text: { call: said('text', { body: 'Hi' }), is: 'text' },
  quote: { call: said('text', { body: 'That one' }, { context: { from: '15550', id: 'wamid.0' } }), is: 'text' },
  picture: { call: said('image', file('image/jpeg', { caption: 'Look' })), is: 'image' },
  'voice note': { call: said('audio', file('audio/ogg; codecs=opus', { voice: true })), is: 'audio' },
  video: { call: said('video', file('video/mp4')), is: 'video' },
  file: { call: said('document', file('application/pdf', { filename: 'a.pdf' })), is: 'document' },
  sticker: { call: said('sticker', file('image/webp', { animated: false })), is: 'sticker' },
  location: { call: said('location', { latitude: 40.4, longitude: -3.7, name: 'Shop' }), is: 'location' },
  contact: {
    call: said('contacts', [{ name: { formatted_name: 'Bo' }, phones: [{ phone: '+34 611' }] }]),
    is: 'contacts',
  },
  reaction: { call: said('reaction', { message_id: 'wamid.0', emoji: '👍' }), is: 'reaction' },
  edit: {
    call: said('edit', { original_message_id: 'wamid.0', message: { type: 'text', text: { body: 'Hello' } } }),
    is: 'edit',
  },
  withdrawal: { call: said('revoke', { original_message_id: 'wamid.0' }), is: 'revoke' },
  echo: {
    call: change('smb_message_echoes', {
      message_echoes: [
        { from: '15550', to: '34600', id: 'wamid.2', timestamp: '1790000000', type: 'text', text: { body: 'Hi' } },
      ],
    }),
    is: 'text',
  },
}

const person = '5511999999999@s.whatsapp.net'
const phoned = (message: Json, key: Json = {}): Json => ({
  event: 'messages.upsert',
  instance: 'shop',
  data: {
    key: { remoteJid: person, fromMe: false, id: 'A1', ...key },
    pushName: 'Ana',
    message,
    messageTimestamp: 1_790_000_000,
  },
})
const former = { remoteJid: person, fromMe: false, id: 'A0' }

const evolution: Record<Kind, Cell> = {
  text: { call: phoned({ conversation: 'Hi' }), is: 'text' },
  quote: {
    call: phoned({ extendedTextMessage: { text: 'That one', contextInfo: { stanzaId: 'A0', participant: person } } }),
    is: 'text',
  },
  picture: { call: phoned({ imageMessage: { url, mimetype: 'image/jpeg', caption: 'Look' } }), is: 'image' },
  'voice note': { call: phoned({ audioMessage: { url, mimetype: 'audio/ogg; codecs=opus', ptt: true } }), is: 'audio' },
  video: { call: phoned({ videoMessage: { url, mimetype: 'video/mp4' } }), is: 'video' },
  file: { call: phoned({ documentMessage: { url, mimetype: 'application/pdf', fileName: 'a.pdf' } }), is: 'document' },
  sticker: { call: phoned({ stickerMessage: { url, mimetype: 'image/webp' } }), is: 'sticker' },
  location: { call: phoned({ locationMessage: { degreesLatitude: 40.4, degreesLongitude: -3.7 } }), is: 'location' },
  contact: {
    call: phoned({
      contactMessage: { displayName: 'Bo', vcard: 'BEGIN:VCARD\nVERSION:3.0\nFN:Bo\nTEL:+34611\nEND:VCARD' },
    }),
    is: 'contacts',
  },
  reaction: { call: phoned({ reactionMessage: { key: former, text: '👍' } }), is: 'reaction' },
  edit: {
    call: phoned({ protocolMessage: { key: former, type: 'MESSAGE_EDIT', editedMessage: { conversation: 'Hello' } } }),
    is: 'edit',
  },
  withdrawal: { call: phoned({ protocolMessage: { key: former, type: 'REVOKE' } }), is: 'revoke' },
  echo: { call: phoned({ conversation: 'Hi' }, { fromMe: true }), is: 'text' },
}

const page = (object: string, event: Json, is_echo = false): Json => {
  const [sender, recipient] = is_echo ? ['17', '6543'] : ['6543', '17']
  const messaging = [{ sender: { id: sender }, recipient: { id: recipient }, timestamp: 1_790_000_000_000, ...event }]
  return { object, entry: [{ id: '17', time: 1_790_000_000_000, messaging }] }
}
const attached = (object: string, type: string, payload: Json = { url }) =>
  page(object, { message: { mid: 'm1', attachments: [{ type, payload }] } })

function pages(object: 'instagram' | 'page'): Record<Kind, Cell> {
  const is_instagram = object === 'instagram'
  return {
    text: { call: page(object, { message: { mid: 'm1', text: 'Hi' } }), is: 'text' },
    quote: { call: page(object, { message: { mid: 'm1', text: 'That one', reply_to: { mid: 'm0' } } }), is: 'text' },
    picture: { call: attached(object, 'image'), is: 'image' },
    'voice note': { call: attached(object, 'audio'), is: 'audio' },
    video: { call: attached(object, 'video'), is: 'video' },
    file: is_instagram ? 'none there' : { call: attached(object, 'file'), is: 'document' },
    sticker: is_instagram
      ? { call: attached(object, 'image', { url, sticker_id: 369_239_263_222_822 }), is: 'sticker' }
      : { call: attached(object, 'image', { url, sticker_id: 369_239_263_222_822 }), is: 'sticker' },
    location: is_instagram
      ? 'none there'
      : { call: attached(object, 'location', { coordinates: { lat: 40.4, long: -3.7 } }), is: 'location' },
    contact: is_instagram ? 'none there' : 'none there',
    reaction: {
      call: page(object, { reaction: { mid: 'm0', action: 'react', reaction: 'love', emoji: '❤' } }),
      is: 'reaction',
    },
    edit: { call: page(object, { message_edit: { mid: 'm0', text: 'Hello', num_edit: 1 } }), is: 'edit' },
    withdrawal: is_instagram
      ? { call: page(object, { message: { mid: 'm0', is_deleted: true } }), is: 'revoke' }
      : { call: page(object, { message: { mid: 'm0', is_deleted: true } }), is: 'revoke' },
    echo: { call: page(object, { message: { mid: 'm2', text: 'Hi', is_echo: true } }, true), is: 'text' },
  }
}

const chat = { id: 518_273_640, type: 'private', first_name: 'Ana' }
const ana = { id: 518_273_640, is_bot: false, first_name: 'Ana' }
const written = (content: Json): Json => ({
  update_id: 7,
  message: { message_id: 9, date: 1_790_000_000, from: ana, chat, ...content },
})
const stored = (more: Json = {}) => ({ file_id: 'AgAC', file_unique_id: 'u1', file_size: 1000, ...more })

const telegram: Record<Kind, Cell> = {
  text: { call: written({ text: 'Hi' }), is: 'text' },
  quote: {
    call: written({
      text: 'That one',
      reply_to_message: { message_id: 8, date: 1, chat, text: 'One. Two.' },
      quote: { text: 'Two.', position: 5 },
    }),
    is: 'text',
  },
  picture: {
    call: written({ photo: [stored({ width: 90, height: 60 }), stored({ width: 900, height: 600 })] }),
    is: 'image',
  },
  'voice note': { call: written({ voice: stored({ duration: 3, mime_type: 'audio/ogg' }) }), is: 'audio' },
  video: {
    call: written({ video: stored({ duration: 3, width: 1, height: 1, mime_type: 'video/mp4' }) }),
    is: 'video',
  },
  file: { call: written({ document: stored({ file_name: 'a.pdf', mime_type: 'application/pdf' }) }), is: 'document' },
  sticker: { call: written({ sticker: stored({ type: 'regular', emoji: '😀', width: 1, height: 1 }) }), is: 'sticker' },
  location: { call: written({ location: { latitude: 40.4, longitude: -3.7 } }), is: 'location' },
  contact: { call: written({ contact: { phone_number: '+34611', first_name: 'Bo' } }), is: 'contacts' },
  reaction: {
    call: {
      update_id: 7,
      message_reaction: {
        chat,
        message_id: 8,
        user: ana,
        date: 1_790_000_000,
        old_reaction: [],
        new_reaction: [{ type: 'emoji', emoji: '👍' }],
      },
    },
    is: 'reaction',
  },
  edit: {
    call: {
      update_id: 7,
      edited_message: { message_id: 8, date: 1_790_000_000, edit_date: 1_790_000_009, from: ana, chat, text: 'Hello' },
    },
    is: 'edit',
  },
  withdrawal: {
    call: { update_id: 7, deleted_business_messages: { business_connection_id: 'b', chat, message_ids: [8] } },
    is: 'revoke',
  },
  echo: {
    call: {
      update_id: 7,
      business_message: {
        ...{ business_connection_id: 'b', message_id: 9, date: 1_790_000_000, chat, text: 'Hi' },
        from: { id: 1, is_bot: false, first_name: 'Owner' },
      },
    },
    is: 'text',
  },
}

const posted = (event: string, content: Json): Json => ({
  client_key: 'k',
  event,
  create_time: 1_790_000_000,
  user_openid: '17',
  content: JSON.stringify({ conversation_id: 'c', from_user: { id: 'p' }, message_id: 'm', ...content }),
})

const tiktok: Record<Kind, Cell> = {
  text: { call: posted('im_receive_msg', { type: 'text', text: { body: 'Hi' } }), is: 'text' },
  quote: 'not told',
  picture: { call: posted('im_receive_msg', { type: 'image', image: { media_id: 'v1' } }), is: 'image' },
  'voice note': 'none there',
  video: { call: posted('im_receive_msg', { type: 'video', video: { media_id: 'v1' } }), is: 'video' },
  file: 'none there',
  sticker: { call: posted('im_receive_msg', { type: 'sticker', sticker: {} }), is: 'sticker' },
  location: 'none there',
  contact: 'none there',
  reaction: 'not told',
  edit: 'none there',
  withdrawal: 'not told',
  echo: {
    call: posted('im_send_msg', { type: 'text', text: { body: 'Hi' }, from_user: { id: '17' }, to_user: { id: 'p' } }),
    is: 'text',
  },
}

const said_by = (said: Json, file?: Json): Json => ({
  user_id: 'v1',
  at: NOW.toISOString(),
  said: { id: 'page-0001', ...said },
  ...(file && { file }),
})
const uploaded = (type: string, mime_type: string) =>
  said_by(
    { type: 'file', file: 'x' },
    { media_id: 'a'.repeat(24), type, mime_type, filename: 'a', file_size: 10, sha256: '00' },
  )

const web: Record<Kind, Cell> = {
  text: { call: said_by({ type: 'text', body: 'Hi' }), is: 'text' },
  quote: 'none there',
  picture: { call: uploaded('image', 'image/jpeg'), is: 'image' },
  'voice note': { call: uploaded('audio', 'audio/ogg'), is: 'audio' },
  video: { call: uploaded('video', 'video/mp4'), is: 'video' },
  file: { call: uploaded('document', 'application/pdf'), is: 'document' },
  sticker: 'none there',
  location: 'none there',
  contact: 'none there',
  reaction: { call: said_by({ type: 'reaction', about: 'web-msg_1', emoji: '👍' }), is: 'reaction' },
  edit: 'none there',
  withdrawal: 'none there',
  echo: 'none there',
}

const mail = (more: Json = {}): Json => ({
  message_id: '<1@example.com>',
  from: { address: 'ana@example.com' },
  to: [{ address: 'support@example.com' }],
  subject: 'Order',
  text: 'Hi',
  ...more,
})
const carried = (content_type: string, filename: string) =>
  mail({ attachments: [{ filename, content_type, size: 10, url }] })

const email: Record<Kind, Cell> = {
  text: { call: mail(), is: 'text' },
  quote: { call: mail({ in_reply_to: '<0@example.com>', references: ['<0@example.com>'] }), is: 'text' },
  picture: { call: carried('image/jpeg', 'a.jpg'), is: 'text' },
  'voice note': { call: carried('audio/ogg', 'a.ogg'), is: 'text' },
  video: { call: carried('video/mp4', 'a.mp4'), is: 'text' },
  file: { call: carried('application/pdf', 'a.pdf'), is: 'text' },
  sticker: 'none there',
  location: 'none there',
  contact: { call: carried('text/vcard', 'bo.vcf'), is: 'text' },
  reaction: 'none there',
  edit: 'none there',
  withdrawal: 'none there',
  echo: {
    call: mail({ from: { address: 'support@example.com' }, to: [{ address: 'ana@example.com' }] }),
    is: 'text',
  },
}

const CREDENTIALS: Credentials = {
  app_secret: 'a-secret-of-the-app',
  webhook_secret: 'a-secret',
  visitor_secret: 'a secret of visitors',
  instance: 'shop',
  account_id: '17',
  inbound_secret: 'a secret of sixteen',
  from: 'support@example.com',
}

type Sign = (raw: string, credentials: Credentials) => string
const secret: Sign = () => 'a-secret'
const guard = new OutboundGuard({})
const open = () => Promise.reject(new Error('no file is opened'))

const CHANNELS: [name: string, Provider, Sign, Record<Kind, Cell>][] = [
  ['whatsapp', new WhatsApp(), signMeta, whatsapp],
  ['whatsapp_qr', new Evolution(), secret, evolution],
  ['instagram', new Instagram(), signMeta, pages('instagram')],
  ['messenger', new Messenger(), signMeta, pages('page')],
  ['telegram', new Telegram(), secret, telegram],
  ['web', new Web({} as never), (raw) => signCall(CREDENTIALS.visitor_secret!, raw, NOW), web],
  ['email', new Email({ guard, open }), (raw) => signCall(CREDENTIALS.inbound_secret!, raw, NOW), email],
  ['tiktok', new TikTok(), signTikTok, tiktok],
]

/** Channels whose files come beside a text. */
const BESIDE = ['picture', 'voice note', 'video', 'file', 'contact']

for (const [name, provider, sign, cells] of CHANNELS) {
  t.test(`${name}: each kind of content becomes one message`, (t) => {
    t.teardown(() => provider.close())
    const read = reader(provider, CREDENTIALS, sign)
    for (const kind of KINDS) {
      const cell = cells[kind]
      if (typeof cell === 'string') continue
      const items = read(cell.call)
      t.equal(items.length, 1, `${kind}: ${JSON.stringify(items)}`)
      const [item] = items as [Inbound & { context?: unknown; files?: unknown[] }]
      t.match(item, { kind: kind === 'echo' ? 'echo' : 'message', type: cell.is }, kind)
      if (kind === 'quote') t.ok(item.context, 'the quoted message is named')
      if (name === 'email' && BESIDE.includes(kind)) t.equal(item.files?.length, 1, `${kind}: the file`)
    }
    t.end()
  })
}

t.test('docs/messaging.md shows the table', (t) => {
  const columns = CHANNELS.map(([name]) => name)
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const shown = (kind: Kind, channel: string, cell: Cell) => {
    if (typeof cell === 'string') return cell
    if (kind === 'echo') return 'yes'
    if (kind === 'quote') return 'with `context`'
    return channel === 'email' && BESIDE.includes(kind) ? 'as an attachment' : `\`${cell.is}\``
  }
  const rows = KINDS.map((kind) => line([kind, ...CHANNELS.map(([name, , , cells]) => shown(kind, name, cells[kind]))]))
  const table = [line(['', ...columns]), line(['---', ...columns.map(() => '---')]), ...rows].join('\n')
  const path = join(root, 'docs/messaging.md')
  const page = readFileSync(path, 'utf8')
  const [before, rest = ''] = page.split('<!-- inbound -->')
  const [, after] = rest.split('<!-- /inbound -->')
  const whole = `${before}<!-- inbound -->\n${table}\n<!-- /inbound -->${after}`
  if (process.env.TAP_SNAPSHOT === '1') writeFileSync(path, whole)
  else t.equal(page, whole, 'run `TAP_SNAPSHOT=1 npm test -- test/inputs/inbound_kinds.test.ts` to write it again')
  t.end()
})

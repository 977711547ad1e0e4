import { readFileSync } from 'node:fs'
import t from 'tap'
import { readEvent } from '../../../../actors/providers/evolution/event.ts'
import { phonesOf } from '../../../../actors/providers/evolution/vcard.ts'
import type { Account } from '../../../../actors/providers/provider.ts'

type Json = Record<string, unknown>

const NOW = new Date('2026-11-21T12:00:00Z')
const issues = JSON.parse(readFileSync(new URL('../fixtures/evolution_issues.json', import.meta.url), 'utf8')) as {
  events: Record<string, Json>
}

const read = (event: Json, instance = event.instance as string) => {
  const account: Account = { channel_id: 'c', name: 'Phone', provider_account_id: null, credentials: { instance } }
  return readEvent(JSON.stringify(event), account, NOW)
}

const upsert = (key: object, message: object = { conversation: 'Hi' }) => ({
  event: 'messages.upsert',
  instance: 'shop',
  sender: '5511988887777@s.whatsapp.net',
  data: { key: { fromMe: false, id: 'A1', ...key }, pushName: 'Ana', message, messageTimestamp: 1773027345 },
})

t.test('bodies from the issues of the gateway are read', async (t) => {
  const { issue_1764_message_with_a_hidden_number: hidden, issue_2010_deleted, issue_2010_read } = issues.events
  t.match(read(hidden!), [
    {
      kind: 'message',
      user_id: null,
      bsuid: '103899771998284@lid',
      name: 'Helô Lucarello',
      message: { type: 'text', body: 'Vou pensar e retorno. Muito obrigada por enquanto!' },
      value: { contacts: [{ user_id: '103899771998284@lid', wa_id: undefined }] },
    },
  ])
  for (const theirs of [issue_2010_deleted, issue_2010_read])
    t.strictSame(read(theirs!), [], 'what became of a message of the person')
  const other = [{ kind: 'ignored', what: 'account', name: 'Whatsapp' }]
  t.match(read(hidden!, 'another'), other, 'an event of another phone of the gateway')
})

t.test('an event tells the sender in each of its forms', async (t) => {
  const number = '5511999999999@s.whatsapp.net'
  const lid = '103899771998284@lid'
  const cases: [string, object, object | string][] = [
    ['a number', { remoteJid: number }, { user_id: '5511999999999', bsuid: null }],
    ['a number and its device', { remoteJid: '5511999999999:12@s.whatsapp.net' }, { user_id: '5511999999999' }],
    [
      'a number beside a hidden address',
      { remoteJid: lid, remoteJidAlt: number },
      { user_id: '5511999999999', bsuid: lid },
    ],
    ['the other way round', { remoteJid: number, remoteJidAlt: lid }, { user_id: '5511999999999', bsuid: lid }],
    ['as 2.3.0 has it', { remoteJid: lid, senderPn: number }, { user_id: '5511999999999', bsuid: lid }],
    ['a group', { remoteJid: '120363150000000000@g.us', participant: number }, 'group'],
    ['a status', { remoteJid: 'status@broadcast', participant: number }, 'broadcast'],
    ['a channel', { remoteJid: '120363123456789@newsletter' }, 'newsletter'],
    ['the phone itself', { remoteJid: '5511988887777@s.whatsapp.net', fromMe: true }, 'self'],
  ]
  for (const [name, key, person] of cases) {
    const items = read(upsert(key))
    if (typeof person === 'string') t.match(items, [{ kind: 'ignored', name: `messages.upsert.${person}` }], name)
    else t.match(items, [{ kind: 'message', provider_message_id: 'A1', at: new Date(1773027345_000), ...person }], name)
  }
  const own = read(upsert({ remoteJid: lid, fromMe: true, senderPn: '5511988887777@s.whatsapp.net' }))
  const about = { kind: 'echo', origin: 'phone', opaque: null, name: null, user_id: null, bsuid: lid }
  t.match(own, [{ ...about, message: { body: 'Hi' }, value: { messages: [{ to: lid, from: undefined }] } }])
  t.match(read(upsert({ remoteJid: number })), [
    {
      value: {
        messaging_product: 'whatsapp',
        metadata: { phone_number_id: 'shop', display_phone_number: '5511988887777' },
        contacts: [{ wa_id: '5511999999999', profile: { name: 'Ana' } }],
        messages: [{ from: '5511999999999', id: 'A1', timestamp: '1773027345', type: 'text', text: { body: 'Hi' } }],
      },
    },
  ])
})

t.test('sent messages are recognised from each version of the gateway', async (t) => {
  const id = '3EB066F2A0C1D4E5F60718293A4D'
  const remoteJid = '5511999999999@s.whatsapp.net'
  const opaque = 'msg_66f2a0c1d4e5f60718293a4d'
  const update = (data: unknown) => ({ event: 'messages.update', instance: 'shop', data })
  const words = { SERVER_ACK: 'sent', DELIVERY_ACK: 'delivered', READ: 'read', PLAYED: 'read', ERROR: 'failed' }
  for (const [word, status] of Object.entries(words)) {
    const expected = [{ kind: 'status', status, provider_message_id: id, opaque, at: NOW, raw: null }]
    t.match(read(update({ keyId: id, remoteJid, fromMe: true, status: word })), expected, word)
    t.match(read(update([{ key: { id, remoteJid, fromMe: true }, update: { status: word } }])), expected, word)
  }
  const failed = read(update({ keyId: id, remoteJid, fromMe: true, status: 'ERROR' }))
  t.match(failed, [{ error: { code: 'ERROR', message: /./ } }])
  for (const nothing of [
    { keyId: id, remoteJid, fromMe: true, status: 'PENDING' },
    { keyId: id, remoteJid, fromMe: false, status: 'READ' },
    { keyId: id, remoteJid: '1203@g.us', fromMe: true, status: 'READ' },
  ])
    t.strictSame(read(update(nothing)), [], JSON.stringify(nothing))
  const nameless = read(update({ remoteJid, fromMe: true, status: 'READ' }))
  t.match(nameless, [{ kind: 'ignored', name: 'messages.update.READ' }])
  const sent = [{ kind: 'status', status: 'sent', provider_message_id: id, opaque, at: new Date(1773027345_000) }]
  t.match(read({ ...upsert({ remoteJid, fromMe: true, id }), event: 'send.message' }), sent)
  t.match(read(upsert({ remoteJid, fromMe: true, id })), sent)
  t.match(read({ ...update({ keyId: id, remoteJid, fromMe: true, status: 'READ' }), event: 'MESSAGES_UPDATE' }), [
    { status: 'read' },
  ])
})

t.test('events tell the connection of the phone', async (t) => {
  const event = (event: string, data: object) => read({ event, instance: 'shop', data: { instance: 'shop', ...data } })
  t.match(event('connection.update', { state: 'open', statusReason: 200 }), [
    { kind: 'account', status: 'connected', reason: null },
  ])
  t.strictSame(event('connection.update', { state: 'connecting', statusReason: 200 }), [])
  const reasons = [
    [{ state: 'close', statusReason: 401 }, /unlinked/],
    [{ state: 'close', statusReason: 403 }, /barred/],
    [{ state: 'refused', statusReason: 428 }, /closed/],
    [{ state: 'close', statusReason: 499 }, /not connected.*499/],
    [{ state: 'close' }, /not connected/],
  ] as const
  for (const [data, reason] of reasons)
    t.match(event('connection.update', data), [{ kind: 'account', status: 'disconnected', reason }])
  t.match(event('qrcode.updated', { qrcode: { code: '2@x', base64: 'data:image/png;base64,' } }), [
    { kind: 'account', status: 'disconnected', reason: /scan the QR code/ },
  ])
  t.match(event('qrcode.updated', { message: 'QR code limit reached, please login again', statusCode: 500 }), [
    { status: 'disconnected', reason: /not scanned in time/ },
  ])
  t.strictSame(event('presence.update', { id: '1' }), [])
})

t.test('messages for devices alone are ignored', async (t) => {
  const remoteJid = '5511999999999@s.whatsapp.net'
  const silent = [
    { protocolMessage: { type: 'EPHEMERAL_SETTING', key: { id: 'A0' } } },
    { protocolMessage: { type: 'REVOKE' } },
    { albumMessage: { expectedImageCount: 2 } },
    { senderKeyDistributionMessage: { groupId: '1' }, messageContextInfo: {} },
    {},
  ]
  for (const message of silent) t.strictSame(read(upsert({ remoteJid }, message)), [], JSON.stringify(message))
})

t.test('phone numbers of a vCard are read', async (t) => {
  const lines = [
    'TEL;type=CELL;waid=34600000000:+34 600 000 000',
    'item1.TEL:+1 555',
    'TEL;VALUE=uri:tel:+1-555-7',
    'EMAIL:a@example.com',
    'NOTE:TEL:no',
  ]
  t.strictSame(phonesOf(lines.join('\r\n')), [
    { phone: '+34 600 000 000', wa_id: '34600000000', type: 'CELL' },
    { phone: '+1 555' },
    { phone: '+1-555-7' },
  ])
})

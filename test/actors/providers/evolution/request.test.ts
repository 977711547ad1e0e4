import t from 'tap'
import { keyIdOf, opaqueOf } from '../../../../actors/providers/evolution/message_id.ts'
import { buildRequest } from '../../../../actors/providers/evolution/request.ts'
import type { Payload } from '../../../../actors/providers/payload.ts'
import type { BuildOptions } from '../../../../actors/providers/provider.ts'

const OPTIONS: BuildOptions = {
  account: { channel_id: 'c', name: 'Phone', provider_account_id: 'shop', credentials: {} },
  to: '5511999999999',
  opaque: 'msg_66f2a0c1d4e5f60718293a4d',
  fileOf: (media_id) => ({
    media_id,
    provider_media_id: null,
    link: media_id === 'received' ? '' : 'https://files.example.com/1',
    mime_type: 'application/pdf',
    filename: 'bill.pdf',
  }),
}
const build = (message: Payload, options: Partial<BuildOptions> = {}) =>
  JSON.parse(JSON.stringify(buildRequest(message, { ...OPTIONS, ...options })))

const link = 'https://example.com/files/cat.pdf?v=2'

t.test('each message is one call of the gateway, under an id made from ours', async (t) => {
  const head = { number: '5511999999999', messageId: '3EB066F2A0C1D4E5F60718293A4D' }
  const cases: [Payload, string, object][] = [
    [{ type: 'text', body: 'Hi' }, 'sendText', { text: 'Hi', linkPreview: false }],
    [{ type: 'text', body: 'Hi', preview_url: true }, 'sendText', { text: 'Hi', linkPreview: true }],
    [{ type: 'image', link, caption: 'A' }, 'sendMedia', { mediatype: 'image', media: link, caption: 'A' }],
    [{ type: 'video', link }, 'sendMedia', { mediatype: 'video', media: link }],
    [{ type: 'audio', link }, 'sendMedia', { mediatype: 'audio', media: link }],
    [{ type: 'audio', link, voice: true }, 'sendWhatsAppAudio', { audio: link }],
    [{ type: 'document', link }, 'sendMedia', { mediatype: 'document', media: link, fileName: 'cat.pdf' }],
    [
      { type: 'document', link: 'https://example.com/', filename: 'a.pdf' },
      'sendMedia',
      { mediatype: 'document', media: 'https://example.com/', fileName: 'a.pdf' },
    ],
    [
      { type: 'document', link: 'https://example.com/' },
      'sendMedia',
      { mediatype: 'document', media: 'https://example.com/', fileName: 'file' },
    ],
    [
      { type: 'document', media_id: 'med_1' },
      'sendMedia',
      {
        mediatype: 'document',
        media: 'https://files.example.com/1',
        fileName: 'bill.pdf',
        mimetype: 'application/pdf',
      },
    ],
    [{ type: 'sticker', link }, 'sendSticker', { sticker: link }],
    [
      { type: 'location', latitude: 1, longitude: 2, name: 'A' },
      'sendLocation',
      { latitude: 1, longitude: 2, name: 'A' },
    ],
    [
      {
        type: 'contacts',
        contacts: [
          {
            name: { formatted_name: 'Ana Díaz' },
            phones: [{ phone: '+34 600-000-000' }, { phone: '+1555' }],
            emails: [{ email: 'ana@example.com' }],
            org: { company: 'Shop' },
          },
        ],
      },
      'sendContact',
      {
        contact: [
          {
            fullName: 'Ana Díaz',
            wuid: '34600000000',
            phoneNumber: '+34 600-000-000',
            organization: 'Shop',
            email: 'ana@example.com',
          },
        ],
      },
    ],
  ]
  for (const [message, operation, body] of cases)
    t.strictSame(build(message), { operation, body: { ...head, ...body } }, JSON.stringify(message))
  const quoting = build({ type: 'text', body: 'Hi' }, { context: { message_id: 'ABC' }, to: '+5511999999999' })
  t.match(quoting.body, { number: '5511999999999', quoted: { key: { id: 'ABC' } } })
})

t.test('a reaction names the chat and the author of its message', async (t) => {
  const keyOf = (message_id: string, to = '5511999999999') =>
    build({ type: 'reaction', message_id, emoji: '👍' }, { to }).body.key
  const chat = '5511999999999@s.whatsapp.net'
  t.strictSame(keyOf('A5561E44C2A63682E4295B52F484C14E'), {
    remoteJid: chat,
    fromMe: false,
    id: 'A5561E44C2A63682E4295B52F484C14E',
  })
  t.strictSame(keyOf('3EB066F2A0C1D4E5F60718293A4D'), {
    remoteJid: chat,
    fromMe: true,
    id: '3EB066F2A0C1D4E5F60718293A4D',
  })
  t.match(keyOf('ABC', '103899771998284@lid'), { remoteJid: '103899771998284@lid' }, 'a person without a number')
})

t.test('our id goes out as the id of the message and comes back', async (t) => {
  t.equal(opaqueOf(keyIdOf(OPTIONS.opaque)), OPTIONS.opaque)
  for (const other of ['3EB0C431C26A1916E07E', 'A5561E44C2A63682E4295B52F484C14E', '3EB066f2a0c1d4e5f60718293a4d', ''])
    t.equal(opaqueOf(other), null, `${other} is not ours`)
})

t.test('a message that a paired phone cannot send is refused with a remedy', async (t) => {
  const refusal = (path: string) => ({ name: 'Refusal', code: 'MESSAGE_NOT_ACCEPTED_BY_CHANNEL', details: { path } })
  const ana = { name: { formatted_name: 'Ana' }, phones: [{ phone: '+1555' }] }
  const nobody: Payload = { type: 'contacts', contacts: [ana, { name: { formatted_name: 'Nobody' } }] }
  t.throws(() => build(nobody), refusal('message.contacts.1.phones'))
  t.throws(() => build({ type: 'image', media_id: 'received' }), refusal('message.media_id'))
})

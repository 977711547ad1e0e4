import t from 'tap'
import { conforms } from '../conformance.ts'
import { simulated } from '../simulated.ts'
import { phoneSide, secretOf } from './phone.ts'

const PERSON = '5511999999999'

const vcard = ['BEGIN:VCARD', 'VERSION:3.0', 'FN:Ana Díaz', 'item1.TEL;waid=34600000000:+34 600 000 000', 'END:VCARD']

conforms(t, {
  name: 'evolution',
  carrier: 'whatsapp_qr',
  async open(t) {
    const { provider, far } = await simulated(t, phoneSide())
    const { credentials } = far
    return {
      provider,
      far: {
        ...far,
        wrong: { ...credentials, api_key: 'wrong' },
        messages: {
          contacts: {
            type: 'contacts',
            contacts: [{ name: { formatted_name: 'Ana Díaz' }, phones: [{ phone: '+34600000000' }] }],
          },
        },
      },
    }
  },
  to: PERSON,
  accepted_as: {
    text: 'text',
    image: 'image',
    video: 'video',
    audio: 'audio',
    document: 'document',
    sticker: 'sticker',
    location: 'location',
    contacts: 'contacts',
    reaction: 'reaction',
  },
  faults: {
    auth: { code: '401' },
    rate: { code: '429', scope: 'channel' },
    permanent: { code: '400' },
    garbage: { code: 'http_502' },
    reset_after: { code: 'connection_reset' },
    hang: {},
  },
  file_link: 'https://files.example.com/media/1',
  hook: {
    sign: secretOf,
    garbage: ['', 'no', '[]', '{}', '{"instance":"shop phone"}'],
    from: PERSON,
    origin: 'phone',
    inbound: [
      { name: 'text', message: 'Hi ☀', type: 'text', expect: { body: 'Hi ☀' } },
      {
        name: 'an answer to a message',
        message: { extendedTextMessage: { text: 'That one' } },
        context: { message_id: '3EB0C431C26A1916E07E' },
        type: 'text',
        expect: { body: 'That one' },
      },
      {
        name: 'a message that disappears',
        message: { ephemeralMessage: { message: { extendedTextMessage: { text: 'Soon gone' } } } },
        type: 'text',
        expect: { body: 'Soon gone' },
      },
      {
        name: 'image',
        message: { imageMessage: { caption: 'Look' } },
        type: 'image',
        expect: { media_id: /^[0-9A-F]{32}$/, mime_type: 'image/jpeg', caption: 'Look' },
      },
      { name: 'video', message: { videoMessage: {} }, type: 'video', expect: { mime_type: 'video/mp4' } },
      {
        name: 'voice',
        message: { audioMessage: { ptt: true, seconds: 4 } },
        type: 'audio',
        expect: { voice: true, duration: 4, mime_type: 'audio/ogg; codecs=opus' },
      },
      {
        name: 'document with a caption',
        message: {
          documentWithCaptionMessage: {
            message: { documentMessage: { fileName: 'a.pdf', mimetype: 'application/pdf', caption: 'Read' } },
          },
        },
        type: 'document',
        expect: { filename: 'a.pdf', mime_type: 'application/pdf', caption: 'Read' },
      },
      { name: 'sticker', message: { stickerMessage: {} }, type: 'sticker', expect: { mime_type: 'image/webp' } },
      {
        name: 'location',
        message: { locationMessage: { degreesLatitude: 19.4, degreesLongitude: -99.1, name: 'Zócalo' } },
        type: 'location',
        expect: { latitude: 19.4, longitude: -99.1, name: 'Zócalo' },
      },
      {
        name: 'contact',
        message: { contactMessage: { displayName: 'Ana Díaz', vcard: vcard.join('\n') } },
        type: 'contacts',
        expect: {
          contacts: [
            { name: { formatted_name: 'Ana Díaz' }, phones: [{ phone: '+34 600 000 000', wa_id: '34600000000' }] },
          ],
        },
      },
      {
        name: 'reaction',
        message: { reactionMessage: { key: { id: '3EB0C431C26A1916E07E', fromMe: true }, text: '👍' } },
        type: 'reaction',
        expect: { message_id: '3EB0C431C26A1916E07E', emoji: '👍' },
      },
      {
        name: 'pressed button',
        message: { buttonsResponseMessage: { selectedButtonId: 'yes', selectedDisplayText: 'Yes' } },
        type: 'interactive',
        expect: { interactive_type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
      },
      {
        name: 'chosen row',
        message: { listResponseMessage: { title: 'Friday', singleSelectReply: { selectedRowId: 'fri' } } },
        type: 'interactive',
        expect: { interactive_type: 'list_reply', list_reply: { id: 'fri', title: 'Friday' } },
      },
      {
        name: 'a poll, which no type of ours can say',
        message: { pollCreationMessage: { name: 'Tea?' } },
        type: 'unsupported',
        expect: { kind: 'pollCreationMessage' },
      },
    ],
  },
})

import t from 'tap'
import { conforms } from '../conformance.ts'
import { simulated } from '../simulated.ts'
import { botSide, secretOf } from './bot.ts'

const PERSON = '518273640'

conforms(t, {
  name: 'telegram',
  carrier: 'telegram',
  async open(t) {
    const { provider, far } = await simulated(t, botSide())
    const { provider_message_id } = await far.control('POST', 'inbound', {
      channel: 'telegram',
      from: PERSON,
      message: 'Hello',
    })
    const { credentials } = far
    return {
      provider,
      far: {
        ...far,
        wrong: { ...credentials, bot_token: '110201543:wrong' },
        // An album and the text below it are one message of ours.
        sent: async () => (await far.sent()).filter(({ type }) => type !== 'media_group'),
        messages: { reaction: { type: 'reaction', message_id: String(provider_message_id), emoji: '❤️' } },
      },
    }
  },
  to: PERSON,
  accepted_as: {
    text: 'text',
    image: 'photo',
    video: 'video',
    audio: 'audio',
    document: 'document',
    sticker: 'sticker',
    reaction: 'reaction',
    buttons: 'text',
    list: 'text',
    cta_url: 'text',
    carousel: 'text',
  },
  without_id: ['reaction'],
  quoted: `${PERSON}:1`,
  faults: {
    auth: { code: '401' },
    rate: { code: '429', scope: 'channel', says_when: true },
    permanent: { code: '403' },
    garbage: { code: 'http_502' },
    reset_after: { code: 'connection_reset' },
    hang: {},
  },
  file_link: 'https://files.example.com/media/1',
  hook: {
    sign: secretOf,
    garbage: ['', 'no', '[]', '{}', '{"message":{}}'],
    from: PERSON,
    origin: 'phone',
    inbound: [
      { name: 'text', message: 'Hi ☀', type: 'text', expect: { body: 'Hi ☀' } },
      {
        name: 'an answer to a message',
        message: 'That one',
        context: { message_id: `${PERSON}:1` },
        type: 'text',
        expect: { body: 'That one' },
      },
      {
        name: 'photo',
        message: { photo: {}, caption: 'Look' },
        type: 'image',
        expect: { media_id: /./, mime_type: 'image/jpeg', caption: 'Look', width: 90 },
      },
      { name: 'video', message: { video: {} }, type: 'video', expect: { media_id: /./, mime_type: 'video/mp4' } },
      {
        name: 'animation',
        message: { animation: {}, document: {} },
        type: 'video',
        expect: { media_id: /./, gif: true },
      },
      { name: 'music', message: { audio: {} }, type: 'audio', expect: { media_id: /./, mime_type: 'audio/mpeg' } },
      { name: 'voice', message: { voice: {} }, type: 'audio', expect: { media_id: /./, voice: true } },
      {
        name: 'document',
        message: { document: { file_name: 'a.pdf' } },
        type: 'document',
        expect: { media_id: /./, filename: 'a.pdf', mime_type: 'application/pdf' },
      },
      {
        name: 'sticker',
        message: { sticker: {} },
        type: 'sticker',
        expect: { media_id: /./, mime_type: 'image/webp', emoji: '👍' },
      },
      {
        name: 'location',
        message: { location: { latitude: 19.4, longitude: -99.1 } },
        type: 'location',
        expect: { latitude: 19.4, longitude: -99.1 },
      },
      {
        name: 'venue',
        message: {
          venue: { location: { latitude: 1, longitude: 2 }, title: 'Zócalo', address: 'Centro' },
          location: { latitude: 1, longitude: 2 },
        },
        type: 'location',
        expect: { latitude: 1, longitude: 2, name: 'Zócalo', address: 'Centro' },
      },
      {
        name: 'contact',
        message: { contact: { phone_number: '+5215512345678', first_name: 'Ana', last_name: 'Díaz' } },
        type: 'contacts',
        expect: { contacts: [{ name: { formatted_name: 'Ana Díaz' }, phones: [{ phone: '+5215512345678' }] }] },
      },
      {
        name: 'reaction',
        message: { reaction: { message_id: 1, emoji: '👍' } },
        type: 'reaction',
        expect: { message_id: `${PERSON}:1`, emoji: '👍' },
      },
      {
        name: 'a reaction that is taken back',
        message: { reaction: { message_id: 1, emoji: '' } },
        type: 'reaction',
        expect: { message_id: `${PERSON}:1`, emoji: '' },
      },
      {
        name: 'a dice, which no type of ours can say',
        message: { dice: { emoji: '🎲', value: 3 } },
        type: 'unsupported',
        expect: { kind: 'dice', dice: { value: 3 } },
      },
    ],
  },
})

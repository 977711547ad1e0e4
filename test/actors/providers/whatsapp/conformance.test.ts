import { createHmac } from 'node:crypto'
import t from 'tap'
import type { Credentials } from '../../../../actors/providers/provider.ts'
import { WhatsApp } from '../../../../actors/providers/whatsapp/mod.ts'
import { NUMBER } from '../../../simulator/fixture.ts'
import { conforms } from '../conformance.ts'
import { simulated } from '../simulated.ts'

const { display_phone_number, ...credentials } = NUMBER

conforms(t, {
  name: 'whatsapp',
  carrier: 'whatsapp',
  open: (t) =>
    simulated(t, {
      channel: 'whatsapp',
      provider: new WhatsApp({ deadline_ms: 2500 }),
      credentials,
      accounts: (webhook_url) => ({ numbers: [{ ...NUMBER, webhook_url }] }),
      errors: { auth: { code: 190 }, rate: { code: 130429 }, permanent: { code: 131009 } },
    }),
  to: '15557654321',
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
    template: 'template',
    buttons: 'interactive',
    list: 'interactive',
    cta_url: 'interactive',
    catalog: 'interactive',
    carousel: 'interactive',
    flow: 'interactive',
  },
  faults: {
    auth: { code: '190' },
    rate: { code: '130429', scope: 'channel', says_when: true },
    permanent: { code: '131009' },
    garbage: { code: 'http_502' },
    reset_after: { code: 'connection_reset' },
    hang: {},
  },
  file_link: 'https://files.example.com/media/1',
  hook: {
    sign: (raw: string, { app_secret = '' }: Credentials) =>
      `sha256=${createHmac('sha256', app_secret).update(raw).digest('hex')}`,
    garbage: ['', 'no', '[]', '{}', '{"object":"page","entry":[]}'],
    from: '15551234567',
    origin: 'phone',
    inbound: [
      { name: 'text', message: 'Hi ☀', type: 'text', expect: { body: 'Hi ☀' } },
      {
        name: 'an answer to a message',
        message: 'That one',
        context: { message_id: 'wamid.quoted' },
        type: 'text',
        expect: { body: 'That one' },
      },
      ...['image', 'video', 'audio', 'document', 'sticker'].map((type) => ({
        name: type,
        message: { type, [type]: {} },
        type,
        expect: { media_id: /^\d+$/, mime_type: /\// },
      })),
      {
        name: 'location',
        message: { type: 'location', location: { latitude: 1.5, longitude: 2 } },
        type: 'location',
        expect: { latitude: 1.5, longitude: 2 },
      },
      {
        name: 'reaction',
        message: { type: 'reaction', reaction: { message_id: 'wamid.1', emoji: '❤' } },
        type: 'reaction',
        expect: { message_id: 'wamid.1', emoji: '❤' },
      },
      {
        name: 'a button',
        message: {
          type: 'interactive',
          interactive: { type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
        },
        type: 'interactive',
        expect: { interactive_type: 'button_reply', button_reply: { id: 'yes', title: 'Yes' } },
      },
      { name: 'something unsupported', message: { type: 'unsupported' }, type: 'unsupported' },
    ],
  },
})

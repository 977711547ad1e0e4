import t from 'tap'
import { Instagram } from '../../../actors/providers/instagram/mod.ts'
import { Messenger } from '../../../actors/providers/messenger/mod.ts'
import type { Payload } from '../../../actors/providers/payload.ts'
import { MESSAGES } from './messages.ts'

const messenger = new Messenger()
const instagram = new Instagram()
t.teardown(() => Promise.all([messenger.close(), instagram.close()]))

const options = {
  account: { channel_id: 'c1', name: 'Tests', provider_account_id: '1', credentials: {} },
  to: '6543',
  opaque: 'msg_1',
  fileOf: (media_id: string) => ({
    media_id,
    provider_media_id: media_id === 'theirs' ? 'att_1' : null,
    link: media_id === 'theirs' ? '' : `https://files.example.com/${media_id}`,
    mime_type: null,
    filename: null,
  }),
}
const recipient = { id: '6543' }
const messaging_type = 'RESPONSE'
const metadata = 'msg_1'
const url = 'https://files.example.com/cat.jpg'
const quick = (title: string, payload: string) => ({ content_type: 'text', title, payload })

const BUILT: [string, Payload, object][] = [
  ['text', MESSAGES.text, { text: 'Your order is on its way ☀' }],
  ['image', MESSAGES.image, { attachment: { type: 'image', payload: { url } } }],
  [
    'an uploaded file',
    { type: 'document', media_id: 'med_1' },
    { attachment: { type: 'file', payload: { url: 'https://files.example.com/med_1' } } },
  ],
  [
    "a file of the provider's",
    { type: 'image', media_id: 'theirs' },
    { attachment: { type: 'image', payload: { attachment_id: 'att_1' } } },
  ],
  [
    'sticker',
    MESSAGES.sticker,
    { attachment: { type: 'image', payload: { url: 'https://files.example.com/cat.webp' } } },
  ],
  [
    'buttons',
    { ...MESSAGES.buttons, header: { type: 'text', text: 'Order 7' } } as Payload,
    { text: 'Order 7\n\nShall we ship it?\n\nExample Shop', quick_replies: [quick('Yes', 'yes'), quick('No', 'no')] },
  ],
  ['list', MESSAGES.list, { text: 'Choose a day', quick_replies: [quick('Friday', 'list_reply:fri')] }],
  [
    'cta_url',
    MESSAGES.cta_url,
    {
      attachment: {
        type: 'template',
        payload: {
          template_type: 'button',
          text: 'Track it',
          buttons: [{ type: 'web_url', url: 'https://shop.example.com/1', title: 'Open' }],
        },
      },
    },
  ],
  [
    'carousel',
    MESSAGES.carousel,
    {
      attachment: {
        type: 'template',
        payload: {
          template_type: 'generic',
          elements: [1, 2].map((id) => ({
            title: `Offer ${id}`,
            ...(id === 1 && { subtitle: 'Our offers' }),
            image_url: url,
            default_action: { type: 'web_url', url: `https://shop.example.com/${id}` },
            buttons: [{ type: 'web_url', url: `https://shop.example.com/${id}`, title: 'Open' }],
          })),
        },
      },
    },
  ],
]

t.test('each message takes the form of the platform', async (t) => {
  for (const [name, message, content] of BUILT) {
    const expected = { recipient, messaging_type, message: { ...content, metadata } }
    t.strictSame(messenger.build(message, options), expected, name)
  }
  t.strictSame(
    instagram.build(MESSAGES.text, { ...options, context: { message_id: 'm1' } }),
    { recipient, messaging_type, reply_to: { mid: 'm1' }, message: { text: MESSAGES.text.body } },
    'Instagram takes no metadata',
  )
})

t.test('reactions', async (t) => {
  const reaction = (emoji: string): Payload => ({ type: 'reaction', message_id: 'm1', emoji })
  const react = (word: string) => ({
    recipient,
    sender_action: 'react',
    payload: { message_id: 'm1', reaction: word },
  })
  t.strictSame(messenger.build(reaction('❤️'), options), react('❤️'))
  t.strictSame(instagram.build(reaction('❤️'), options), react('love'))
  t.strictSame(instagram.build(reaction('👍'), options), react('👍'))
  const taken_back = { recipient, sender_action: 'unreact', payload: { message_id: 'm1' } }
  t.strictSame(messenger.build(reaction(''), options), taken_back)
})

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id: `${id}`, title: `Row ${id}` }))
const list = (...counts: number[]): Payload => ({
  type: 'list',
  body_text: 'Choose',
  button_text: 'Open',
  sections: counts.map((count) => ({ rows: rows(count) })),
})
const cards = MESSAGES.carousel.type === 'carousel' ? MESSAGES.carousel.cards : []

t.test('a message that does not fit is refused with a remedy', async (t) => {
  const refused: [string, Messenger | Instagram, Payload, string, RegExp][] = [
    ['a long text', messenger, { type: 'text', body: 'é'.repeat(2_001) }, 'message.body', /2001 characters.*2000/],
    ['many bytes', instagram, { type: 'text', body: 'é'.repeat(501) }, 'message.body', /1002 bytes.*1000/],
    [
      'a long text of buttons',
      instagram,
      { ...MESSAGES.list, body_text: 'x'.repeat(1_001) } as Payload,
      'message.body_text',
      /1001 bytes/,
    ],
    ['fourteen rows', messenger, list(7, 7), 'message.sections', /13 rows in all.*14/],
    [
      'a long row',
      instagram,
      { ...MESSAGES.list, sections: [{ rows: [{ id: '1', title: 'x'.repeat(21) }] }] } as Payload,
      'message.sections.0.rows.0.title',
      /21 characters.*20/,
    ],
    ['a caption', messenger, { type: 'image', link: url, caption: 'A cat' }, 'message.caption', /no caption/],
    [
      'a picture above buttons',
      messenger,
      { ...MESSAGES.buttons, header: { type: 'image', link: url } } as Payload,
      'message.header',
      /no picture/,
    ],
    [
      'a long text with a link button',
      messenger,
      { ...MESSAGES.cta_url, body_text: 'x'.repeat(641) } as Payload,
      'message.body_text',
      /641 characters.*640/,
    ],
    [
      'a video card',
      messenger,
      { ...MESSAGES.carousel, cards: [{ ...cards[0]!, header: { type: 'video', link: url } }] } as Payload,
      'message.cards.0.header',
      /no video/,
    ],
    [
      'a long card',
      instagram,
      { ...MESSAGES.carousel, cards: [cards[0]!, { ...cards[1]!, body_text: 'x'.repeat(81) }] } as Payload,
      'message.cards.1.body_text',
      /81 characters.*80/,
    ],
    [
      'eleven cards',
      messenger,
      { ...MESSAGES.carousel, cards: Array(11).fill(cards[0]) } as Payload,
      'message.cards',
      /10 cards/,
    ],
  ]
  for (const [name, provider, message, path, words] of refused) {
    const refusal = { code: 'MESSAGE_NOT_ACCEPTED_BY_CHANNEL', message: words, details: { path } }
    t.throws(() => provider.build(message, options), refusal, name)
  }
  t.match(messenger.build({ type: 'text', body: '☀'.repeat(2_000) }, options), { message: { text: /☀/ } })
  t.match(instagram.build({ type: 'text', body: 'é'.repeat(500) }, options), { message: { text: /é/ } })
  t.match(messenger.build(list(6, 7), options), { message: { quick_replies: { length: 13 } } })
})

t.test("a button's id comes back as it was, whatever it looks like", async (t) => {
  const { replyOf, payloadOf } = await import('../../../actors/providers/pages/reply_id.ts')
  for (const kind of ['button_reply', 'list_reply'] as const)
    for (const id of ['yes', '', 'list_reply:x', 'button_reply:', 'list_reply', 'a:b'])
      t.strictSame(replyOf(payloadOf(kind, id)), { kind, id }, `${kind} ${id}`)
})

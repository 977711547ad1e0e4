import t from 'tap'
import type { Payload } from '../../../../actors/providers/payload.ts'
import type { BuildOptions } from '../../../../actors/providers/provider.ts'
import { callbackData, choiceOf, idOfToken } from '../../../../actors/providers/telegram/callback_data.ts'
import { buildRequest } from '../../../../actors/providers/telegram/request.ts'

const OPTIONS: BuildOptions = {
  account: { channel_id: 'c', name: 'Bot', provider_account_id: '110201543', credentials: {} },
  to: '42',
  opaque: 'msg_1',
  fileOf: (media_id) => ({
    media_id,
    provider_media_id: media_id === 'received' ? 'AgACAgIA' : null,
    link: media_id === 'received' ? '' : 'https://files.example.com/1',
    mime_type: null,
    filename: null,
  }),
}
const build = (message: Payload, options: Partial<BuildOptions> = {}) =>
  JSON.parse(JSON.stringify(buildRequest(message, { ...OPTIONS, ...options })))

t.test('each message is one call of the Bot API', async (t) => {
  const link = 'https://example.com/a'
  const cases: [Payload, object][] = [
    [
      { type: 'text', body: 'Hi' },
      { method: 'sendMessage', text: 'Hi', link_preview_options: { is_disabled: true } },
    ],
    [
      { type: 'text', body: 'https://example.com', preview_url: true },
      { method: 'sendMessage', text: 'https://example.com', link_preview_options: { is_disabled: false } },
    ],
    [
      { type: 'image', link, caption: 'A' },
      { method: 'sendPhoto', photo: link, caption: 'A' },
    ],
    [
      { type: 'image', media_id: 'med_1' },
      { method: 'sendPhoto', photo: 'https://files.example.com/1' },
    ],
    [
      { type: 'image', media_id: 'received' },
      { method: 'sendPhoto', photo: 'AgACAgIA' },
    ],
    [
      { type: 'video', link },
      { method: 'sendVideo', video: link },
    ],
    [
      { type: 'audio', link },
      { method: 'sendAudio', audio: link },
    ],
    [
      { type: 'audio', link, voice: true },
      { method: 'sendVoice', voice: link },
    ],
    [
      { type: 'document', link, filename: 'a.pdf' },
      { method: 'sendDocument', document: link },
    ],
    [
      { type: 'sticker', link },
      { method: 'sendSticker', sticker: link },
    ],
    [
      { type: 'reaction', message_id: '42:7', emoji: '❤️' },
      { method: 'setMessageReaction', message_id: 7, reaction: [{ type: 'emoji', emoji: '❤' }] },
    ],
    [
      { type: 'reaction', message_id: '42:7', emoji: '' },
      { method: 'setMessageReaction', message_id: 7, reaction: [] },
    ],
    [
      { type: 'cta_url', body_text: 'Track it', display_text: 'Open', url: link, footer_text: 'Shop' },
      {
        method: 'sendMessage',
        text: 'Track it\n\nShop',
        link_preview_options: { is_disabled: true },
        reply_markup: { inline_keyboard: [[{ text: 'Open', url: link }]] },
      },
    ],
  ]
  for (const [message, expected] of cases)
    t.strictSame(build(message), { chat_id: '42', ...expected }, JSON.stringify(message))
  const quoting = build({ type: 'text', body: 'Hi' }, { context: { message_id: '42:7' } })
  t.strictSame(quoting.reply_parameters, { message_id: 7, allow_sending_without_reply: true })
})

t.test('buttons are a keyboard below the text, or below the file of the header', async (t) => {
  const buttons = [
    { id: 'yes', title: 'Yes' },
    { id: 'no', title: 'No' },
  ]
  const inline_keyboard = [[{ text: 'Yes', callback_data: 'yes' }], [{ text: 'No', callback_data: 'no' }]]
  const base = { type: 'buttons', body_text: 'Ship it?', buttons, footer_text: 'Shop' } as const
  t.match(build({ ...base, header: { type: 'text', text: 'Order 7' } }), {
    method: 'sendMessage',
    text: 'Order 7\n\nShip it?\n\nShop',
    reply_markup: { inline_keyboard },
  })
  const media = [
    ['image', 'sendPhoto', 'photo'],
    ['video', 'sendVideo', 'video'],
    ['document', 'sendDocument', 'document'],
  ] as const
  for (const [type, method, field] of media)
    t.match(build({ ...base, header: { type, media_id: 'med_1' } }), {
      method,
      [field]: 'https://files.example.com/1',
      caption: 'Ship it?\n\nShop',
      reply_markup: { inline_keyboard },
    })
  const long = { ...base, body_text: 'a'.repeat(1024) }
  t.equal(build(long).text.length, 1030, 'a text has room for both')
  t.throws(() => build({ ...long, header: { type: 'image', link: 'https://example.com/a' } }), {
    name: 'Refusal',
    code: 'MESSAGE_NOT_ACCEPTED_BY_CHANNEL',
    details: { path: 'message.body_text' },
  })
})

t.test('the text of a list shows what its keyboard has no room for', async (t) => {
  const list = {
    type: 'list',
    body_text: 'Choose a day',
    button_text: 'Days',
    sections: [
      { title: 'This week', rows: [{ id: 'fri', title: 'Friday', description: '9 to 12' }] },
      { title: 'Later', rows: [{ id: 'mon', title: 'Monday' }] },
    ],
  } as const satisfies Payload
  const built = build(list as unknown as Payload)
  t.equal(built.text, 'Choose a day\n\nThis week\n• Friday: 9 to 12\n\nLater\n• Monday')
  t.strictSame(built.reply_markup.inline_keyboard, [
    [{ text: 'Friday', callback_data: '#l=fri' }],
    [{ text: 'Monday', callback_data: '#l=mon' }],
  ])
  const plain = { ...list, sections: [{ rows: [{ id: 'a', title: 'A' }] }] }
  t.equal(build(plain as unknown as Payload).text, 'Choose a day')
})

t.test('a carousel is an album, then a text with a link for each card', async (t) => {
  const card = (type: string, display_text: string) => ({
    header: { type, link: `https://example.com/${type}` },
    body_text: type,
    action: { display_text, url: 'https://shop.example.com/' },
  })
  const carousel = (one: string, other: string): Payload => ({
    type: 'carousel',
    body_text: 'Our offers',
    cards: [card('image', one), card('video', other)],
  })
  t.strictSame(build(carousel('Open', 'Buy'), { context: { message_id: '42:7' } }), {
    method: 'sendMediaGroup',
    chat_id: '42',
    reply_parameters: { message_id: 7, allow_sending_without_reply: true },
    media: [
      { type: 'photo', media: 'https://example.com/image', caption: 'image' },
      { type: 'video', media: 'https://example.com/video', caption: 'video' },
    ],
    next: {
      method: 'sendMessage',
      chat_id: '42',
      text: 'Our offers',
      link_preview_options: { is_disabled: true },
      reply_markup: {
        inline_keyboard: [
          [{ text: 'Open', url: 'https://shop.example.com/' }],
          [{ text: 'Buy', url: 'https://shop.example.com/' }],
        ],
      },
    },
  })
  const same = build(carousel('Open', 'Open')).next.reply_markup.inline_keyboard.flat()
  t.strictSame(
    same.map(({ text }: { text: string }) => text),
    ['1. Open', '2. Open'],
    'links of one name are told apart',
  )
})

t.test('ids of any length come back from 64 bytes', async (t) => {
  const ids = [
    'yes',
    'a'.repeat(64),
    'a'.repeat(65),
    'ñ'.repeat(33),
    '🙂'.repeat(64),
    '#',
    '#l=fri',
    '#b:x',
    'x'.repeat(256),
  ]
  for (const kind of ['button_reply', 'list_reply'] as const)
    for (const id of ids) {
      const data = callbackData(kind, id)
      const bytes = Buffer.byteLength(data)
      t.ok(bytes >= 1 && bytes <= 64, `${bytes} bytes`)
      const choice = choiceOf(data)
      t.equal(choice.kind, kind)
      const sent: Payload =
        kind === 'button_reply'
          ? { type: 'buttons', body_text: 'b', buttons: ids.map((one) => ({ id: one, title: 't' })) }
          : {
              type: 'list',
              body_text: 'b',
              button_text: 'b',
              sections: [{ rows: ids.map((one) => ({ id: one, title: 't' })) }],
            }
      t.equal(choice.id_is_token ? idOfToken(choice.id, sent) : choice.id, id)
    }
  t.equal(callbackData('button_reply', 'yes'), 'yes', 'a short id can be read on the wire')
  t.equal(idOfToken(callbackData('button_reply', 'x'.repeat(99)), { type: 'text', body: 'other' }), undefined)
})

t.test('only a message of Telegram can be quoted or reacted to', async (t) => {
  const refusal = { name: 'Refusal', code: 'MESSAGE_NOT_FOUND' }
  for (const message_id of ['wamid.7', 'update:870000001', '7', '42:', '42:x']) {
    t.throws(() => build({ type: 'reaction', message_id, emoji: '👍' }), refusal, message_id)
    t.throws(() => build({ type: 'text', body: 'Hi' }, { context: { message_id } }), refusal, message_id)
  }
})

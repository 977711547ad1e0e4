/**
 * The bounds of every field of the sixteen types: a value just within is accepted, and a value just beyond is refused
 * by name.
 */
import t from 'tap'
import { messages } from './message_examples.ts'
import { startTestServer, violations } from './test_server.ts'

const x = (length: number) => 'x'.repeat(length)
const rows = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `r${i}`, title: `Row ${i}` }))
const {
  image,
  video,
  audio,
  document,
  sticker,
  location,
  contacts,
  reaction,
  buttons,
  list,
  cta_url,
  catalog,
  carousel,
  flow,
} = messages
const [person] = contacts.contacts as [Record<string, unknown>]
const button = { id: 'a', title: 'A' }
const card = carousel.cards[0]!

/** Messages with the fewest fields that are valid. */
const good: object[] = [
  ...Object.values(messages),
  { type: 'image', media_id: '66f2a0c1d4e5f60718293a4b' },
  { ...image, caption: x(1024) },
  { type: 'document', media_id: '1037543291543636' },
  { ...document, filename: x(240) },
  { ...location, latitude: -90, longitude: 180, name: undefined, address: undefined },
  { ...contacts, contacts: [{ name: { formatted_name: 'A' } }] },
  { ...reaction, emoji: '' },
  { ...reaction, emoji: '👨‍👩‍👧‍👦' },
  { ...reaction, emoji: '🇲🇽' },
  { ...reaction, emoji: '❤' },
  { ...reaction, emoji: '1️⃣' },
  { ...buttons, body_text: x(1024), footer_text: x(60), buttons: [{ id: x(256), title: x(20) }] },
  { ...buttons, header: { type: 'image', media_id: '1' } },
  { ...list, body_text: x(1024), button_text: x(20), sections: [{ rows: rows(10) }] },
  { ...list, sections: [{ rows: [{ id: x(200), title: x(24), description: x(72) }] }] },
  { ...cta_url, display_text: x(20), body_text: x(1024), url: 'http://a.example' },
  { type: 'catalog', body_text: 'x' },
  { ...carousel, cards: Array.from({ length: 10 }, () => card) },
  { ...carousel, cards: [card, { header: { type: 'video', media_id: '7' }, action: card.action }] },
  { ...flow, flow_cta: x(30), header_text: x(60), footer_text: x(60), flow_action: 'data_exchange' },
]

const bad: [object, string[]][] = [
  [{ type: 'image' }, ['message invalid_value']],
  [{ ...image, media_id: '1' }, ['message invalid_value']],
  [{ ...image, caption: x(1025) }, ['message.caption too_long']],
  [{ ...image, link: 'ftp://files.example.com/a' }, ['message.link invalid_value']],
  [{ ...image, link: 'cat.jpg' }, ['message.link invalid_value']],
  [{ ...image, link: `https://a.example/${x(2048)}` }, ['message.link too_long']],
  [{ ...image, filename: 'a.jpg' }, ['message.filename unknown_property']],
  [{ type: 'image', media_id: '../../etc/passwd' }, ['message.media_id invalid_format']],
  [{ ...video, caption: 7 }, ['message.caption invalid_type']],
  [{ ...audio, voice: 'yes' }, ['message.voice invalid_type']],
  [{ ...audio, caption: 'x' }, ['message.caption unknown_property']],
  [{ ...document, filename: x(241) }, ['message.filename too_long']],
  [{ ...sticker, caption: 'x' }, ['message.caption unknown_property']],
  [{ ...location, latitude: 90.1 }, ['message.latitude too_large']],
  [{ ...location, longitude: -180.1 }, ['message.longitude too_small']],
  [{ type: 'location' }, ['message.latitude required', 'message.longitude required']],
  [{ ...contacts, contacts: [] }, ['message.contacts too_short']],
  [{ ...contacts, contacts: [{}] }, ['message.contacts.0.name required']],
  [{ ...contacts, contacts: [{ ...person, phones: [{}] }] }, ['message.contacts.0.phones.0.phone required']],
  [{ ...contacts, contacts: [{ ...person, birthday: 'x' }] }, ['message.contacts.0.birthday unknown_property']],
  [{ ...reaction, emoji: 'ok' }, ['message.emoji invalid_value']],
  [{ ...reaction, emoji: '👍👍' }, ['message.emoji invalid_value']],
  [{ ...reaction, emoji: '1' }, ['message.emoji invalid_value']],
  [{ ...reaction, message_id: '' }, ['message.message_id too_short']],
  [{ ...buttons, buttons: [] }, ['message.buttons too_short']],
  [{ ...buttons, buttons: [0, 1, 2, 3].map((id) => ({ id: `${id}`, title: 'A' })) }, ['message.buttons too_long']],
  [{ ...buttons, buttons: [button, button] }, ['message.buttons invalid_value']],
  [
    { ...buttons, buttons: [{ id: x(257), title: x(21) }] },
    ['message.buttons.0.id too_long', 'message.buttons.0.title too_long'],
  ],
  [
    { ...buttons, body_text: x(1025), footer_text: x(61) },
    ['message.body_text too_long', 'message.footer_text too_long'],
  ],
  [{ ...buttons, header: { type: 'text', text: x(61) } }, ['message.header.text too_long']],
  [{ ...buttons, header: { type: 'sticker', link: 'https://a.example/a' } }, ['message.header.type invalid_value']],
  [{ ...buttons, header: { type: 'image' } }, ['message.header invalid_value']],
  [{ ...list, sections: [] }, ['message.sections too_short']],
  [{ ...list, sections: [{ rows: rows(11) }] }, ['message.sections invalid_value']],
  [
    {
      ...list,
      sections: [
        { title: 'A', rows: rows(1) },
        { title: 'B', rows: rows(1) },
      ],
    },
    ['message.sections invalid_value'],
  ],
  [
    { ...list, sections: [{ title: 'A', rows: rows(1) }, { rows: [{ id: 'z', title: 'Z' }] }] },
    ['message.sections invalid_value'],
  ],
  [
    { ...list, sections: [{ title: x(25), rows: [{ id: x(201), title: x(25), description: x(73) }] }] },
    [
      'message.sections.0.title too_long',
      'message.sections.0.rows.0.id too_long',
      'message.sections.0.rows.0.title too_long',
      'message.sections.0.rows.0.description too_long',
    ],
  ],
  [{ ...list, button_text: x(21) }, ['message.button_text too_long']],
  [{ ...cta_url, display_text: x(21) }, ['message.display_text too_long']],
  [{ ...cta_url, url: 'javascript:alert(1)' }, ['message.url invalid_value']],
  [{ ...catalog, body_text: undefined }, ['message.body_text required']],
  [{ ...carousel, cards: [card] }, ['message.cards too_short']],
  [{ ...carousel, cards: Array.from({ length: 11 }, () => card) }, ['message.cards too_long']],
  [
    { ...carousel, cards: [card, { ...card, header: { type: 'image', link: 'https://a.example/CAT.WEBP?x=1' } }] },
    ['message.cards.1.header.link invalid_value'],
  ],
  [
    { ...carousel, cards: [card, { ...card, header: { type: 'text' } }] },
    ['message.cards.1.header.type invalid_value', 'message.cards.1.header invalid_value'],
  ],
  [{ ...carousel, cards: [card, { ...card, body_text: x(161) }] }, ['message.cards.1.body_text too_long']],
  [{ ...carousel, footer_text: 'x' }, ['message.footer_text unknown_property']],
  [{ ...flow, flow_id: undefined, flow_cta: x(31) }, ['message.flow_id required', 'message.flow_cta too_long']],
  [{ ...flow, flow_action: 'jump' }, ['message.flow_action invalid_value']],
  [{ ...flow, flow_action_payload: { screen: 'A', data: [] } }, ['message.flow_action_payload.data invalid_type']],
]

const send = (message: object) => ({ channel: 'whatsapp', to: '+5215512345678', message })

t.test('a field just within its bounds is accepted', async (t) => {
  const { call } = await startTestServer(t)
  for (const message of good) {
    const answer = await call('/v1/messages', { method: 'POST', json: send(message) })
    t.equal(answer.status, 202, `${JSON.stringify(message).slice(0, 120)} ${answer.text.slice(0, 300)}`)
  }
})

t.test('a field beyond its bounds is refused by name, and the project is not asked to send', async (t) => {
  const { call, asked } = await startTestServer(t)
  for (const [message, expected] of bad) {
    const answer = await call('/v1/messages', { method: 'POST', json: send(message) })
    t.equal(answer.status, 400, JSON.stringify(message).slice(0, 160))
    t.strictSame(violations(answer), expected, JSON.stringify(message).slice(0, 160))
    t.equal(asked.at(-1)?.command, undefined)
  }
})

t.test('a message reaches a person without a number by the business-scoped id', async (t) => {
  const { call } = await startTestServer(t)
  const message = messages.text
  for (const [to, status] of [
    ['US.13491208655302741918', 202],
    ['us.1349', 400],
    ['US.', 400],
  ] as const) {
    t.equal(
      (await call('/v1/messages', { method: 'POST', json: { channel: 'whatsapp', to, message } })).status,
      status,
      to,
    )
  }
})

/**
 * Updates of Telegram as people cause them: record, event and what an agent reads. One file, because it is one table of what
 * Telegram tells.
 */
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'

const pages = join(import.meta.dirname, '../../http/console/page/inbox')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { wordsOf } = await load('../crm/preview.ts')
const { partsWithEntities } = await load('../crm/entry/entities.ts')
const { answeredIn, buttonsOf, forwardedFrom } = await load('thread/content/surroundings_of.ts')
const { linesOf } = await load('thread/content/other_kinds.ts')

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const bot_token = `${700_000_000 + (process.pid % 100_000)}:AAHk3vQz0mWbT7pYd2cXnRfLs`
const webhook_secret = 'secret'
const { _id: channel_id } = await made(
  world.operator('POST', 'channels', {
    project_id: tenant.project_id,
    channel_type: 'telegram',
    name: 'Bot',
    provider: 'simulator',
    credentials: { bot_token, webhook_secret, api_base_url: world.simulator_url },
  }),
)
const webhook_url = `${world.base_url}/providers/telegram/${channel_id}`
await world.control('PUT', 'bots', { bot_token, webhook_secret, webhook_url })
await tenant.subscribe('telegram', ['telegram.message.*'])

let updates = 5000
let messages = 0
let people = 71_000

async function call(update: Json) {
  const headers = { 'x-telegram-bot-api-secret-token': webhook_secret, 'content-type': 'application/json' }
  const raw = JSON.stringify({ update_id: ++updates, ...update })
  const { status, text } = await world.http('POST', webhook_url, { raw, headers })
  if (status !== 200) throw new Error(`${status} ${text}`)
}

type Person = { id: number; first_name: string }
const someone = (): Person => ({ id: ++people, first_name: 'Irma' })
const chatOf = (from: Person) => ({ ...from, type: 'private' })
const written = (from: Person, content: Json) => ({
  message_id: ++messages,
  from: { ...from, is_bot: false },
  chat: chatOf(from),
  date: Math.floor(Date.now() / 1000),
  ...content,
})
const recordOf = async (id: string): Promise<Json> =>
  (await tenant.api('GET', 'messages?limit=200')).body.data.find((one: Json) => one.provider_message_id === id)

/** Writes, and gives the record and the message of the event. */
async function told(from: Person, content: Json): Promise<{ record: Json; said: Json }> {
  const message = written(from, content)
  await call({ message })
  const id = `${from.id}:${message.message_id}`
  const record = await recordOf(id)
  if (!record) throw new Error(`nothing was stored of ${JSON.stringify(content)}`)
  const event = await eventually('its event', () =>
    world.sink.events('telegram').find(({ data }) => data.messages?.[0]?.id === id),
  )
  return { record, said: event.data.messages[0] }
}

const link = { type: 'text_link', offset: 6, length: 5, url: 'https://mills.example/bread' }
const friend = { id: 42, first_name: 'Bo', last_name: 'Lund', is_bot: false }

const rows: { rule: string; content: Json; record: Json; event?: Json }[] = [
  {
    rule: 'a link behind a word, after an emoji of two units',
    content: { text: '🥖 Our bread', entities: [{ ...link, offset: 7 }] },
    record: { type: 'text', body: '🥖 Our bread', entities: [{ ...link, offset: 7 }] },
    event: { text: { body: '🥖 Our bread', entities: [{ url: link.url }] } },
  },
  {
    rule: 'a link behind a word of a caption',
    content: { photo: [{ file_id: 'p1', width: 9, height: 9 }], caption: 'Fresh bread', caption_entities: [link] },
    record: { type: 'image', media_id: /^[0-9a-f]{24}$/, caption: 'Fresh bread', entities: [link] },
    event: { image: { caption: 'Fresh bread', entities: [link] } },
  },
  {
    rule: 'a mentioned person without a name of their own',
    content: { text: 'Ask Bo', entities: [{ type: 'text_mention', offset: 4, length: 2, user: friend }] },
    record: { entities: [{ type: 'text_mention', user: { id: 42 } }] },
  },
  {
    rule: 'forwarded words of another person',
    content: { text: 'Late again', forward_origin: { type: 'user', date: 1, sender_user: friend } },
    record: { type: 'text', body: 'Late again', forwarded: true, forward_origin: { sender_user: { id: 42 } } },
    event: { context: { forwarded: true }, forward_origin: { type: 'user' } },
  },
  {
    rule: 'forwarded from a channel, as before Bot API 7',
    content: { text: 'News', forward_from_chat: { id: -1, type: 'channel', title: 'Mills' }, forward_date: 1 },
    record: { forwarded: true, forward_origin: { type: 'channel', chat: { title: 'Mills' } } },
  },
  {
    rule: 'a quote of a message in another chat',
    content: {
      text: 'And this?',
      quote: { text: 'rye is out', position: 0, is_manual: true },
      external_reply: { origin: { type: 'channel', chat: { id: -1, title: 'Mills' }, message_id: 3, date: 1 } },
    },
    record: {
      body: 'And this?',
      quote: { text: 'rye is out', is_manual: true },
      external_reply: { origin: { message_id: 3 } },
    },
    event: { quote: { text: 'rye is out' }, external_reply: { origin: { type: 'channel' } } },
  },
  {
    rule: 'an answer to a story',
    content: { text: 'Lovely', reply_to_story: { id: 4, chat: { id: 9, type: 'private', first_name: 'Mill' } } },
    record: { reply_to_story: { id: 4 } },
  },
  {
    rule: 'a picture of an album, by way of a bot, with a link on a button and a preview of its own',
    content: {
      photo: [{ file_id: 'p2', width: 9, height: 9 }],
      media_group_id: '1401',
      via_bot: { id: 8, is_bot: true, username: 'picbot' },
      reply_markup: { inline_keyboard: [[{ text: 'Map', url: 'https://mills.example/map' }]] },
      link_preview_options: { url: 'https://mills.example' },
    },
    record: {
      type: 'image',
      media_group_id: '1401',
      via_bot: { username: 'picbot' },
      reply_markup: { inline_keyboard: [[{ url: 'https://mills.example/map' }]] },
      link_preview_options: { url: 'https://mills.example' },
    },
    event: { media_group_id: '1401' },
  },
  {
    rule: 'the title of a song, and a contact with its card',
    content: { audio: { file_id: 'a1', duration: 60, title: 'Dough', performer: 'The Ovens' } },
    record: { type: 'audio', title: 'Dough', performer: 'The Ovens' },
  },
  {
    rule: 'a live location',
    content: { location: { latitude: 1.5, longitude: 2.5, live_period: 900, heading: 10 } },
    record: { type: 'location', latitude: 1.5, live_period: 900, heading: 10 },
  },
  {
    rule: 'a contact with its card',
    content: { contact: { phone_number: '+1', first_name: 'Bo', vcard: 'BEGIN:VCARD' } },
    record: { type: 'contacts', contacts: [{ vcard: 'BEGIN:VCARD' }] },
  },
  ...Object.entries({
    successful_payment: { currency: 'EUR', total_amount: 1250, invoice_payload: 'tour-3' },
    refunded_payment: { currency: 'XTR', total_amount: 5, invoice_payload: 'tour-3' },
    web_app_data: { data: '{"table":4}', button_text: 'Book' },
    users_shared: { request_id: 1, users: [{ user_id: 42 }] },
    chat_shared: { request_id: 1, chat_id: -100 },
    passport_data: { data: [], credentials: { hash: 'x' } },
    gift: { gift: { id: 'g' } },
    unique_gift: { gift: { base_name: 'Bun' } },
    write_access_allowed: { from_request: true },
    checklist_tasks_done: { marked_as_done_task_ids: [2] },
    dice: { emoji: '🎲', value: 4 },
    poll: { id: 'p', question: 'When?' },
    story: { id: 1, chat: { id: 4 } },
    mood_2031: { mood: 'fine' },
  }).map(([kind, fields]) => ({
    rule: `content that no type of ours expresses: ${kind}`,
    content: { [kind]: fields },
    record: { type: 'unsupported', kind, [kind]: fields },
    event: { type: 'unsupported', unsupported: { kind, [kind]: fields } },
  })),
]

for (const { rule, content, record, event = {} } of rows) {
  t.test(rule, async (t) => {
    const { record: stored, said } = await told(someone(), content)
    t.match(stored.message, record)
    t.match(said, event)
    t.ok(wordsOf(stored), 'a list has words for it')
  })
}

t.test('an agent reads links, quotes, forwards, buttons and unknown kinds', (t) => {
  const shown = (text: string, entities: Json) => JSON.stringify(partsWithEntities(text, entities))
  t.same(partsWithEntities('Fresh bread!', [link]), [
    { text: 'Fresh ' },
    { href: link.url, parts: [{ text: 'bread' }] },
    { text: '!' },
  ])
  const bold = { type: 'bold', offset: 0, length: 11 }
  t.same(partsWithEntities('Fresh bread', [link, bold]), [
    { tag: 'strong', parts: [{ text: 'Fresh ' }, { href: link.url, parts: [{ text: 'bread' }] }] },
  ])
  for (const url of [
    'javascript:alert(1)',
    'data:text/html,x',
    'tg://user?id=1',
    ' https://x.example',
    'file:///etc',
  ]) {
    t.same(partsWithEntities('Fresh bread', [{ ...link, url }]), [
      { text: 'Fresh ' },
      { text: 'bread' },
      { text: ` (${url})` },
    ])
  }
  for (const wrong of [
    null,
    7,
    { type: 'bold' },
    { ...bold, offset: -1 },
    { ...bold, offset: 40 },
    { ...bold, length: 1e9 },
    { ...bold, offset: 0.5 },
  ]) {
    t.match(shown('Fresh bread', [wrong]), /Fresh bread/, JSON.stringify(wrong))
  }
  const crossed = [
    { type: 'bold', offset: 0, length: 6 },
    { type: 'italic', offset: 3, length: 6 },
    { type: 'code', offset: 3, length: 2 },
  ]
  const texts = (parts: Json[]): string => parts.map((part) => part.text ?? texts(part.parts)).join('')
  t.equal(texts(partsWithEntities('abcdefghij', crossed)), 'abcdefghij', 'no letter is lost or twice')
  t.equal(
    texts(partsWithEntities('x'.repeat(3000), Array(5000).fill({ type: 'bold', offset: 0, length: 3000 }))).length,
    3000,
  )
  t.equal(forwardedFrom({ forward_origin: { type: 'user', sender_user: friend } }), 'Bo Lund')
  t.equal(forwardedFrom({ forwarded: true }), '')
  t.equal(forwardedFrom({ body: 'x' }), undefined)
  t.match(answeredIn(rows[5]!.record), { text: 'rye is out', is_manual: true, from: /another chat/ })
  t.match(answeredIn({ quote: { text: 'Original' } }), { text: 'Original', is_manual: false, from: '' })
  const keys = [
    [
      { text: 'Map', url: 'https://mills.example' },
      { text: 'Bad', url: 'javascript:1' },
      { text: 'Say', callback_data: 'x' },
    ],
  ]
  t.same(buttonsOf({ reply_markup: { inline_keyboard: keys } }), [
    { text: 'Map', url: 'https://mills.example' },
    { text: 'Bad' },
    { text: 'Say' },
  ])
  const payment = {
    type: 'unsupported',
    kind: 'successful_payment',
    successful_payment: { currency: 'EUR', total_amount: 1250 },
  }
  t.equal(wordsOf({ type: 'unsupported', message: payment }), 'Successful payment')
  t.same(linesOf(payment), {
    lines: [
      ['currency', 'EUR'],
      ['total amount', '1250'],
    ],
    left_out: 0,
  })
  t.match(linesOf({ kind: 'x', x: { list: Array(40).fill(1) } }), { left_out: 24 })
  t.match(linesOf({ kind: 'x', x: 'y'.repeat(400) }), { lines: [['X', /y…$/]] }, 'a value that is cut says so')
  t.end()
})

t.test('an answer names the words that it answers, also of a message that is unknown here', async (t) => {
  const from = someone()
  const old = { message_id: 1, chat: chatOf(from), date: 1, text: 'We close at six' }
  const { record } = await told(from, { text: 'Why?', reply_to_message: old })
  t.match(record, {
    context: { message_id: `${from.id}:1` },
    message: { body: 'Why?', quote: { text: 'We close at six' } },
  })
  const part = { text: 'at six', position: 9, is_manual: true }
  const chosen = await told(from, { text: 'Why?', reply_to_message: old, quote: part })
  t.match(chosen.record, { context: { message_id: `${from.id}:1` }, message: { quote: part } })
})

t.test('an edit changes its message, and a notice is no message of the person', async (t) => {
  const from = someone()
  const { record } = await told(from, { text: 'Two rolls' })
  const [chat, date] = [chatOf(from), Math.floor(Date.now() / 1000)]
  const message_id = Number(record.provider_message_id.split(':')[1])
  const edited = {
    message_id,
    from,
    chat,
    date,
    edit_date: date + 1,
    text: 'Three rolls',
    entities: [{ ...link, offset: 0 }],
  }
  await call({ edited_message: edited })
  const changed = await recordOf(record.provider_message_id)
  t.match(changed, { id: record.id, message: { body: 'Three rolls', entities: [{ url: link.url }] }, edited_at: /^20/ })
  const tickets = async () => (await tenant.api('GET', `crm/tickets?chat_user=${record.chat_user}&limit=200`)).body.data
  const [ticket] = await tickets()
  await made(tenant.api('PATCH', `crm/tickets/${ticket._id}`, { is_closed: true }))
  await call({ message: written(from, { pinned_message: { message_id, chat, date } }) })
  await call({ edited_message: { ...edited, text: 'Four rolls', edit_date: date + 2 } })
  await call({
    message_reaction: {
      chat,
      user: from,
      message_id,
      date,
      old_reaction: [{ type: 'emoji', emoji: '👍' }],
      new_reaction: [],
    },
  })
  await call({ message: written(from, { chat_background_set: {} }) })
  await call({
    edited_message: { ...edited, text: undefined, location: { latitude: 1, longitude: 2, live_period: 60 } },
  })
  t.match(await tickets(), [{ _id: ticket._id, is_closed: true }], 'no ticket')
  t.match(await recordOf(record.provider_message_id), { message: { body: 'Four rolls' } })
  const { data } = (await tenant.api('GET', `messages?chat_user=${record.chat_user}`)).body
  t.same(data.map(({ type }: Json) => type).sort(), ['edit', 'edit', 'pin', 'reaction', 'text'])
  const bot = { id: 7, is_bot: true, first_name: 'Bot' }
  await call({ message: { ...written(from, { pinned_message: { message_id, chat, date } }), from: bot } })
  t.equal((await tenant.api('GET', `messages?chat_user=${record.chat_user}`)).body.data.length, 5, 'pinned by the bot')
})

t.test('messages without a number of their own are all stored, and a press without data is counted', async (t) => {
  const from = someone()
  const alone = { message_id: 0, ephemeral_message_id: 4, receiver_user: { id: 7, is_bot: true } }
  for (const text of ['One', 'Two']) await call({ message: { ...written(from, { text }), ...alone } })
  await call({ message: { ...written(from, { dice: { value: 3 } }), ...alone } })
  const { data } = (await tenant.api('GET', 'messages?limit=200')).body
  const mine = data.filter((one: Json) => one.from === String(from.id)).map(({ message }: Json) => message)
  t.same(mine.map(({ body, kind }: Json) => body ?? kind).sort(), ['One', 'Two', 'dice'])
  await call({ callback_query: { id: '1', from, inline_message_id: 'x', data: 'd', chat_instance: '1' } })
  await call({ edited_message: written(from, { text: 'Two', hologram: {} }) })
  const { ignored_callbacks } = await made(world.operator('POST', `channels/${channel_id}/check`))
  const names = ignored_callbacks.map(({ name }: Json) => name)
  for (const name of ['callback_query', 'message.hologram']) t.ok(names.includes(name), name)
})

t.test('a reaction with an emoji of Telegram alone is told', async (t) => {
  const from = someone()
  const { record } = await told(from, { text: 'Hi' })
  const message_id = Number(record.provider_message_id.split(':')[1])
  const new_reaction = [{ type: 'custom_emoji', custom_emoji_id: '536' }]
  await call({
    message_reaction: {
      chat: chatOf(from),
      user: from,
      message_id,
      date: 1_790_000_000,
      new_reaction,
      old_reaction: [],
    },
  })
  const { data } = (await tenant.api('GET', `messages?chat_user=${record.chat_user}`)).body
  t.match(data[0], {
    type: 'unsupported',
    message: { kind: 'reaction', reaction: new_reaction, message_id: record.provider_message_id },
  })
})

t.test('an answer goes to the topic and the business account where the person wrote', async (t) => {
  const sentTo = async (from: Person, fields: Json = {}) => {
    const asked = { channel: 'telegram', to: String(from.id), message: { type: 'text', body: 'Yes' }, ...fields }
    const { id } = await made(tenant.api('POST', 'messages', asked))
    const { provider_message_id } = await tenant.message(id, 'sent')
    const { data } = (await world.control('GET', `sent?channel=telegram&limit=1000`)).body
    return data.find((one: Json) => one.id === provider_message_id).body
  }
  const from = someone()
  const first = await told(from, { text: 'In a topic', message_thread_id: 12, is_topic_message: true })
  t.equal(first.record.message.message_thread_id, 12)
  t.equal((await sentTo(from)).message_thread_id, 12)
  await told(from, { text: 'In another', message_thread_id: 13 })
  t.equal((await sentTo(from)).message_thread_id, 13, 'the latest one')
  const quoting = await sentTo(from, { context: { message_id: first.record.id } })
  t.match(quoting, { message_thread_id: 12, reply_parameters: {} }, 'that of the quoted message')
  await told(from, { text: 'Outside' })
  t.notOk('message_thread_id' in (await sentTo(from)))

  const customer = someone()
  const business = { business_connection_id: 'bc-9' }
  await call({ business_message: written(customer, { text: 'To the shop', ...business }) })
  const owner = { id: 999, first_name: 'Owner' }
  await call({ business_message: { ...written(customer, { text: 'From the shop', ...business }), from: owner } })
  const stored = await recordOf(`${customer.id}:${messages - 1}`)
  t.match(stored.message, { body: 'To the shop', ...business })
  const echo = { direction: 'outbound', origin: 'phone', message: { body: 'From the shop' } }
  t.match(await recordOf(`${customer.id}:${messages}`), echo, 'what the owner writes')
  t.match(await sentTo(customer), business)
  await call({ deleted_business_messages: { ...business, chat: chatOf(customer), message_ids: [messages - 1, 77] } })
  t.match(await recordOf(stored.provider_message_id), { message: { type: 'text' }, deleted_at: /^20/ })
})

import { readFileSync } from 'node:fs'
import t from 'tap'
import type { Account, InboundMessage } from '../../../../actors/providers/provider.ts'
import { callbackData, idOfToken } from '../../../../actors/providers/telegram/callback_data.ts'
import { readUpdate } from '../../../../actors/providers/telegram/update.ts'
import { simulated } from '../simulated.ts'
import { botSide } from './bot.ts'

type Json = Record<string, unknown>

const account: Account = { channel_id: 'c', name: 'Bot', provider_account_id: '110201543', credentials: {} }
const NOW = new Date('2026-11-21T12:00:00Z')
const guide = JSON.parse(
  readFileSync(new URL('../fixtures/telegram_webhooks_guide.json', import.meta.url), 'utf8'),
) as { updates: Record<string, Json> }

const read = (update: unknown) => readUpdate(JSON.stringify(update), account, NOW)
const itemOf = (update: unknown) =>
  read(update)?.items.find(({ kind }) => kind === 'message') as InboundMessage | undefined

t.test("the updates of Telegram's guide to webhooks", async (t) => {
  const file = { media_id: 'AwADBAADbXXXXXXXXXXXGBdhD2l6_XX' }
  const expected: Record<string, Json | null> = {
    message_with_text_of_the_first_example: { type: 'text', body: '/start' },
    message_with_text: { type: 'text', body: '/start' },
    forwarded_message: {
      type: 'text',
      body: '/start',
      forwarded: true,
      forward_origin: {
        type: 'user',
        date: 1441645550,
        sender_user: { last_name: 'Forward Lastname', id: 222222, first_name: 'Forward Firstname' },
      },
    },
    message_with_a_reply: { type: 'text', body: '/start', quote: { text: 'Original' } },
    edited_message: {
      type: 'edit',
      original_message_id: '1111111:1365',
      message: { type: 'text', body: 'Edited text' },
    },
    message_with_entities: {
      type: 'text',
      body: 'Bold and italics',
      entities: [
        { type: 'italic', offset: 9, length: 7 },
        { type: 'bold', offset: 0, length: 4 },
      ],
    },
    message_with_audio: {
      type: 'audio',
      ...file,
      mime_type: 'audio/mpeg',
      title: 'Test music file',
      duration: 243,
      file_size: 3897500,
    },
    voice_message: { type: 'audio', ...file, mime_type: 'audio/ogg', duration: 5, file_size: 23000, voice: true },
    message_with_a_document: {
      type: 'document',
      ...file,
      filename: 'Testfile.pdf',
      mime_type: 'application/pdf',
      file_size: 536392,
    },
    inline_query: null,
    chosen_inline_query: null,
    callback_query_of_an_inline_message: null,
  }
  t.strictSame(Object.keys(guide.updates).sort(), Object.keys(expected).sort())
  for (const [name, update] of Object.entries(guide.updates)) {
    const item = itemOf(update)
    if (expected[name] === null) {
      t.equal(item, undefined, name)
      continue
    }
    t.strictSame(item?.message, expected[name], name)
    const is_edit = item?.type === 'edit'
    t.match(item, {
      account: null,
      provider_message_id: is_edit ? 'update:10000' : '1111111:1365',
      user_id: '1111111',
      name: /^Test/,
      at: new Date(is_edit ? 1441646600_000 : 1441645532_000),
      value: {
        messaging_product: 'telegram',
        metadata: { account_id: '110201543' },
        contacts: [{ user_id: '1111111', profile: { name: /^Test/ } }],
        messages: [{ from: '1111111', id: item?.provider_message_id, timestamp: /^14416/, type: item?.type }],
      },
    })
    t.strictSame(item?.context, name.includes('reply') ? { message_id: '1111111:1334' } : null)
  }
})

t.test('groups, channels and service messages are left out', async (t) => {
  const { message } = guide.updates.message_with_text as { message: Json }
  const chat = { id: -100, type: 'supergroup', title: 'All' }
  const { text: _, ...wordless } = message
  const notice = { message: { ...wordless, message_auto_delete_timer_changed: { message_auto_delete_time: 9 } } }
  t.strictSame(read({ update_id: 5, ...notice }), { body: 'OK', items: [] })
  const grouped = { kind: 'ignored', account: null, what: 'field', name: 'message.supergroup' }
  t.match(read({ update_id: 5, message: { ...message, chat } }), { body: 'OK', items: [grouped] })
  for (const kind of ['channel_post', 'my_chat_member', 'chat_join_request', 'purchased_paid_media', 'news_2031']) {
    const sample_fields = ['new_count']
    const counted = [{ kind: 'ignored', account: null, what: 'field', name: kind, sample_fields }]
    t.strictSame(read({ update_id: 5, [kind]: { new_count: 1 } }), { body: 'OK', items: counted }, kind)
  }
})

t.test('fields beside a content that is read are counted', async (t) => {
  const { message } = guide.updates.message_with_text as { message: Json }
  const items = read({
    update_id: 5,
    message: { ...message, mood_2031: 'fine', is_topic_message: true, gift: {} },
  })?.items
  t.match(items, [
    { kind: 'message', message: { type: 'text', body: '/start' } },
    { kind: 'ignored', what: 'field', name: 'message.mood_2031' },
    { kind: 'ignored', name: 'message.gift' },
  ])
  t.equal(items?.length, 3)
})

t.test('a press of a button', async (t) => {
  const { provider, far, calls } = await simulated(t, botSide())
  const options = {
    account,
    to: '42',
    opaque: 'msg_1',
    fileOf: () => {
      throw new Error('no file is named')
    },
  }
  const long = `order:${'7'.repeat(90)}`
  const buttons = {
    type: 'buttons',
    body_text: 'Ship it?',
    buttons: [
      { id: 'yes', title: 'Yes' },
      { id: long, title: 'Later' },
    ],
  } as const
  const list = {
    type: 'list',
    body_text: 'When?',
    button_text: 'Days',
    sections: [{ rows: [{ id: 'fri', title: 'Fri' }] }],
  }
  const cases = [
    [buttons, 'Yes', 'button_reply', { id: 'yes', title: 'Yes' }],
    [buttons, 'Later', 'button_reply', { id: callbackData('button_reply', long), title: 'Later', id_is_token: true }],
    [list, 'Fri', 'list_reply', { id: 'fri', title: 'Fri' }],
  ] as const
  for (const [message, title, kind, choice] of cases) {
    const sent = await provider.send(far.credentials, provider.build(message as never, options))
    const message_id = 'sent' in sent ? sent.sent : ''
    const { update_id } = await far.control('POST', 'inbound', {
      channel: 'telegram',
      from: '42',
      name: 'Ana Díaz',
      message: { callback: { message_id, data: title } },
    })
    const { status, body, items } = provider.hook!.read(
      calls.at(-1)!,
      { ...account, credentials: far.credentials },
      NOW,
    )
    t.equal(status, 200)
    t.match(JSON.parse(body), { method: 'answerCallbackQuery', callback_query_id: /^\d+$/ }, 'the button stops waiting')
    const [item] = items as InboundMessage[]
    t.match(item, {
      provider_message_id: `update:${update_id}`,
      user_id: '42',
      name: 'Ana Díaz',
      type: 'interactive',
      context: { message_id },
    })
    t.strictSame(item?.message, { type: 'interactive', interactive_type: kind, [kind]: choice })
    const { id } = choice
    if ('id_is_token' in choice)
      t.equal(idOfToken(id, message as never), long, 'the message that was sent knows the id')
  }
})

t.test('reactions', async (t) => {
  const { chat, from: user } = (guide.updates.message_with_text as { message: Json }).message as Json
  const reaction = (new_reaction: Json[]) => ({
    update_id: 77,
    message_reaction: { chat, user, message_id: 9, date: 1441645532, old_reaction: [], new_reaction },
  })
  const custom = { type: 'custom_emoji', custom_emoji_id: '5368324170671202286' }
  t.match(itemOf(reaction([{ type: 'emoji', emoji: '👍' }])), {
    provider_message_id: 'update:77',
    message: { type: 'reaction', message_id: '1111111:9', emoji: '👍' },
    context: null,
  })
  t.match(itemOf(reaction([custom, { type: 'emoji', emoji: '🔥' }]))?.message, { emoji: '🔥' })
  t.match(itemOf(reaction([]))?.message, { emoji: '' }, 'taken back')
  t.match(
    itemOf(reaction([custom]))?.message,
    { type: 'unsupported', kind: 'reaction', reaction: [custom] },
    'without a character',
  )
})

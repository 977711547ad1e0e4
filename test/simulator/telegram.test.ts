import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Bot, type Context, type GrammyError, InlineKeyboard, InputFile, webhookCallback } from 'grammy'
import t, { type Test } from 'tap'
import { type SimulatorOptions, startSimulator } from '../../http/simulator/mod.ts'
import { type Json, until } from './receiver.ts'

const TOKEN = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'
const PERSON = 518273640
const PNG = Buffer.from('89504e470d0a1a0a', 'hex')

type Control = (method: string, path: string, body?: Json) => Promise<{ status: number; body: Json }>

/** Starts a simulator with one bot, and grammY as the bot's client. */
async function start(t: Test, options: Partial<SimulatorOptions> = {}) {
  const simulator = await startSimulator({
    numbers: [],
    telegram: [{ bot_token: TOKEN, username: 'shop_bot', first_name: 'Shop' }],
    webhooks: { retry_base_ms: 20, in_flight: 1 },
    ...options,
  })
  t.teardown(() => simulator.close())
  const control: Control = async (method, path, body) => {
    const response = await fetch(`${simulator.url}/_control/${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Json }
  }
  const bot = new Bot(TOKEN, { client: { apiRoot: simulator.url } })
  await bot.init()
  return { url: simulator.url, bot, control }
}

/** Runs the bot behind a webhook of its own, as in grammY's documentation. */
async function receive(t: Test, bot: Bot, secretToken?: string): Promise<string> {
  const handle = webhookCallback(bot, 'http', secretToken === undefined ? {} : { secretToken })
  const server = createServer((request, response) => void handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(
    () =>
      new Promise((resolve) => {
        server.close(resolve)
        server.closeAllConnections()
      }),
  )
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
}

t.test('grammY works against it with nothing but an API root', async (t) => {
  const { url, bot, control } = await start(t)
  t.match(bot.botInfo, { id: 110201543, is_bot: true, username: 'shop_bot', first_name: 'Shop' })
  const { api } = bot
  const link = 'https://example.com/cat.jpg'
  const text = await api.sendMessage(PERSON, 'Hello', {
    reply_markup: new InlineKeyboard().text('Yes', 'yes').url('Open', 'https://example.com'),
  })
  t.match(text, { chat: { id: PERSON, type: 'private' }, from: { id: 110201543 }, text: 'Hello' })
  t.equal(text.reply_markup?.inline_keyboard.flat().length, 2)
  const reply = await api.sendMessage(PERSON, 'That', { reply_parameters: { message_id: text.message_id } })
  t.equal(reply.reply_to_message?.message_id, text.message_id)
  t.match(await api.sendPhoto(PERSON, link, { caption: 'A' }), { photo: [Object, Object], caption: 'A' })
  const sent = await api.sendDocument(PERSON, new InputFile(PNG, 'cat.png'), { caption: 'A file' })
  t.match(sent, { document: { file_name: 'cat.png', file_size: PNG.length }, caption: 'A file' })
  t.match(await api.sendVideo(PERSON, link), { video: { mime_type: 'video/mp4' } })
  t.match(await api.sendAudio(PERSON, link), { audio: { mime_type: 'audio/mpeg' } })
  t.match(await api.sendVoice(PERSON, link), { voice: { mime_type: 'audio/ogg' } })
  t.match(await api.sendSticker(PERSON, link), { sticker: { type: 'regular' } })
  t.match(await api.sendPhoto(PERSON, sent.document.file_id), { photo: Array }, 'by an id it knows')
  const album: Json[] = await api.sendMediaGroup(PERSON, [
    { type: 'photo', media: link, caption: 'First' },
    { type: 'photo', media: new InputFile(PNG, 'second.png') },
  ])
  t.match(album, [{ caption: 'First' }, { photo: Array }])
  t.equal(album[0]?.media_group_id, album[1]?.media_group_id)
  t.equal(await api.setMessageReaction(PERSON, text.message_id, [{ type: 'emoji', emoji: '👍' }]), true)
  t.equal(await api.setMessageReaction(PERSON, text.message_id, []), true)
  t.equal(await api.sendChatAction(PERSON, 'typing'), true)
  t.match(await api.editMessageText(PERSON, text.message_id, 'Edited'), { text: 'Edited', edit_date: Number })

  const file = await api.getFile(sent.document.file_id)
  t.match(file, { file_size: PNG.length, file_path: /^documents\// })
  const downloaded = await fetch(`${url}/file/bot${TOKEN}/${file.file_path}`)
  t.strictSame(Buffer.from(await downloaded.arrayBuffer()), PNG)
  t.equal((await fetch(`${url}/file/bot110201543:wrong/${file.file_path}`)).status, 401)

  const { body } = await control('GET', 'sent?recipient=518273640')
  const types = ['text', 'text', 'photo', 'document', 'video', 'audio', 'voice', 'sticker', 'photo', 'media_group']
  t.strictSame(
    body.data.map((message: Json) => message.type),
    [...types, 'reaction', 'reaction'],
  )
  t.match(body.data[0], { channel: 'telegram', phone_number_id: '110201543', id: `${PERSON}:${text.message_id}` })
})

t.test("the simulator refuses what Telegram refuses, with Telegram's texts", async (t) => {
  const { bot, control } = await start(t)
  const { api } = bot
  const { message_id } = await api.sendMessage(PERSON, 'Hello')
  const keyboard = (data: string) => ({ reply_markup: { inline_keyboard: [[{ text: 'a', callback_data: data }]] } })
  const cases: [string, () => Promise<unknown>, RegExp][] = [
    ['no text', () => api.sendMessage(PERSON, ''), /message text is empty/],
    ['a long text', () => api.sendMessage(PERSON, 'a'.repeat(4097)), /message is too long/],
    [
      'a long caption',
      () => api.sendPhoto(PERSON, 'https://e.com/a', { caption: 'a'.repeat(1025) }),
      /caption is too long/,
    ],
    ['no such chat', () => api.sendMessage('@nobody', 'Hi'), /chat not found/],
    ['long callback data', () => api.sendMessage(PERSON, 'Hi', keyboard('ñ'.repeat(33))), /BUTTON_DATA_INVALID/],
    [
      'a link that is none',
      () => api.sendMessage(PERSON, 'Hi', { reply_markup: new InlineKeyboard().url('a', 'nowhere') }),
      /Wrong HTTP URL/,
    ],
    ['a file that is none', () => api.sendPhoto(PERSON, 'nothing'), /wrong file identifier/],
    ['one picture', () => api.sendMediaGroup(PERSON, [{ type: 'photo', media: 'https://e.com/a' }]), /2 to 10 items/],
    [
      'a quote of nothing',
      () => api.sendMessage(PERSON, 'Hi', { reply_parameters: { message_id: 999 } }),
      /message to be replied not found/,
    ],
    ['a reaction to nothing', () => api.setMessageReaction(PERSON, 999, []), /message to react not found/],
    [
      'a reaction that is none',
      () => api.setMessageReaction(PERSON, message_id, [{ type: 'emoji', emoji: '🐙' as '🐳' }]),
      /REACTION_INVALID/,
    ],
    ['the same text', () => api.editMessageText(PERSON, message_id, 'Hello'), /message is not modified/],
    ['an unknown press', () => api.answerCallbackQuery('1'), /query ID is invalid/],
    ['an unknown file', () => api.getFile('1'), /invalid file_id/],
  ]
  for (const [name, call, description] of cases)
    await t.rejects(call(), { name: 'GrammyError', error_code: 400, description }, name)
  const wrong = new Bot('110201543:wrong', { client: { apiRoot: (bot.api as Json).options.apiRoot } })
  await t.rejects(wrong.api.getMe(), { name: 'GrammyError', error_code: 401, description: 'Unauthorized' })
  t.equal((await control('GET', 'sent')).body.total, 1)
})

t.test("updates reach grammY's receiver, and its answers are obeyed", async (t) => {
  const { bot, control } = await start(t)
  const seen: Json[] = []
  bot.on('message:text', (context) => context.reply(`You said ${context.message.text}`))
  bot.on('message:photo', async (context) => {
    seen.push(await context.getFile())
  })
  bot.on('callback_query:data', async (context) => {
    seen.push({ data: context.callbackQuery.data })
    await context.answerCallbackQuery('Thanks')
  })
  bot.on('message_reaction', (context) => {
    seen.push(context.reactions())
  })
  const hook = await receive(t, bot, 'a-secret')
  await bot.api.setWebhook(hook, {
    secret_token: 'a-secret',
    allowed_updates: ['message', 'callback_query', 'message_reaction'],
  })
  t.match(await bot.api.getWebhookInfo(), { url: hook, pending_update_count: 0 })
  const write = async (message: unknown, more: Json = {}) => {
    const reply = await control('POST', 'inbound', { channel: 'telegram', from: String(PERSON), message, ...more })
    t.match(reply, { status: 200, body: { webhook: { status: 200 } } }, JSON.stringify(reply.body.error))
    return reply.body
  }
  const { provider_message_id, message } = await write('Hello', { name: 'Ana Díaz', username: 'ana' })
  t.equal(provider_message_id, `${PERSON}:${message.message_id}`)
  t.match(message, { from: { first_name: 'Ana', last_name: 'Díaz', username: 'ana' }, chat: { type: 'private' } })
  const { body } = await control('GET', 'sent')
  t.match(body.data, [{ body: { text: 'You said Hello' }, recipient: String(PERSON) }])

  await write({ photo: { data: PNG.toString('base64') }, caption: 'Look' })
  t.match(seen[0], { file_size: PNG.length, file_path: /^photos\// })

  const offer = await bot.api.sendMessage(PERSON, 'Ship it?', { reply_markup: new InlineKeyboard().text('Yes', 'y') })
  await write({ callback: { message_id: offer.message_id, data: 'Yes' } })
  t.strictSame(seen[1], { data: 'y' })
  await write({ reaction: { message_id: `${PERSON}:${offer.message_id}`, emoji: '🔥' } })
  t.match(seen[2], { emoji: ['🔥'] })

  const missing = {
    channel: 'telegram',
    from: PERSON,
    message: { callback: { message_id: offer.message_id, data: 'No' } },
  }
  t.match(await control('POST', 'inbound', missing), { status: 404, body: { error: { message: /it has: Yes/ } } })
  await bot.api.setWebhook(hook, { secret_token: 'a-secret', allowed_updates: ['message'] })
  const unheard = { channel: 'telegram', from: PERSON, message: { reaction: { message_id: 1, emoji: '🔥' } } }
  t.match(await control('POST', 'inbound', unheard), { status: 409, body: { error: { code: 'NOT_SUBSCRIBED' } } })
  await bot.api.deleteWebhook()
  t.match(await control('POST', 'inbound', { channel: 'telegram', from: PERSON, message: 'Hi' }), {
    status: 409,
    body: { error: { code: 'NO_WEBHOOK' } },
  })
})

t.test('a call in the answer of a webhook is made', async (t) => {
  const { bot, control } = await start(t)
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ method: 'sendMessage', chat_id: PERSON, text: 'At once' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  await bot.api.setWebhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  await control('POST', 'inbound', { channel: 'telegram', from: PERSON, message: 'Hi' })
  t.match((await control('GET', 'sent')).body.data, [{ type: 'text', body: { text: 'At once' } }])
})

t.test('an update posted by hand is an update like any other', async (t) => {
  const { bot, control } = await start(t)
  bot.on('message', (context) => context.react('👍').catch((error: GrammyError) => context.reply(error.description)))
  const chat = { id: PERSON, type: 'private' as const, first_name: 'Ana' }
  const from = { id: PERSON, is_bot: false, first_name: 'Ana' }
  await bot.handleUpdate({
    update_id: 1,
    message: { message_id: 999, date: 1, chat, from, text: 'Hi' },
  } as Context['update'])
  t.match((await control('GET', 'sent')).body.data, [{ body: { text: /message to react not found/ } }])
})

t.test('faults and magic chats', async (t) => {
  const { bot, control } = await start(t)
  const { api } = bot
  const to = (chat: string) => api.sendMessage(chat, 'Hi')
  await t.rejects(to('15550190400'), { name: 'GrammyError', error_code: 400, description: /chat not found/ })
  await t.rejects(to('15550190403'), { name: 'GrammyError', error_code: 403, description: /blocked by the user/ })
  await t.rejects(to('15550190429'), { name: 'GrammyError', error_code: 429, parameters: { retry_after: 1 } })
  t.match(await to('15550190429'), { text: 'Hi' }, 'the second goes through')
  await t.rejects(to('15550190500'), { name: 'GrammyError', error_code: 500 })
  await t.rejects(to('15550190500'), { name: 'GrammyError', error_code: 500 })
  t.match(await to('15550190500'), { text: 'Hi' })
  await t.rejects(to('15550180002'), { name: 'HttpError' }, 'accepted, and the answer is lost')
  t.equal((await control('GET', 'sent?recipient=15550180002')).body.count, 1)
  const { body } = await control('GET', 'bots/magic')
  t.ok(body.data.length > 8)
  await control('POST', 'faults', {
    match: { channel: 'telegram', operation: 'getMe', phone_number_id: '110201543' },
    error: { code: 500, message: 'Down' },
    times: 1,
  })
  await t.rejects(api.getMe(), { name: 'GrammyError', error_code: 500, description: 'Down' })
  t.match(await api.getMe(), { id: 110201543 })
})

t.test('an update that is not taken comes again, the same one', async (t) => {
  const { bot, control } = await start(t)
  const bodies: string[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(body)
    response.writeHead(bodies.length === 1 ? 500 : 200).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  await bot.api.setWebhook(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const { body } = await control('POST', 'inbound', { channel: 'telegram', from: PERSON, message: 'Hi' })
  t.equal(body.webhook.status, 500)
  await until('the second attempt', () => bodies.length === 2)
  t.equal(bodies[0], bodies[1])
})

t.test('bots are set up by the control API', async (t) => {
  const { control } = await start(t)
  const bot_token = '42:secret'
  t.match(await control('PUT', 'bots', { bot_token }), { status: 201, body: { bot_id: '42', bot_token: undefined } })
  t.match(await control('PUT', 'bots', { bot_token, username: 'b' }), { status: 200, body: { username: 'b' } })
  t.match((await control('GET', 'bots')).body.data, [{ bot_id: '110201543' }, { bot_id: '42' }])
  for (const body of [{}, { bot_token: 'x' }, { bot_token, token: 'x' }, { bot_token, webhook_url: 'ftp://x' }])
    t.match(await control('PUT', 'bots', body), { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
})

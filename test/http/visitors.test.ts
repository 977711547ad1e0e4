/**
 * The web chat of visitors, over the stock client `socket.io-client`. One file, because every test is a conversation
 * between one channel and its visitors.
 */
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { joinCluster } from '../e2e/cluster.ts'
import { joinWorld, made, makeTenant } from '../e2e/fixture.ts'
import { forged, type Owner } from '../support/mod.ts'
import { connectWeb, type Visitor, visitPage } from './visitor_page.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const channel_id = await connectWeb(world, tenant)

type Visiting = { base_url?: string; channel?: string; token?: string | undefined; origin?: string; auth?: object }

/** Opens a page of a visitor. Rejects with the code when the page is not let in. */
const visit = (t: Owner, { base_url = world.base_url, channel = channel_id, ...more }: Visiting = {}) =>
  visitPage(t, { base_url, channel, ...more })

const sendTo = ({ user_id }: Visitor, message: object, fields: object = {}, by = tenant, channel = channel_id) =>
  made(by.api('POST', 'messages', { channel: 'web', channel_id: channel, to: user_id, message, ...fields }))

const hears = ({ heard }: Visitor, ref: string) =>
  eventually(`${ref} is heard`, () => heard.find((one) => one.ref === ref))

t.test('a visitor writes, the message and the contact are stored, and the answer comes live', async (t) => {
  const hook = await tenant.subscribe('visitors', ['web.message.received'])
  const visitor = await visit(t)
  t.equal(visitor.name, 'Shop')
  const { ref, at } = await visitor.write('Hola 🦤')
  const stored = await eventually('the message is stored', async () => {
    const { body } = await tenant.api('GET', 'messages?channel=web&status=received')
    return body.data.find((one: Json) => one.provider_message_id === ref)
  })
  t.match(stored, {
    direction: 'inbound',
    type: 'text',
    message: { type: 'text', body: 'Hola 🦤' },
    from: visitor.user_id,
  })
  t.ok(at)
  const [delivery] = await eventually('the event', async () => {
    const all = await tenant.deliveries(hook.id)
    return all.length > 0 && all
  })
  t.equal(delivery.event_type, 'web.message.received')

  const answer = await sendTo(visitor, { type: 'text', body: 'Hi!' }, { context: { message_id: stored.id } })
  t.equal(answer.chat_user, stored.chat_user, 'one person')
  const live = await hears(visitor, `web-${answer.id}`)
  t.match(live, { direction: 'outbound', context: ref, message: { type: 'text', body: 'Hi!' }, at: String })
  t.match(await tenant.message(answer.id, 'sent'), { provider_message_id: `web-${answer.id}` })
})

t.test('delivery and reading by a visitor reach the message', async (t) => {
  const visitor = await visit(t)
  await visitor.write('Hello')
  const [one, other] = [
    await sendTo(visitor, { type: 'text', body: 'A' }),
    await sendTo(visitor, { type: 'text', body: 'B' }),
  ]
  const refs = [`web-${one.id}`, `web-${other.id}`]
  for (const ref of refs) await hears(visitor, ref)
  t.same(await visitor.ask('seen', { status: 'delivered', refs }), {})
  for (const { id } of [one, other])
    t.match(await tenant.message(id, 'delivered'), { delivered_at: String, read_at: null })
  await visitor.ask('seen', { status: 'read', refs: [refs[1]] })
  t.match(await tenant.message(other.id, 'read'), { read_at: String })
  t.equal((await tenant.message(one.id, 'delivered')).status, 'delivered')
  const { messages } = await visitor.ask('history')
  t.same(
    messages.map(({ status }: Json) => status),
    [undefined, 'delivered', 'read'],
  )
})

t.test('a reload is the same person with the same conversation, and two tabs are one person', async (t) => {
  const first = await visit(t)
  const { ref } = await first.write('from the first tab')
  const second = await visit(t, { token: first.token })
  t.equal(second.token, first.token)
  t.match(await second.ask('history'), { messages: [{ ref, direction: 'inbound' }], before: null })
  const { ref: other } = await second.write('from the second')
  await hears(first, other)
  const { id } = await sendTo(first, { type: 'text', body: 'to both' })
  for (const tab of [first, second]) await hears(tab, `web-${id}`)
  const { body } = await tenant.api('GET', 'messages?channel=web&limit=200')
  const mine = body.data.filter((one: Json) => [ref, other].includes(one.provider_message_id))
  t.equal(new Set(mine.map((one: Json) => one.chat_user)).size, 1)
})

t.test('a visitor who was away gets the messages of that time on return', async (t) => {
  const before = await visit(t)
  await before.write('I will be back')
  before.socket.disconnect()
  const messages = [
    { type: 'text', body: 'Are you there?' },
    { type: 'buttons', body_text: 'Well?', buttons: [{ id: 'yes', title: 'Yes' }] },
    { type: 'image', link: 'https://example.com/cat.jpg', caption: 'Cat' },
  ]
  const sent: Json[] = []
  for (const message of messages) sent.push(await sendTo(before, message))
  for (const { id } of sent) await tenant.message(id, 'sent')
  const after = await visit(t, { token: before.token })
  const { messages: found } = await after.ask('history')
  t.match(found, [{ direction: 'inbound' }, ...messages.map((message) => ({ direction: 'outbound', message }))])
  t.same(
    found.slice(1).map(({ ref }: Json) => ref),
    sent.map(({ id }) => `web-${id}`),
  )
})

t.test('a long conversation is read page by page, each message once', async (t) => {
  const visitor = await visit(t)
  await visitor.write('start')
  const ids = new Set<string>()
  for (let n = 0; n < 60; n++) ids.add(`web-${(await sendTo(visitor, { type: 'text', body: `${n}` })).id}`)
  const last = await visitor.ask('history')
  t.equal(last.messages.length, 50)
  const first = await visitor.ask('history', { before: last.before })
  t.equal(first.before, null)
  const all = [...first.messages, ...last.messages]
  t.same(
    all.slice(1).map(({ message }: Json) => message.body),
    [...ids].map((_, n) => `${n}`),
    'in order',
  )
  t.same(new Set(all.slice(1).map(({ ref }: Json) => ref)), ids)
})

t.test('a choice and a reaction keep their types', async (t) => {
  const visitor = await visit(t)
  const message = { type: 'buttons', body_text: 'Ship?', buttons: [{ id: 'yes', title: 'Yes' }] }
  const { id } = await sendTo(visitor, message)
  const about = `web-${id}`
  await hears(visitor, about)
  const chosen = { id: 'page-chose-1', type: 'button_reply', about, reply: { id: 'yes', title: 'Yes' } }
  const { ref } = await visitor.ask('say', chosen)
  t.same(await visitor.ask('say', chosen).then((again) => again.ref), ref, 'said again it is the same')
  await visitor.ask('say', { id: 'page-liked-1', type: 'reaction', about, emoji: '👍' })
  const stored = await eventually('both are stored', async () => {
    const { body } = await tenant.api('GET', 'messages?channel=web&status=received&limit=200')
    const mine = body.data.filter((one: Json) => one.from === visitor.user_id)
    return mine.length >= 2 && mine
  })
  t.match(stored, [
    { type: 'reaction', message: { message_id: about, emoji: '👍' } },
    { type: 'interactive', message: { button_reply: { id: 'yes', title: 'Yes' } }, context: { message_id: about } },
  ])
  t.equal(stored.length, 2)
})

t.test('an upload is shown by a link that works, live and later', async (t) => {
  const visitor = await visit(t)
  const png = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  )
  const form = new FormData()
  form.append('file', new File([png], 'dot.png', { type: 'image/png' }))
  const other = await makeTenant(world)
  const token = tenant.token
  // A project with a number keeps its files with the number's provider, so this project switches its number off.
  await world.operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: false })
  t.teardown(() => world.operator('PATCH', `channels/${tenant.number.channel_id}`, { is_active: true }))
  const upload = await fetch(`${world.base_url}/v1/media/upload`, {
    method: 'POST',
    body: form,
    headers: { authorization: `Bearer ${token}` },
  })
  const { media_id } = (await upload.json()) as Json
  const { id } = await sendTo(visitor, { type: 'image', media_id, caption: 'Dot' })
  const live = await hears(visitor, `web-${id}`)
  const { messages } = await visitor.ask('history')
  for (const { message } of [live, messages.at(-1)]) {
    t.match(message, { type: 'image', caption: 'Dot', media_id: undefined })
    const file = await fetch(message.link)
    t.ok(png.equals(Buffer.from(await file.arrayBuffer())))
  }
  t.not(other.project_id, tenant.project_id)
})

t.test('a page that is not let in learns the reason', async (t) => {
  const closed = await connectWeb(world, tenant, { allowed_origins: 'https://shop.example.com, https://*.example.org' })
  const { token } = await visit(t)
  const cases: [string, Visiting, string][] = [
    ['a page of another site', { channel: closed, origin: 'https://evil.example' }, 'ORIGIN_NOT_ALLOWED'],
    ['a site that ends alike', { channel: closed, origin: 'https://notexample.org' }, 'ORIGIN_NOT_ALLOWED'],
    ['the site without TLS', { channel: closed, origin: 'http://shop.example.com' }, 'ORIGIN_NOT_ALLOWED'],
    ['a sandbox', { channel: closed, origin: 'null' }, 'ORIGIN_NOT_ALLOWED'],
    ['no page at all', { channel: closed }, 'ORIGIN_NOT_ALLOWED'],
    ['a forged token', { token: forged(token) }, 'TOKEN_INVALID'],
    ['the token of another channel', { channel: closed, origin: 'https://shop.example.com', token }, 'TOKEN_INVALID'],
    ['a token that is none', { auth: { channel_id, visitor_token: { a: 1 } } }, 'TOKEN_INVALID'],
    ['a channel of another kind', { channel: tenant.number.channel_id }, 'CHANNEL_NOT_FOUND'],
    ['a channel that is not there', { channel: '66f0000000000000000000ff' }, 'CHANNEL_NOT_FOUND'],
    ['no channel', { auth: {} }, 'CHANNEL_NOT_FOUND'],
  ]
  for (const [what, visiting, code] of cases) await t.rejects(visit(t, visiting), { message: code }, what)
  for (const origin of ['https://shop.example.com', 'https://www.example.org', world.base_url])
    t.equal((await visit(t, { channel: closed, origin })).name, 'Shop', origin)
})

t.test('a new secret of the channel makes every visitor token invalid', async (t) => {
  const channel = await connectWeb(world, tenant)
  const [visitor, reader] = [await visit(t, { channel }), await visit(t, { channel })]
  const gone = [visitor, reader].map(({ socket }) => new Promise((resolve) => socket.on('disconnect', resolve)))
  await made(
    world.operator('PATCH', `channels/${channel}`, { credentials: { visitor_secret: 'another secret of visitors' } }),
  )
  await t.rejects(visitor.write('Hello?'), 'nobody answers any more')
  await Promise.all(gone)
  t.pass('whoever only listens is sent away as well')
  await t.rejects(visit(t, { channel, token: visitor.token }), { message: 'TOKEN_INVALID' })
})

t.test('pages learn that their channel is switched off, and come back when it is on again', async (t) => {
  const channel = await connectWeb(world, tenant)
  const visitor = await visit(t, { channel })
  const told = new Promise<Json>((resolve) => visitor.socket.on('closed', resolve))
  const gone = new Promise((resolve) => visitor.socket.on('disconnect', resolve))
  await made(world.operator('PATCH', `channels/${channel}`, { is_active: false }))
  t.match(await told, { code: 'CHANNEL_CLOSED', message: String, retry_after_s: Number })
  await gone
  await t.rejects(visit(t, { channel, token: visitor.token }), { message: 'CHANNEL_CLOSED' })
  await made(world.operator('PATCH', `channels/${channel}`, { is_active: true }))
  const again = await eventually('it is open', () => visit(t, { channel, token: visitor.token }).catch(() => undefined))
  t.equal(again.user_id, visitor.user_id)
})

t.test('pages of a channel that is deleted are sent away for good', async (t) => {
  const channel = await connectWeb(world, tenant)
  const visitor = await visit(t, { channel })
  const gone = new Promise((resolve) => visitor.socket.on('disconnect', resolve))
  t.equal((await world.operator('DELETE', `channels/${channel}`)).status, 204)
  await gone
  await t.rejects(visit(t, { channel, token: visitor.token }), { message: 'CHANNEL_NOT_FOUND' })
})

t.test('an invalid message of a page is refused', async (t) => {
  const visitor = await visit(t)
  const other = await visit(t)
  const { id } = await sendTo(other, { type: 'text', body: 'for the other' })
  await hears(other, `web-${id}`)
  const about = `web-${id}`
  const cases: [string, unknown, string][] = [
    ['a text too long', { id: '12345678', type: 'text', body: 'x'.repeat(4097) }, 'TOO_LONG'],
    ['a thing that is no message', { id: '12345678', type: 'template' }, 'MALFORMED'],
    ['nothing', null, 'MALFORMED'],
    [
      'a reaction to what others were told',
      { id: '12345678', type: 'reaction', about, emoji: '👍' },
      'UNKNOWN_MESSAGE',
    ],
  ]
  for (const [what, words, code] of cases) t.match(await visitor.ask('say', words), { error: { code } }, what)
  t.match(await visitor.ask('seen', { status: 'failed', refs: [about] }), { error: { code: 'MALFORMED' } })
  t.match(await visitor.ask('history', { before: "x' or 1=1" }), { error: { code: 'MALFORMED' } })
  t.same(await visitor.ask('seen', { status: 'read', refs: [about] }), {}, 'what others were told is passed over')
  await other.ask('seen', { status: 'delivered', refs: [about] })
  t.equal((await tenant.message(id, 'delivered', 'read')).status, 'delivered')
  t.same((await visitor.ask('history')).messages, [])
  visitor.socket.emit('say', { id: '12345678', type: 'text', body: 'without an answer' })
  t.same((await visitor.ask('history')).messages, [], 'who wants no answer is not heard')
})

t.test('a socket has a token bucket, and a frame that is too large ends the socket', async (t) => {
  const visitor = await visit(t)
  const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => visitor.write(`${n}`)))
  const refused = answers.filter(({ error }) => error?.code === 'TOO_FAST').length
  t.ok(refused > 0 && refused < 30, `${refused} of 30 are too fast`)
  t.equal(answers.filter(({ ref }) => ref).length, 30 - refused)
  const gone = new Promise((resolve) => visitor.socket.on('disconnect', resolve))
  visitor.socket.emit('say', { id: '12345678', type: 'text', body: 'x'.repeat(40_000) }, () => t.fail('answered'))
  await gone
  t.equal((await visit(t)).name, 'Shop', 'others come in')
})

t.test('the chat accepts websockets only', async (t) => {
  for (const path of ['?EIO=4&transport=polling', '?EIO=4&transport=websocket', '?EIO=4', ''])
    t.ok([400, 403].includes((await world.http('GET', `${world.base_url}/visitor/socket.io/${path}`)).status), path)
  t.equal((await world.http('GET', `${world.base_url}/health`)).status, 200)
})

t.test('a visitor at one node gets messages sent at another, and may come back to any node', async (t) => {
  const { nodes, world } = await joinCluster(t)
  const [one, other] = nodes
  const company = await makeTenant(world)
  const channel = await connectWeb(world, company)
  const here = await visit(t, { base_url: one!.base_url, channel })
  const there = await visit(t, { base_url: other!.base_url, channel, token: here.token })
  const { ref } = await here.write('Hello, both')
  await hears(there, ref)
  for (let n = 0; n < 5; n++) {
    const { id } = await sendTo(here, { type: 'text', body: `${n}` }, {}, company, channel)
    for (const tab of [here, there]) await hears(tab, `web-${id}`)
  }
  there.socket.disconnect()
  const back = await visit(t, { base_url: one!.base_url, channel, token: there.token })
  t.equal((await back.ask('history')).messages.length, 6)
})

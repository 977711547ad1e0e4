/**
 * The conversation that the page of the chat has with the server, over connections that break. One file, because all tests share
 * one channel and one way to open it.
 */
import { join } from 'node:path'
import t from 'tap'
import { hearVisitorTyping, tellVisitor } from '../../actors/mod.ts'
import { NatsBus } from '../../runtime/broker/bus.ts'
import { systemClock } from '../../runtime/time/clock.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { joinWorld, made, makeTenant, startWorld, subjectsOf, type Tenant } from '../e2e/fixture.ts'
import { testNats } from '../support/mod.ts'
import { browserStorage } from './browser_storage.ts'
import { identityToken } from './visitor_page.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const SECRET = 'the secret of the visitors'
const IDENTITY = 'the secret with which the site signs'
const chatOf = async ({ operator } = world, { project_id } = tenant): Promise<string> => {
  const credentials = { visitor_secret: SECRET, identity_secret: IDENTITY }
  const fields = { project_id, channel_type: 'web', provider: 'cloud', name: 'Shop', credentials }
  return (await made(operator('POST', 'channels', fields)))._id
}
const channel_id = await chatOf()
const pages = join(import.meta.dirname, '../../http/visitors/page')
const { Conversation } = await import(join(pages, 'conversation/conversation.ts'))
const { Memory } = await import(join(pages, 'messages/memory.ts'))
const { Messages } = await import(join(pages, 'messages/messages.ts'))

/** Runs the page's conversation as a browser would. Node has the WebSocket of browsers. `kept`: the browser's storage. */
function open(
  t: { teardown(undo: () => void): unknown },
  kept: Json = new Memory('chat', browserStorage()),
  {
    channel = channel_id,
    message,
    base_url = world.base_url,
  }: { channel?: string; message?: (message: Json) => void; base_url?: string } = {},
) {
  const conversation = new Conversation(new URL(`${base_url}/`), channel, kept, { changed() {}, message })
  t.teardown(() => conversation.close())
  conversation.open()
  return conversation
}

const { connect } = await testNats(t)
/** The bus between the nodes, as a console's node uses it. */
const bus = new NatsBus(await connect(), await subjectsOf(world.config), systemClock)

const memory = () => new Memory('chat', browserStorage())

const shows = (conversation: Json, ...bodies: string[]) =>
  eventually(`${bodies} are shown`, () => {
    const shown = conversation.messages.map(({ message }: Json) => message.body)
    return shown.length === bodies.length && shown.every((body: string, n: number) => body === bodies[n])
  })
const text = (body: string) => [
  { type: 'text', body },
  { type: 'text', body },
]
const sendTo = (token: string, body: string, { api }: Tenant = tenant) => {
  const to = token.split('.')[0]
  return made(api('POST', 'messages', { channel: 'web', to, message: { type: 'text', body } }))
}

t.test('messages written before the connection are sent with it, in order and once', async (t) => {
  const kept = memory()
  const conversation = open(t, kept)
  for (const body of ['one', 'two', 'three']) conversation.say(...text(body))
  t.same(
    conversation.messages.map(({ pending }: Json) => pending),
    [true, true, true],
    'shown at once',
  )
  await eventually('all are sent', () => conversation.messages.every(({ pending }: Json) => !pending))
  await shows(conversation, 'one', 'two', 'three')
  t.equal(conversation.name, 'Shop')
  const again = open(t, kept)
  await shows(again, 'one', 'two', 'three')
})

t.test('messages written offline survive a reload, and two tabs send them once and in order', async (t) => {
  const kept = memory()
  // The first page is left before it was ever connected.
  const first = new Conversation(new URL(`${world.base_url}/`), channel_id, kept, { changed() {} })
  for (const body of ['a', 'b', 'c']) first.say(...text(body))
  first.close()
  const tabs = [open(t, kept), open(t, kept)]
  for (const tab of tabs) await shows(tab, 'a', 'b', 'c')
  for (const tab of tabs) await eventually('all are sent', () => tab.messages.every(({ pending }: Json) => !pending))
  t.same(kept.waiting, [], 'nothing waits in the storage')
  const { body } = await tenant.api('GET', 'messages?channel=web&status=received&limit=200')
  const mine = body.data.filter((one: Json) => ['a', 'b', 'c'].includes(one.message.body))
  t.same(mine.map((one: Json) => one.message.body).reverse(), ['a', 'b', 'c'])
})

t.test('a message whose answer was lost is sent again under its id', async (t) => {
  const kept = memory()
  const first = open(t, kept)
  first.say(...text('once'))
  const [waiting] = kept.waiting
  await eventually('it is sent', () => kept.waiting.length === 0)
  first.close()
  // The page did not live to hear it.
  kept.keep({ ...waiting, is_tried: true })
  const again = open(t, kept)
  await shows(again, 'once')
  await eventually('nothing waits', () => kept.waiting.length === 0)
  t.equal(again.messages.length, 1)
})

t.test('a message that left late is where it was written', async (t) => {
  const messages = new Messages()
  const base = { direction: 'inbound', context: null, message: { type: 'text', body: '' } }
  messages.keep({ ...base, ref: 'second', id: 'msg_2', at: '2026-11-21T10:00:00.000Z' })
  messages.keep({ ...base, ref: 'first', id: 'msg_1', at: '2026-11-21T10:00:01.000Z' })
  messages.keep({ ...base, ref: 'second', at: '2026-11-21T10:00:00.000Z', status: 'read' })
  t.same(
    messages.visible.map(({ ref }: Json) => ref),
    ['first', 'second'],
  )
})

t.test('the visitor sees that an agent writes and has read, and who it is', async (t) => {
  const conversation = open(t)
  conversation.say(...text('Anybody there?'))
  await eventually('it is sent', () => conversation.messages.every(({ pending }: Json) => !pending))
  const ref: string = conversation.messages[0].ref
  const user_id = `visitor-${ref.split('-')[1]}`
  const about = { channel_id, user_id }
  tellVisitor(bus, { ...about, typing: { agent: { name: 'Ana', photo_url: null }, typing: true } })
  await eventually('the agent writes', () => conversation.is_agent_typing)
  t.same(conversation.agent, { name: 'Ana', photo_url: null })
  tellVisitor(bus, { ...about, read: { at: new Date(Date.now() + 1000).toISOString() } })
  await eventually('it is read', () => conversation.messages[0].status === 'read')
  await sendTo(`${user_id}.`, 'Yes')
  await shows(conversation, 'Anybody there?', 'Yes')
  await eventually('the agent does not write any more', () => !conversation.is_agent_typing)
})

t.test('a draft is shown until its message arrives, or it is taken away, and is no message', async (t) => {
  const conversation = open(t)
  conversation.say(...text('When does it arrive?'))
  await eventually('it is sent', () => conversation.messages.every(({ pending }: Json) => !pending))
  const user_id = `visitor-${conversation.messages[0].ref.split('-')[1]}`
  const tell = (typing: boolean, turn_id: string, text: string) =>
    tellVisitor(bus, {
      ...{ channel_id, user_id },
      typing: { agent: { name: 'Bot', photo_url: null }, typing, draft: { turn_id, text } },
    })
  tell(true, 'one', 'It arrives')
  await eventually('the draft is shown', () => conversation.draft === 'It arrives')
  t.match(conversation.agent, { name: 'Bot' })
  t.equal(conversation.messages.length, 1)
  tell(true, 'two', 'Tomorrow')
  tell(false, 'one', '')
  tell(true, 'two', 'Tomorrow, at')
  await eventually('the end of another one changes nothing', () => conversation.draft === 'Tomorrow, at')
  await sendTo(`${user_id}.`, 'Tomorrow, at noon')
  await shows(conversation, 'When does it arrive?', 'Tomorrow, at noon')
  t.equal(conversation.draft, '')
  tell(true, 'three', 'And')
  await eventually('the next one is shown', () => conversation.draft === 'And')
  tell(false, 'three', '')
  await eventually('it is taken away', () => conversation.draft === '' && !conversation.is_agent_typing)
})

t.test(
  'a person who signs in on two devices and writes offline is one visitor, and signing out leaves nothing',
  async (t) => {
    const exp = Math.floor(Date.now() / 1000) + 600
    const token = identityToken({ sub: 'ana', aud: channel_id, exp }, IDENTITY)
    const [laptop, phone] = [memory(), memory()]
    const first = open(t, laptop)
    first.say(...text('before I signed in'))
    await eventually('it is sent', () => laptop.waiting.length === 0 && laptop.token)
    const anonymous = laptop.token
    first.identify(token)
    await eventually('the session is another one', () => laptop.token !== anonymous && first.state === 'connected')
    await shows(first, 'before I signed in')
    // Written without a connection: they go to the person, and not to somebody anonymous.
    const second = new Conversation(new URL(`${world.base_url}/`), channel_id, phone, { changed() {} })
    t.teardown(() => second.close())
    second.say(...text('from my phone'))
    second.identify(token)
    await shows(second, 'before I signed in', 'from my phone')
    await shows(first, 'before I signed in', 'from my phone')
    t.equal(phone.token.split('.')[0], laptop.token.split('.')[0])

    const tab = open(t, laptop)
    await shows(tab, 'before I signed in', 'from my phone')
    const left = laptop.token
    first.logout()
    t.same(first.messages, [])
    await eventually(
      'the other tab is somebody else, too',
      () => tab.messages.length === 0 && tab.state === 'connected',
    )
    await eventually('the server knows', () => laptop.left.length === 0 && laptop.token)
    t.not(laptop.token.split('.')[0], left.split('.')[0])
    const thief = memory()
    thief.token = left
    await eventually('the token is worth nothing', () => open(t, thief) && thief.token !== left)
  },
)

t.test('a token of the site that is not believed changes nothing', async (t) => {
  const kept = memory()
  const refused: Json[] = []
  const on = { changed() {}, refused: (failure: Json) => refused.push(failure) }
  const conversation = new Conversation(new URL(`${world.base_url}/`), channel_id, kept, on)
  t.teardown(() => conversation.close())
  conversation.say(...text('anonymous'))
  conversation.identify('a.b.c')
  await shows(conversation, 'anonymous')
  await eventually('it is sent', () => kept.waiting.length === 0)
  t.match(refused, [{ code: 'IDENTITY_INVALID', message: /identity token/ }])
})

t.test('the consoles of the project learn that a visitor writes', async (t) => {
  const conversation = open(t)
  conversation.say(...text('Hm'))
  await eventually('it is sent', () => conversation.messages.every(({ pending }: Json) => !pending))
  const heard: Json[] = []
  const stop = await hearVisitorTyping(bus, tenant.project_id, (typing) => heard.push(typing))
  t.teardown(stop)
  conversation.typing(true)
  const typing = await eventually('they are told', () => heard[0])
  const { body } = await tenant.api('GET', `contacts/${typing.chat_user}`)
  t.match(typing, { channel_id, user_id: body.user_id, project_id: tenant.project_id, typing: true })
})

t.test(
  'unread messages are counted until the visitor looks, and the sender learns of delivery and reading',
  async (t) => {
    const kept = memory()
    const conversation = open(t, kept)
    const token = await eventually('there is a token', () => kept.token)
    const { id } = await sendTo(token, 'Hi')
    await shows(conversation, 'Hi')
    t.equal(conversation.unread, 1)
    await tenant.message(id, 'delivered')
    conversation.watch(true)
    await tenant.message(id, 'read')
    await eventually('nothing is unread', () => conversation.unread === 0)
    const again = open(t, kept)
    await shows(again, 'Hi')
    t.equal(again.unread, 0, 'nor after a reload')
  },
)

t.test('a conversation continues where it was when the connection comes back', async (t) => {
  // The node restarts.
  const world = await startWorld(t)
  const tenant = await makeTenant(world)
  const kept = memory()
  const conversation = open(t, kept, { channel: await chatOf(world, tenant), base_url: world.base_url })
  conversation.say(...text('before'))
  const token = await eventually('there is a token', () => kept.token)
  await eventually('it is sent', () => conversation.messages.every(({ pending }: Json) => !pending))
  const restarting = world.restart()
  await eventually('the page notices', () => conversation.state !== 'connected')
  conversation.say(...text('meanwhile'))
  await restarting
  await sendTo(token, 'answer', tenant)
  await eventually(
    'all is there',
    () => conversation.messages.length === 3 && conversation.messages.every(({ pending }: Json) => !pending),
    60_000,
  )
  t.same(
    new Set(conversation.messages.map(({ message }: Json) => message.body)),
    new Set(['before', 'meanwhile', 'answer']),
  )
  t.equal(kept.token, token, 'as the same person')
})

t.test('the chat drops a token that is no longer valid', async (t) => {
  const kept = memory()
  kept.token = `visitor-${'0'.repeat(32)}.forged`
  const conversation = open(t, kept)
  await eventually('it is somebody new', () => conversation.state === 'connected')
  t.match(kept.token ?? '', /^visitor-[0-9a-f]{32}\.\w+\.[\w-]{43}\.[\w-]{43}$/)
  t.notMatch(kept.token ?? '', 'forged')
})

t.test('the chat does not ask again for an unknown channel', async (t) => {
  const conversation = open(t, memory(), { channel: '66f0000000000000000000ff' })
  await eventually('it is refused', () => conversation.state === 'refused')
})

t.test('a message that is refused for good shows the reason', async (t) => {
  const conversation = open(t)
  conversation.say(...text('x'.repeat(5000)))
  const [one] = await eventually(
    'it failed',
    () => conversation.messages.some(({ failed }: Json) => failed) && conversation.messages,
  )
  t.match(one, { pending: false, failed: /4096/ })
})

t.test('a chat that is switched off takes no messages, and continues when it is on again', async (t) => {
  const kept = memory()
  const conversation = open(t, kept)
  conversation.say(...text('before'))
  await eventually('it is sent', () => conversation.messages.every(({ pending }: Json) => !pending))
  const isActive = (is_active: boolean) => made(world.operator('PATCH', `channels/${channel_id}`, { is_active }))
  t.teardown(() => isActive(true))
  await isActive(false)
  conversation.say(...text('meanwhile'))
  await eventually('the page says so', () => conversation.state === 'off')
  t.equal(conversation.canWrite, false)
  const count = conversation.messages.length
  conversation.say(...text('never'))
  t.equal(conversation.messages.length, count, 'what could not be sent is not taken')
  const other = open(t)
  await eventually('a page that comes now says so, too', () => other.state === 'off')
  await isActive(true)
  for (const one of [conversation, other]) {
    await eventually('it is open again once somebody looks', () => {
      one.watch(true)
      return one.state === 'connected'
    })
    t.equal(one.canWrite, true)
  }
  await eventually('nothing waits', () => conversation.messages.every(({ pending }: Json) => !pending))
  await shows(conversation, 'before', ...(count === 2 ? ['meanwhile'] : []))
})

t.test('a deleted chat marks its waiting messages as not sent', async (t) => {
  const conversation = open(t, memory(), { channel: '66f0000000000000000000ff' })
  conversation.say(...text('Hello?'))
  await eventually('it is refused', () => conversation.state === 'refused')
  t.match(conversation.messages, [{ pending: false, failed: String, code: 'CHANNEL_NOT_FOUND' }])
  t.equal(conversation.canWrite, false)
})

t.test('messages beyond the limit are held, shown as waiting, and sent', async (t) => {
  const conversation = open(t)
  const bodies = Array.from({ length: 13 }, (_, n) => `${n}`)
  for (const body of bodies) conversation.say(...text(body))
  await eventually('the page says that it waits', () => conversation.is_held)
  await eventually('all are sent', () => conversation.messages.every(({ pending }: Json) => !pending))
  await shows(conversation, ...bodies)
  t.equal(conversation.is_held, false)
})

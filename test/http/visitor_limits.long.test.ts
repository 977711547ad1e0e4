/** The limits of one address's visitors, over sockets that a trusted proxy passes on. */
import { join } from 'node:path'
import { io } from 'socket.io-client'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'
import { made, makeTenant, startWorld } from '../e2e/fixture.ts'
import type { Owner } from '../support/mod.ts'
import { browserStorage } from './browser_storage.ts'

/**
 * People who share an address. The limits are 3 new visitors, 10 messages, 25 readings, 30 connections, 20 at once and
 * 150 files.
 */
const PEOPLE = 10
// A node with narrow limits, which believes what address its clients name.
const world = await startWorld(t, { config: { address_people: PEOPLE, trusted_proxies: ['127.0.0.0/8'] } })
const tenant = await makeTenant(world)
const { _id: channel_id } = await made(
  world.operator('POST', 'channels', {
    project_id: tenant.project_id,
    channel_type: 'web',
    provider: 'cloud',
    name: 'Shop',
    credentials: { visitor_secret: 'the secret of the visitors' },
  }),
)
let said = 0

type Visitor = {
  token: string
  ask(name: string, question?: unknown): Promise<Json>
  write(): Promise<Json>
  leave(): void
}

/** Opens a page of a visitor. Rejects with the message for the page. */
async function visit(t: Owner, address: string, visitor_token?: string): Promise<Visitor> {
  const socket = io(world.base_url, {
    path: '/visitor/socket.io',
    transports: ['websocket'],
    auth: { channel_id, visitor_token },
    reconnection: false,
    forceNew: true,
    extraHeaders: { 'X-Forwarded-For': address },
  })
  t.teardown(() => socket.disconnect())
  const { visitor_token: token } = await new Promise<Json>((resolve, reject) => {
    socket.on('welcome', resolve)
    socket.on('connect_error', (error) => reject((error as Error & { data?: Json }).data ?? error))
  })
  const ask = (name: string, question: unknown = {}) => socket.timeout(10_000).emitWithAck(name, question)
  return {
    token,
    ask,
    write: () => ask('say', { id: `page-said-${++said}`, type: 'text', body: `${said}` }),
    leave: () => socket.disconnect(),
  }
}

const REFUSED = { error: { code: 'TOO_FAST', message: /Try again in \d+ s/, retry_after_s: Number } }
const contacts = async () => {
  const { body } = await tenant.api('GET', 'messages?channel=web&status=received&limit=200')
  return new Set(body.data.map((one: Json) => one.chat_user)).size
}

t.test('an address makes a limited number of contacts at once, whatever visitors it names', async (t) => {
  const visitors = await Promise.all(Array.from({ length: 8 }, () => visit(t, '198.51.100.1')))
  const answers = []
  for (const visitor of visitors) answers.push(await visitor.write())
  t.equal(answers.filter(({ ref }) => ref).length, 3)
  for (const answer of answers.slice(3)) t.match(answer, REFUSED)
  t.equal(await contacts(), 3)
  t.ok((await visitors[0]!.write()).ref, 'those who are known go on')
  t.ok((await (await visit(t, '198.51.100.2')).write()).ref, 'and other addresses')
  visitors[0]!.leave()
  const back = await visit(t, '198.51.100.1', visitors[0]!.token)
  t.match(await back.write(), REFUSED, 'a token does not prove that somebody wrote before')
  await back.ask('history')
  t.ok((await back.write()).ref, 'the history does')
})

t.test('an address sends a limited number of messages at once', async (t) => {
  const [one, other] = [await visit(t, '198.51.100.3'), await visit(t, '198.51.100.3')]
  const answers = []
  for (let n = 0; n < 8; n++) answers.push(await one.write(), await other.write())
  const taken = answers.filter(({ ref }) => ref).length
  t.ok(taken >= 10 && taken < 16, `${taken} of 16`)
  t.match(
    answers.find(({ error }) => error),
    REFUSED,
  )
})

t.test('an address reads a limited number of times at once', async (t) => {
  const [one, other] = [await visit(t, '198.51.100.4'), await visit(t, '198.51.100.4')]
  const answers = []
  for (let n = 0; n < 20; n++) answers.push(await one.ask('history'), await other.ask('history'))
  const refused = answers.filter(({ error }) => error)
  t.ok(refused.length > 0 && refused.length <= 15, `${refused.length} of 40 were refused`)
  t.match(refused[0], REFUSED)
})

t.test('an address has a limited number of sockets, and is told when it asks for more', async (t) => {
  const visitors = []
  for (let n = 0; n < 20; n++) visitors.push(await visit(t, '2001:db8:1:2::1'))
  await t.rejects(visit(t, '2001:db8:1:2::2'), { code: 'TOO_FAST', retry_after_s: Number }, 'one network')
  await visit(t, '2001:db8:1:3::1')
  for (const visitor of visitors) visitor.leave()
})

t.test('the page shows why it is refused, and connects after the wait', async (t) => {
  const { Conversation } = await import(
    join(import.meta.dirname, '../../http/visitors/page/conversation/conversation.ts')
  )
  const others = []
  for (let n = 0; n < 20; n++) others.push(await visit(t, '127.0.0.1'))
  const { Memory } = await import(join(import.meta.dirname, '../../http/visitors/page/messages/memory.ts'))
  const memory = new Memory('chat', browserStorage())
  const conversation = new Conversation(new URL(`${world.base_url}/`), channel_id, memory, { changed() {} })
  t.teardown(() => conversation.close())
  conversation.open()
  await eventually('the page says so', () => conversation.state === 'busy')
  t.equal(conversation.canWrite, true, 'what is written waits')
  conversation.say({ type: 'text', body: 'Hello' }, { type: 'text', body: 'Hello' })
  for (const other of others) other.leave()
  conversation.open()
  t.equal(conversation.state, 'busy', 'looking does not shorten the wait')
  const isSent = () => conversation.messages.every(({ pending }: Json) => !pending)
  await eventually('it is in, and has sent it', isSent)
})

t.test('the files of the chat are served a limited number of times', async (t) => {
  const headers = { 'x-forwarded-for': '198.51.100.5' }
  const statuses = new Map<number, number>()
  let refused: Json
  // The budget refills while a busy machine answers, but far slower than that.
  for (let n = 0; n < 170 || (n < 1000 && !refused); n++) {
    const answer = await world.http('GET', `${world.base_url}/widget.js`, { headers })
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    if (answer.status === 429) refused = answer
  }
  t.ok(statuses.get(200)! >= 150 && statuses.get(429)! > 0)
  t.match(refused, {
    body: { error: { code: 'THROTTLED', message: /this address/ } },
    headers: { 'retry-after': /^\d+$/ },
  })
  t.equal((await world.http('GET', `${world.base_url}/widget.js`)).status, 200, 'others have them')
})

t.test('refusals are counted', async (t) => {
  const { text } = await world.http('GET', world.metrics_url())
  for (const kind of ['new_visitor', 'message', 'history', 'visitor_socket', 'page'])
    t.match(text, new RegExp(`parley_address_refused_total\\{[^}]*kind="${kind}"[^}]*\\} [1-9]`))
  t.match(text, /parley_addresses_tracked(\{[^}]*\})? [1-9]/)
})

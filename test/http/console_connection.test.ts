/** The connection of the console's page to its node: requests, and the socket that brings changes. */
import { EventEmitter } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { eventually, type Json } from '../e2e/client.ts'

const pages = join(import.meta.dirname, '../../http/console/page')
const load = (name: string): Promise<Json> => import(join(pages, name))
const { Api } = await load('data/api.ts')
const { Live } = await load('live/live.ts')
const { OwnPresence } = await load('live/own_presence.ts')

t.test('a request with no readable answer says so', async (t) => {
  const answering = (answer: () => Response | Promise<Response>) =>
    new Api(new URL('http://127.0.0.1/console/'), async () => answer())
  await t.rejects(answering(() => Promise.reject(new TypeError('failed'))).session(), { code: 'OFFLINE' })
  const throttled = { error: { code: 'SIGN_IN_THROTTLED', message: 'Wait.' } }
  await t.rejects(
    answering(() => Response.json(throttled, { status: 429, headers: { 'retry-after': '7' } })).signIn('a', 'b'),
    { code: 'SIGN_IN_THROTTLED', status: 429, retry_after_s: 7, message: 'Wait.' },
  )
  await t.rejects(answering(() => new Response('<html>', { status: 502 })).session(), {
    code: 'UNKNOWN',
    message: /502/,
  })
  const over = answering(() => Response.json({ statusCode: 401 }, { status: 401 }))
  let heard = 0
  over.onUnauthorized = () => heard++
  await t.rejects(over.session(), { code: 'UNAUTHORIZED' })
  t.equal(heard, 1)
})

t.test('a page names its user with each request, from the answer to its sign-in on', async (t) => {
  const named: (string | null)[] = []
  const api = new Api(new URL('http://127.0.0.1/console/'), async (_: URL, { headers }: RequestInit) => {
    named.push(new Headers(headers).get('parley-user'))
    return Response.json({})
  })
  await api.session()
  api.user_id = 'ana'
  await api.session()
  await api.signIn('eva', 'b')
  t.same(named, [null, 'ana', null])
})

t.test('a late refusal of the former session does not end the present one', async (t) => {
  const late = Promise.withResolvers<Response>()
  const api = new Api(new URL('http://127.0.0.1/console/'), (_: URL, { method }: RequestInit) =>
    method === 'POST' ? Response.json({}) : late.promise,
  )
  api.onUnauthorized = () => t.fail('it has ended')
  const reading = api.session()
  await api.signIn('a', 'b')
  late.resolve(Response.json({ statusCode: 401 }, { status: 401 }))
  await t.rejects(reading, { code: 'UNAUTHORIZED' })
})

/** The server's side of a socket, which the test plays. */
class FakeSocket extends EventEmitter {
  connected = false
  active = true
  sent: { name: string; question: Json; answer?: (failure: unknown, answer?: Json) => void }[] = []
  connects = 0

  timeout() {
    return { emit: (name: string, question: Json, answer: () => void) => this.sent.push({ name, question, answer }) }
  }

  override emit(name: string, ...all: Json[]): boolean {
    if (name === 'unwatch') this.sent.push({ name, question: all[0] })
    return super.emit(name, ...all)
  }

  connect() {
    this.connects++
  }

  disconnect() {
    const was = this.connected
    this.connected = false
    if (was) super.emit('disconnect', 'io client disconnect')
  }

  comes() {
    this.connected = true
    super.emit('connect')
  }

  breaks(reason = 'transport close') {
    this.connected = false
    super.emit('disconnect', reason)
  }
}

function makeLive(t: Json) {
  const socket = new FakeSocket()
  const heard: string[] = []
  const losses: string[] = []
  const live = new Live(() => socket, new URL('http://127.0.0.1/console/socket.io/'), {
    state: (state: string) => heard.push(state),
    events: (project_id: string, events: Json[]) => heard.push(`${project_id}: ${events}`),
    lost: () => losses.push('lost'),
    read: (project_id: string) => heard.push(`read ${project_id}`),
    signedOut: () => heard.push('sign in'),
  })
  t.teardown(() => live.close())
  return { socket, live, losses, heard: () => heard.splice(0) }
}

t.test('the first answer to a watch makes the page read everything; a position bridges a break', async (t) => {
  const { socket, live, heard } = makeLive(t)
  live.watch('p')
  socket.comes()
  t.same(
    socket.sent.map(({ question }) => question),
    [{ project_id: 'p' }],
  )
  socket.sent[0]!.answer!(null, { position: '1', resync: false })
  t.same(heard(), ['live', 'read p'])
  socket.emit('live', { project_id: 'p', position: '2', events: ['a'] })
  socket.emit('live', { project_id: 'other', position: '9', events: ['b'] })
  t.same(heard(), ['p: a'], 'nobody else is listened to')
  socket.breaks()
  t.same(heard(), ['reconnecting'])
  socket.comes()
  t.same(socket.sent[1]!.question, { project_id: 'p', after: '2' })
  socket.emit('live', { project_id: 'p', position: '3', events: ['c'] })
  socket.sent[1]!.answer!(null, { position: '3', resync: false })
  t.same(heard(), ['p: c', 'live'])
  socket.breaks()
  socket.comes()
  t.same(socket.sent[2]!.question, { project_id: 'p', after: '3' })
  socket.sent[2]!.answer!(null, { position: '7', resync: true })
  t.same(heard(), ['reconnecting', 'live', 'read p'])
  socket.emit('resync', { project_id: 'p' })
  socket.emit('resync', { project_id: 'other' })
  t.same(heard(), ['read p'])
})

t.test('a page gets no events of a record that it stopped watching', async (t) => {
  const { socket, live, heard } = makeLive(t)
  live.watch('p')
  socket.comes()
  live.unwatch('p')
  live.watch('q')
  socket.sent[0]!.answer!(null, { position: '1', resync: false })
  socket.emit('live', { project_id: 'p', position: '2', events: ['a'] })
  t.same(
    socket.sent.map(({ name, question }) => `${name} ${question.project_id}`),
    ['watch p', 'unwatch p', 'watch q'],
  )
  t.notOk(heard().some((one) => one.includes('p')))
})

t.test(
  'an agent who goes fast from ticket to ticket is told to be at the last one, and it is said until it is heard',
  async (t) => {
    const { socket, live, losses } = makeLive(t)
    const own = new OwnPresence('p', live)
    t.teardown(() => own.close())
    const said = () => socket.sent.filter(({ name }) => name === 'presence')
    const last = () => said().at(-1)!
    live.watch('p')
    socket.comes()
    own.set('before', 'viewing')
    await new Promise((resolve) => setTimeout(resolve, 50))
    t.same(said(), [], 'before the answer to the watch it would be refused')
    socket.sent[0]!.answer!(null, { position: '1', resync: false })
    await eventually('it is said', () => said().length === 1)
    last().answer!(null, {})
    own.set('before', 'gone')
    for (let n = 0; n < 60; n++) {
      own.set(`t${n}`, 'viewing')
      if (n < 59) own.set(`t${n}`, 'gone')
    }
    await eventually('the last one is said', () => last().question.ticket_id === 't59')
    t.ok(said().length <= 3, 'most are said as one')
    for (const failure of [null, new Error('no answer')]) {
      const { length } = said()
      last().answer!(failure, { error: { code: 'THROTTLED', message: 'Later.' } })
      await eventually('it is said again', () => said().length > length)
      t.same(last().question, { project_id: 'p', ticket_id: 't59', state: 'viewing' })
    }
    last().answer!(null, {})
    socket.breaks()
    t.equal(losses.length, 1)
    own.lost()
    socket.comes()
    const { length } = said()
    socket.sent.at(-1)!.answer!(null, { position: '1', resync: false })
    await eventually('after a break it is said again', () => said().length > length)
    t.same(last().question, { project_id: 'p', ticket_id: 't59', state: 'viewing' })
    own.set('t58', 'gone')
    own.set('t59', 'gone')
    await eventually('the agent has left', () => last().question.state === 'gone')
    t.equal(last().question.ticket_id, 't59')
  },
)

t.test('a refused watch is asked for again', async (t) => {
  const { socket, live, heard } = makeLive(t)
  live.watch('p')
  socket.comes()
  heard()
  socket.sent[0]!.answer!(null, { error: { code: 'SERVICE_UNAVAILABLE', message: 'Later.' } })
  await eventually('it is asked for', () => socket.sent.length === 2)
  socket.sent[1]!.answer!(new Error('timeout'))
  await eventually('and again', () => socket.sent.length === 3)
  socket.sent[2]!.answer!(null, { position: '1', resync: false })
  t.match(heard(), ['live', 'read p'])
})

t.test('the end of a session is reported once, and the page does not try again', async (t) => {
  for (const end of ['signed_out', 'connect_error']) {
    const { socket, live, heard } = makeLive(t)
    live.watch('p')
    socket.emit(end, new Error('UNAUTHORIZED'))
    socket.breaks('io server disconnect')
    live.hurry()
    t.same(heard(), ['signed_out', 'sign in'])
    t.equal(socket.connects, 0)
  }
})

t.test('a refused origin is not tried again', async (t) => {
  const { socket, live, heard } = makeLive(t)
  socket.emit('connect_error', new Error('ORIGIN_NOT_ALLOWED'))
  live.hurry()
  t.same(heard(), ['refused'])
  t.equal(socket.connects, 0)
})

t.test('a page that the server sent away comes back by itself, and at once when the network is back', async (t) => {
  const { socket, live } = makeLive(t)
  socket.comes()
  live.hurry()
  t.equal(socket.connects, 0)
  socket.breaks('io server disconnect')
  await eventually('it tries', () => socket.connects === 1)
  socket.active = false
  socket.emit('connect_error', new Error('SERVICE_UNAVAILABLE'))
  t.equal(live.state, 'reconnecting')
  live.hurry()
  t.equal(socket.connects, 2)
})

/** The console's sockets beside a database alone: events of single users, refused events, bounds, sessions. */

import * as uWS from 'uWebSockets.js'
import { io, type Socket } from 'socket.io-client'
import t from 'tap'
import { ConsoleServer } from '../../http/console/live/console_server.ts'
import { AddressLimits } from '../../http/server/limits/address_limits.ts'
import { OpenConnections } from '../../http/server/limits/open_connections.ts'
import { type Bus, EventBatch, type LiveFeeds, type LiveListener, silentLog, Unavailable } from '../../runtime/mod.ts'
import { User } from '../../storage/mod.ts'
import { eventually, type Json } from '../e2e/client.ts'
import { storeTenant } from '../storage/records.ts'
import { type Owner, testDatabase } from '../support/mod.ts'
import { signedIn } from './agent.ts'

const { database } = await testDatabase(t)
const tenant = await storeTenant(database)
const project_id = tenant.project._id
const cookie = await signedIn({ database, tenant })

/** The feed of the project, played by the test. */
let feed: LiveListener
/** While the broker is away. */
let away: Promise<never> | undefined
const missed: EventBatch[] = []
const live: LiveFeeds = {
  async open(_channel, listener) {
    await away
    feed = listener
    return {
      resume: async (after, begin) => begin({ position: 'now', batches: after === undefined ? undefined : missed }),
      close() {},
    }
  },
}
/** Called as if the broker had been away. */
const gaps: (() => void)[] = []
const listeners = new Map<string, (text: string) => void>()
const bus: Bus = {
  publish: (subject, text) => listeners.get(subject)?.(text),
  async listen(subject, heard, gap) {
    listeners.set(subject, heard)
    gaps.push(gap)
    return () => {}
  },
}

const app = uWS.App()
const server = new ConsoleServer({
  ...{ node: 'one', app, live, bus, database, log: silentLog },
  limits: new AddressLimits({ people: 5000 }),
  connections: new OpenConnections(),
  clientAddress: () => '192.0.2.1',
})
const listening = await new Promise<uWS.us_listen_socket | false>((resolve) => app.listen('127.0.0.1', 0, resolve))
t.teardown(async () => {
  await server.close()
  uWS.us_listen_socket_close(listening as uWS.us_listen_socket)
})
const url = `http://127.0.0.1:${uWS.us_socket_local_port(listening as uWS.us_listen_socket)}`

type Page = { socket: Socket; heard: [string, Json][]; ask(name: string, said?: unknown): Promise<Json> }

async function open(t: Owner, own = cookie, auth = {}): Promise<Page> {
  const socket = io(url, {
    path: '/console/socket.io',
    transports: ['websocket'],
    reconnection: false,
    forceNew: true,
    auth,
    extraHeaders: { origin: url, cookie: own },
  })
  t.teardown(() => socket.disconnect())
  const heard: [string, Json][] = []
  socket.onAny((name, body) => heard.push([name, body]))
  await new Promise<void>((resolve, reject) => {
    socket.on('connect', () => resolve())
    socket.on('connect_error', reject)
  })
  const ask: Page['ask'] = (name, ...said) => socket.timeout(10_000).emitWithAck(name, ...said)
  return { socket, heard, ask }
}

const batchOf = (position: string, ...events: Json[]) =>
  new EventBatch(position, `${events.some(({ user_id }) => user_id) ? '!' : ''}${JSON.stringify(events)}`)
const event = (n: number, user_id?: string) => ({ type: 'said', data: { n }, ...(user_id && { user_id }) })
const numbers = (page: Page) =>
  page.heard.filter(([name]) => name === 'live').flatMap(([, { events }]) => events.map(({ data }: Json) => data.n))

t.test('events of one user reach only this user, in order with the others, and after a break too', async (t) => {
  const other_tenant = { ...tenant, user: await anotherUser() }
  const other = await signedIn({ database, tenant: other_tenant })
  const [mine, theirs] = [await open(t), await open(t, other)]
  for (const page of [mine, theirs]) t.same(await page.ask('watch', { project_id }), { position: 'now', resync: false })
  const [me, them] = [tenant.user._id, other_tenant.user._id]
  feed.received(batchOf('p1', event(1)))
  feed.received(batchOf('p2', event(2, me), event(3), event(4, them)))
  feed.received(batchOf('p3', event(5, me)))
  feed.received(batchOf('p4', event(6)))
  for (const page of [mine, theirs]) await eventually('the last is heard', () => numbers(page).at(-1) === 6)
  t.same(numbers(mine), [1, 2, 3, 5, 6])
  t.same(numbers(theirs), [1, 3, 4, 6])
  missed.push(batchOf('p5', event(7, them)), batchOf('p6', event(8), event(9, me)), batchOf('p7', event(10)))
  t.same(await mine.ask('watch', { project_id, after: 'p4' }), { position: 'now', resync: false })
  t.same(numbers(mine).slice(5), [8, 9, 10])
  t.equal(mine.heard.filter(([name]) => name === 'live').length, 5, 'what was missed comes in one message')
  missed.push(batchOf('p8', { type: 'said', data: { text: 'x'.repeat(600_000) } }))
  t.same(await mine.ask('watch', { project_id, after: 'p4' }), { position: 'now', resync: true }, 'not too much of it')
  missed.length = 0
})

t.test('every event of a page is answered, and a refusal has the form of the API', async (t) => {
  const page = await open(t)
  const cases: [string, unknown, string, string][] = [
    ['watch', { project_id: 5 }, 'VALIDATION_ERROR', 'project_id must be a string'],
    ['watch', { project_id, after: '1', more: 1 }, 'VALIDATION_ERROR', 'more is not known here; remove it'],
    ['watch', null, 'VALIDATION_ERROR', 'must be an object'],
    ['watch', { project_id: '65f000000000000000000000' }, 'NOT_FOUND', 'There is no such project.'],
    ['presence', { project_id, ticket_id: 'x', state: 'viewing' }, 'VALIDATION_ERROR', 'ticket_id must be an id'],
    ['presence', { project_id, ticket_id: project_id, state: 'asleep' }, 'VALIDATION_ERROR', 'state must be one of'],
    ['presence', { project_id, ticket_id: project_id, state: 'viewing' }, 'NOT_FOUND', 'There is no such project.'],
    ['unwatch', {}, 'VALIDATION_ERROR', 'project_id is required'],
    ['shout', { project_id }, 'VALIDATION_ERROR', 'There is no event "shout"'],
    ['constructor', {}, 'VALIDATION_ERROR', 'There is no event'],
  ]
  for (const [name, said, code, message] of cases) {
    const answer = await page.ask(name, said)
    t.equal(answer.error?.code, code, `${name} ${JSON.stringify(said)}`)
    t.match(answer.error?.message, message)
  }
  t.match(await page.ask('watch', { project_id: 1 }), { error: { details: { violations: [{ path: 'project_id' }] } } })
  t.match(await page.ask('watch'), { error: { code: 'VALIDATION_ERROR' } })
  page.socket.emit('watch', 'no answer is wanted')
  t.same(await page.ask('unwatch', { project_id }), {})
  const answers = await Promise.all(Array.from({ length: 60 }, () => page.ask('unwatch', { project_id })))
  t.ok(answers.some(({ error }) => error?.code === 'THROTTLED'))
  t.ok(page.socket.connected)
})

t.test('a page shows who is at which ticket, from its first watch until they leave', async (t) => {
  const [one, two] = [await open(t), await open(t)]
  await one.ask('watch', { project_id })
  const ticket_id = 'a'.repeat(24)
  t.same(await one.ask('presence', { project_id, ticket_id, state: 'replying' }), {})
  await two.ask('watch', { project_id })
  const shown = ({ heard }: Page) => heard.filter(([name]) => name === 'presence').at(-1)?.[1]
  await eventually('it is shown', () => shown(two))
  const user = { user_id: tenant.user._id, full_name: tenant.user.full_name, state: 'replying' }
  t.same(shown(two), { project_id, ticket_id, users: [user] })
  one.socket.disconnect()
  await eventually('it has left', () => shown(two)?.users.length === 0)
})

t.test('a page of a user who was signed in before hears nothing with the cookie of the next one', async (t) => {
  const page = await open(t, cookie, { user_id: tenant.user._id })
  t.same(await page.ask('watch', { project_id }), { position: 'now', resync: false })
  for (const user_id of [(await anotherUser())._id, '', 7, null])
    await t.rejects(open(t, cookie, { user_id }), { message: 'UNAUTHORIZED' }, String(user_id))
})

t.test('a session has a bounded number of sockets', async (t) => {
  const own = await signedIn({ database, tenant: { ...tenant, user: await anotherUser() } })
  const pages: Page[] = []
  const refused = await open(t, own).then(async function again(page): Promise<Json> {
    pages.push(page)
    return open(t, own).then(again, (error) => error)
  })
  t.equal(pages.length, 100)
  t.match(refused, { message: 'THROTTLED', data: { retry_after_s: 10 } })
  pages[0]!.socket.disconnect()
  await eventually('there is room again', () =>
    open(t, own).then(
      () => true,
      () => false,
    ),
  )
})

t.test('a session whose page only listens goes on, for a week at most', async (t) => {
  const own = await signedIn({ database, tenant: { ...tenant, user: await anotherUser() } })
  const page = await open(t, own)
  const row = async () => (await database.execute<Json>('select * from console_session order by created_at desc'))[0]!
  const { hash } = await row()
  const pass = async (hours: number) => {
    await database.execute(
      `update console_session set created_at = created_at - interval '${hours} hours',
        used_at = used_at - interval '${hours} hours', expires_at = expires_at - interval '${hours} hours' where hash = ?`,
      [hash],
    )
    for (const gap of gaps) gap()
  }
  for (let hours = 0; hours < 7 * 24 - 11; hours += 11) {
    await pass(11)
    await eventually('it is renewed', async () => {
      const [{ fresh }] = (await database.execute(
        `select used_at > now() - interval '1 hour' as fresh from console_session where hash = ?`,
        [hash],
      )) as [Json]
      return fresh
    })
  }
  t.ok(page.socket.connected)
  await pass(11)
  await eventually('the week has passed', () => page.heard.some(([name]) => name === 'signed_out'))
})

/** Another user of the tenant's company. */
async function anotherUser() {
  const { user } = await storeTenant(database)
  await database.em().nativeUpdate(User, user._id, { company_id: tenant.company._id })
  return user
}

t.test('an agent at a page whose watch failed is at no ticket', async (t) => {
  const other = await storeTenant(database)
  const project_id = other.project._id
  const page = await open(t, await signedIn({ database, tenant: other }))
  const broker = Promise.withResolvers<never>()
  away = broker.promise
  const watching = page.ask('watch', { project_id })
  await eventually('it is being watched', async () => {
    const { error } = await page.ask('presence', { project_id, ticket_id: 'a'.repeat(24), state: 'replying' })
    return !error
  })
  broker.reject(new Unavailable('The broker is away.'))
  away = undefined
  t.match(await watching, { error: { code: 'SERVICE_UNAVAILABLE' } })
  const colleague = await open(t, await signedIn({ database, tenant: other }))
  await colleague.ask('watch', { project_id })
  await colleague.ask('presence', { project_id, ticket_id: 'b'.repeat(24), state: 'viewing' })
  await eventually('the colleague is shown', () => colleague.heard.some(([name]) => name === 'presence'))
  const shown = colleague.heard.filter(([name]) => name === 'presence').map(([, { ticket_id }]) => ticket_id)
  t.same([...new Set(shown)], ['b'.repeat(24)])
})

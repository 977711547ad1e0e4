/** The messages that consoles receive over their sockets, read with the stock client `socket.io-client`. */
import t from 'tap'
import { forged, isWalk, type Owner } from '../support/mod.ts'
import { broadcastWhen, people, sendBulk, sumOf } from './broadcast_client.ts'
import { eventually, type Json } from './client.ts'
import { joinCluster } from './cluster.ts'
import { ConsoleMirror } from './console_mirror.ts'
import { type ConsoleSocket, openConsole, signedIn as signIn } from './console_socket.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)

type Console = ConsoleSocket & {
  /** The data of all events, in order. */
  heard: Json[]
  watch(question?: unknown): Promise<Json>
}

async function open(t: Owner, base_url: string, cookie: string | undefined, origin = base_url): Promise<Console> {
  const console = await openConsole(t, base_url, cookie, origin)
  return {
    ...console,
    get heard() {
      return console.batches.flatMap(({ project_id, events }) =>
        events.map(({ type, data }: Json) => ({ type, project_id, ...data })),
      )
    },
    watch: (question = { project_id: tenant.project_id }) => console.ask('watch', question),
  }
}

const of = ({ heard }: Console, id: string) => heard.filter((one) => one.id === id)

t.test('a socket opens only with a session, and only from our own page', async (t) => {
  const { cookie } = await signIn(world, tenant)
  await t.rejects(open(t, world.base_url, undefined), { message: 'UNAUTHORIZED' })
  await t.rejects(open(t, world.base_url, forged(cookie)), { message: 'UNAUTHORIZED' })
  await t.rejects(open(t, world.base_url, cookie, 'https://elsewhere.example'), { message: 'ORIGIN_NOT_ALLOWED' })
  t.ok((await open(t, world.base_url, cookie)).socket.connected)
})

t.test('a connection signs in once, and a second attempt ends it', async (t) => {
  const { cookie } = await signIn(world, tenant)
  const url = `${world.base_url.replace('http', 'ws')}/console/socket.io/?EIO=4&transport=websocket`
  // Node's own WebSocket can send headers, which its type does not know.
  const options = { headers: { cookie, origin: world.base_url } } as unknown as string[]
  const line = new WebSocket(url, options)
  t.teardown(() => line.close())
  const answers: string[] = []
  line.addEventListener('message', ({ data }) => {
    if (data.startsWith('0')) for (let n = 0; n < 50; n++) line.send('40')
    else answers.push(data.slice(0, 2))
  })
  await eventually('it is ended', () => line.readyState === WebSocket.CLOSED)
  t.ok(answers.filter((answer) => answer === '40').length <= 1)
})

t.test('a broadcast is followed from its first record to its last, in order', async (t) => {
  const agent = await open(t, world.base_url, (await signIn(world, tenant)).cookie)
  t.match(await agent.watch(), { position: String, resync: false })
  const id = await sendBulk(tenant, people(300))
  const last = await broadcastWhen(tenant, id, 'is read by all', ({ read_count }) => read_count === 300)
  await eventually('the last record is heard', () => of(agent, id).at(-1)?.read_count === 300)
  const heard = of(agent, id)
  const { type, project_id, ...record } = heard.at(-1)!
  t.equal(type, 'broadcast.progress')
  t.equal(project_id, tenant.project_id)
  t.same(record, last, 'the last record is that of the API')
  t.equal(heard[0]!.status, 'queued')
  t.ok(heard.length > 3, `${heard.length} records`)
  const times = heard.map(({ updated_at }) => updated_at)
  t.same(times, [...times].sort(), 'each is newer than the one before')
  for (const one of heard) t.equal(sumOf(one), 300)
  const types = () => [...new Set(agent.events().map(({ type }) => type))].toSorted()
  await eventually('its messages are announced', () => types().includes('broadcast.messages'))
  t.same(types(), ['broadcast.messages', 'broadcast.progress'], 'its messages are not published singly')
})

t.test('a conversation is followed: its contact, ticket, messages with their statuses, and events', async (t) => {
  const agent = await open(t, world.base_url, (await signIn(world, tenant)).cookie)
  await agent.watch()
  const phone = '+15550161234'
  await tenant.writes(phone, 'Where is my order?')
  const ticket = await eventually('a ticket is heard', () => agent.heard.find(({ type }) => type === 'ticket.created'))
  const { id } = await made(tenant.send(phone))
  await tenant.message(id, 'read')
  await made(tenant.api('PATCH', `crm/tickets/${ticket._id}`, { priority: 'high' }))
  await eventually('the last change is heard', () =>
    agent.heard.some(({ type, priority }) => type === 'ticket.updated' && priority === 'high'),
  )
  await eventually('the message is heard', () => of(agent, id).at(-1)?.status === 'read')
  // The last counts of the broadcast of a test before may still come.
  const types = agent
    .events()
    .map(({ type }) => type)
    .filter((type) => !type.startsWith('broadcast.'))
  t.same(types.slice(0, 4), ['contact.created', 'message.created', 'ticket.created', 'event.recorded'])
  // A busy node may store two statuses at once, and then tells the last one.
  const statuses: string[] = of(agent, id).map(({ status }) => status)
  t.ok(isWalk(statuses, ['queued', 'sent', 'delivered', 'read']), `statuses in order: ${statuses.join(', ')}`)
  t.equal(statuses[0], 'queued')
  const mirror = new ConsoleMirror()
  mirror.apply(agent.events())
  t.same(mirror.records.ticket.get(ticket._id), (await tenant.api('GET', `crm/tickets/${ticket._id}`)).body)
  t.equal(mirror.records.ticket.get(ticket._id)?.unread_count, 1)
})

t.test('consoles hear of channels that an operator adds, changes and removes', async (t) => {
  const agent = await open(t, world.base_url, (await signIn(world, tenant)).cookie)
  await agent.watch()
  let changes = 0
  const isHeard = (what: string) => {
    changes++
    return eventually(
      `${what} is heard`,
      () => agent.heard.filter(({ type }) => type === 'definitions.changed').length >= changes,
    )
  }
  const credentials = {
    smtp_url: 'smtp://nobody:nothing@127.0.0.1:9',
    from: 'live@ferry.example',
    inbound_secret: 'the word of the mails',
  }
  const fields = { project_id: tenant.project_id, channel_type: 'email', provider: 'cloud', name: 'Mail', credentials }
  const { _id } = await made(world.operator('POST', 'channels', fields))
  await isHeard('the new channel')
  await made(world.operator('PATCH', `channels/${_id}`, { name: 'Letters' }))
  await isHeard('its name')
  t.equal((await world.operator('DELETE', `channels/${_id}`)).status, 204)
  await isHeard('its end')
})

t.test('an agent watches records of the own company alone, and only by valid requests', async (t) => {
  const other = await makeTenant(world)
  const agent = await open(t, world.base_url, (await signIn(world, tenant)).cookie)
  const refused: [unknown, string][] = [
    [{ project_id: other.project_id }, 'NOT_FOUND'],
    [{ project_id: '65f000000000000000000000' }, 'NOT_FOUND'],
    [{ project_id: 'x' }, 'NOT_FOUND'],
    [{ project_id: 5 }, 'VALIDATION_ERROR'],
    [{ project_id: tenant.project_id, after: 7 }, 'VALIDATION_ERROR'],
    [null, 'VALIDATION_ERROR'],
    ['', 'VALIDATION_ERROR'],
  ]
  for (const [question, code] of refused)
    t.equal((await agent.watch(question)).error.code, code, JSON.stringify(question))
  await agent.watch()
  const foreign = await sendBulk(other, people(5))
  const own = await sendBulk(tenant, people(5))
  await eventually('the own one is heard', () => of(agent, own).at(-1)?.read_count === 5)
  t.same(of(agent, foreign), [])
  t.same(await agent.ask('unwatch', { project_id: tenant.project_id }), {})
  const listener = await open(t, world.base_url, (await signIn(world, tenant)).cookie)
  await listener.watch()
  const { length } = agent.heard
  const later = await sendBulk(tenant, people(5))
  await eventually('others hear it', () => of(listener, later).at(-1)?.read_count === 5)
  await agent.caughtUp()
  t.equal(agent.heard.length, length, 'a console that stopped watching receives nothing')
})

t.test('a console that reconnects gets the records it missed, or is told to read again', async (t) => {
  const { cookie } = await signIn(world, tenant)
  const first = await open(t, world.base_url, cookie)
  await first.watch()
  await eventually('a position counts', async () => {
    await sendBulk(tenant, people(1))
    return (await first.watch({ project_id: tenant.project_id, after: first.position() })).resync === false
  })
  first.socket.disconnect()
  const id = await sendBulk(tenant, people(40))
  await broadcastWhen(tenant, id, 'is read by all', ({ read_count }) => read_count === 40)
  const again = await open(t, world.base_url, cookie)
  const answer = await again.watch({ project_id: tenant.project_id, after: first.position() })
  t.equal(answer.resync, false)
  await eventually('what was missed is heard', () => of(again, id).at(-1)?.read_count === 40)
  t.equal(of(again, id)[0]!.status, 'queued', 'the records come from the first on')
  t.equal((await again.watch({ project_id: tenant.project_id, after: 'long ago' })).resync, true)
})

t.test('the end of a session closes its sockets', async (t) => {
  const agent = await signIn(world, tenant)
  const one = await open(t, world.base_url, agent.cookie)
  await one.watch()
  const headers = { origin: world.base_url, cookie: agent.cookie }
  t.equal((await world.http('DELETE', `${world.base_url}/console/session`, { headers })).status, 204)
  t.equal(await one.ended, 'signed_out')
  await t.rejects(open(t, world.base_url, agent.cookie), { message: 'UNAUTHORIZED' })

  const second = await signIn(world, tenant)
  const socket = await open(t, world.base_url, second.cookie)
  await made(world.operator('PATCH', `users/${second.user_id}`, { is_active: false }))
  t.equal(await socket.ended, 'signed_out')
})

t.test('consoles at two nodes receive every broadcast, and end together', async (t) => {
  const cluster = await joinCluster(t)
  const shop = await makeTenant(cluster.world)
  const { cookie } = await signIn(cluster.world, shop)
  const consoles = await Promise.all(cluster.nodes.map(({ base_url }) => open(t, base_url, cookie)))
  for (const one of consoles) t.match(await one.watch({ project_id: shop.project_id }), { position: String })
  // Different broadcasts live in different partitions, so both nodes own some.
  const ids = await Promise.all([0, 1, 2, 3].map((n) => sendBulk(shop, people(20, n * 20))))
  for (const id of ids) {
    await broadcastWhen(shop, id, 'is read by all', ({ read_count }) => read_count === 20)
    for (const one of consoles) await eventually(`${id} is heard`, () => of(one, id).at(-1)?.read_count === 20)
  }
  const headers = { origin: cluster.nodes[0]!.base_url, cookie }
  t.equal((await cluster.http('DELETE', `${cluster.nodes[0]!.base_url}/console/session`, { headers })).status, 204)
  t.same(await Promise.all(consoles.map(({ ended }) => ended)), ['signed_out', 'signed_out'])
})

/** How far agents have read tickets: `POST …/inbox/tickets/{id}/read`. */
import t from 'tap'
import { findReadByAgents, openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { openConsole } from './console_socket.ts'
import { joinWorld, made, makeSister, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

const ANA = '+15550194001'

/** An agent who is signed in. */
async function agentOf(tenant: Tenant) {
  const agent = await makeAgent(world, tenant)
  const { call, cookie } = await signIn(world, agent as { email: string })
  const inbox = `projects/${tenant.project_id}/inbox`
  return {
    id: agent._id as string,
    cookie,
    list: async (): Promise<Json[]> => (await made(call('GET', inbox))).data,
    unread: async (): Promise<number> => (await made(call('GET', inbox))).data[0].unread_count,
    unreads: (ticket_id: string) => call('DELETE', `${inbox}/tickets/${ticket_id}/read`),
    reads: (ticket_id: string, message_id?: string) =>
      call('POST', `${inbox}/tickets/${ticket_id}/read`, message_id === undefined ? {} : { json: { message_id } }),
  }
}

/** A person who has written some messages, in their order. */
async function conversation(tenant: Tenant, texts: number) {
  for (let n = 0; n < texts; n++) await tenant.writes(ANA, `Message ${n}`)
  const { data } = (await tenant.api('GET', 'messages')).body
  return data.map(({ id }: Json) => id).reverse() as string[]
}

const personOf = async (tenant: Tenant): Promise<Json> => (await made(tenant.api('GET', 'contacts'))).data[0]

/** A ticket of another company. */
async function ticketOfAnother(): Promise<Json> {
  const tenant = await makeTenant(world)
  await conversation(tenant, 1)
  return (await made(tenant.api('GET', 'crm/tickets'))).data[0]
}

/** The row of the mark and the transaction that wrote it last. */
const rowOf = async (ticket_id: string, user_id: string) =>
  (
    await database.execute(
      `select xmin::text, read_count from ticket_read where ticket_id = '${ticket_id}' and user_id = '${user_id}'`,
    )
  )[0]

t.test('a mark moves forward only, for this agent alone, and a repeat writes nothing', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await agentOf(tenant), await agentOf(tenant)]
  const ids = await conversation(tenant, 3)
  const [{ ticket_id }] = (await ana.list()) as [Json]
  t.equal(await ana.unread(), 3)
  t.match(await made(ana.reads(ticket_id, ids[1])), { ticket_id, user_id: ana.id, read_count: 2, unread_count: 1 })
  t.equal(await ana.unread(), 1)
  t.equal(await eva.unread(), 3, 'another agent has read nothing')
  const before = await rowOf(ticket_id, ana.id)
  t.match(await made(ana.reads(ticket_id, ids[0])), { read_count: 2, unread_count: 1 }, 'it does not go back')
  t.match(await made(ana.reads(ticket_id, ids[1])), { read_count: 2, unread_count: 1 })
  t.same(await rowOf(ticket_id, ana.id), before, 'nothing was written')
  t.match(await made(ana.reads(ticket_id)), { read_count: 3, unread_count: 0 })
  await tenant.writes(ANA, 'One more')
  t.equal(await ana.unread(), 1)
  t.match(await made(ana.reads(ticket_id, ids[2])), { read_count: 3, unread_count: 1 })
  // Twice in one turn, and from two tabs at once.
  const answers = await Promise.all([ana.reads(ticket_id), ana.reads(ticket_id, ids[0]), ana.reads(ticket_id)])
  for (const { body } of answers) t.ok(body.read_count >= 3)
  t.equal(await ana.unread(), 0)
})

t.test('an agent marks a ticket as unread, for this agent alone, and reads it again', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await agentOf(tenant), await agentOf(tenant)]
  const ids = await conversation(tenant, 3)
  const [{ ticket_id }] = (await ana.list()) as [Json]
  t.match(await made(ana.unreads(ticket_id)), { read_count: 0, unread_count: 3 }, 'it was unread')
  await made(ana.reads(ticket_id))
  await made(eva.reads(ticket_id))
  const tab = await openConsole(t, world.base_url, ana.cookie)
  await tab.ask('watch', { project_id: tenant.project_id })
  t.match(await made(ana.unreads(ticket_id)), { ticket_id, user_id: ana.id, read_count: 2, unread_count: 1 })
  t.equal(await ana.unread(), 1)
  t.equal(await eva.unread(), 0, 'another agent has read it')
  const before = await rowOf(ticket_id, ana.id)
  t.match(await made(ana.unreads(ticket_id)), { unread_count: 1 })
  t.same(await rowOf(ticket_id, ana.id), before, 'a repeat writes nothing')
  await tab.caughtUp()
  const seen = await findReadByAgents(database, tenant.project_id, (await personOf(tenant))._id)
  t.equal(seen?.id, ids[2], 'the person still sees it as read')
  t.match(await made(ana.reads(ticket_id)), { read_count: 3, unread_count: 0 })
  for (const path of ['66f2a0c1d4e5f60718293a4b', (await ticketOfAnother())._id]) {
    t.match(await ana.unreads(path), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  }
})

t.test('answers and notices of the channel are no unread messages', async (t) => {
  const tenant = await makeTenant(world)
  const ana = await agentOf(tenant)
  const [first] = await conversation(tenant, 1)
  const [{ ticket_id }] = (await ana.list()) as [Json]
  await made(tenant.send(ANA))
  await tenant.writes(ANA, 'Thanks')
  t.match(await made(ana.reads(ticket_id, first!)), { read_count: 1, unread_count: 1 })
  const sent = (await tenant.api('GET', 'messages')).body.data.find(({ direction }: Json) => direction === 'outbound')
  t.match(await made(ana.reads(ticket_id, sent.id)), { read_count: 1, unread_count: 1 }, 'up to an answer')
})

t.test('only the sockets of the agent hear of a mark, and only of one that moved', async (t) => {
  const tenant = await makeTenant(world)
  const [ana, eva] = [await agentOf(tenant), await agentOf(tenant)]
  await conversation(tenant, 2)
  const [{ ticket_id }] = (await ana.list()) as [Json]
  const [tab, other] = [
    await openConsole(t, world.base_url, ana.cookie),
    await openConsole(t, world.base_url, eva.cookie),
  ]
  for (const one of [tab, other]) await one.ask('watch', { project_id: tenant.project_id })
  for (let n = 0; n < 3; n++) await made(ana.reads(ticket_id))
  await tenant.writes(ANA, 'The last one')
  const heard = (one: typeof tab) => one.events().filter(({ type }) => type === 'inbox.read')
  for (const one of [tab, other]) {
    // A message of before may come late.
    await eventually('the last message is heard', () =>
      one.events().some(({ type, data }) => type === 'message.created' && data.message.body === 'The last one'),
    )
  }
  t.match(heard(tab), [
    { user_id: ana.id, data: { ticket_id, user_id: ana.id, read_count: 2, unread_count: 0, read_at: String } },
  ])
  t.equal(heard(tab).length, 1)
  t.same(heard(other), [])
})

t.test('what does not exist here is refused, and nothing is written', async (t) => {
  const tenant = await makeTenant(world)
  const sister = await makeSister(world, tenant)
  const ana = await agentOf(tenant)
  const hers = await agentOf(sister)
  await conversation(tenant, 1)
  const [{ ticket_id }] = (await ana.list()) as [Json]
  const [theirs] = await conversation(sister, 1)
  t.match(await ana.reads('f'.repeat(24)), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  t.match(await hers.reads(ticket_id), { status: 404 }, 'a ticket of another project')
  t.match(await ana.reads(ticket_id, theirs), { status: 422, body: { error: { code: 'MESSAGE_NOT_FOUND' } } })
  t.match(await ana.reads(ticket_id, 'wamid.1'), { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
  t.equal(await ana.unread(), 1)
})

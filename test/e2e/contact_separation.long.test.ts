/** Contacts that projects of a company shared under the version before are taken apart, whatever else is going on. */
import t, { type Test } from 'tap'
import { beginContactSeparation, openDatabase, separateContacts } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { made, makeSister, makeTenant, startWorld, type Tenant } from './fixture.ts'

// A node for this file alone: each walk goes through the contacts of all projects.
const world = await startWorld(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 4 })
t.teardown(() => database.close())

let people = 0

const nextPerson = () => `1555019${String(++people).padStart(4, '0')}`

async function shown({ api }: Tenant, path: string): Promise<Json> {
  return made(api('GET', path))
}

const data = async (tenant: Tenant, path: string): Promise<Json[]> => (await shown(tenant, path)).data

/** Whole walks, until one finds nothing. */
async function separateAll(): Promise<void> {
  for (let found = 1; found > 0; ) {
    await beginContactSeparation(database)
    for (let ended = false; !ended; ) {
      // A step that deadlocks with a node's commit is taken again, as a node does.
      await separateContacts(database).catch((error) => {
        if (error.code !== '40P01') throw error
      })
      const [walk] = await database.execute<{ found: number; ended: boolean }>(
        'select found, ended_at is not null as ended from contact_separation',
      )
      ended = walk!.ended
      found = walk!.found
    }
  }
}

/** Rows as the version before left them: what a person wrote to `there` belongs to the contact that `here` made. */
async function swallow(here: Tenant, there: Tenant, user_id: string): Promise<Json> {
  const created = await here.api('POST', 'contacts', { channel_type: 'whatsapp', user_id, name: 'Ours' })
  const contact = created.status === 201 ? created.body : (await data(here, `contacts?search=${user_id}`))[0]
  await there.writes(user_id, 'Hello')
  const [own] = await eventually('it is heard', async () => {
    const found = await data(there, `contacts?search=${user_id}`)
    return found.length > 0 && found
  })
  const window = `(select windows from contact where _id = '${own!._id}')`
  await database.execute(`update contact set windows = windows || ${window} where _id = '${contact._id}'`)
  await database.execute(`update message set chat_user = '${contact._id}' where chat_user = '${own!._id}'`)
  await database.execute(`delete from crm_event where chat_user = '${own!._id}'`)
  await database.execute(`delete from ticket where chat_user = '${own!._id}'`)
  await database.execute(`delete from contact where _id = '${own!._id}'`)
  return contact
}

/** All that a project has of a person is of contacts of its own. */
async function isWhole(t: Test, tenant: Tenant, user_id: string): Promise<Json> {
  const contacts = await data(tenant, `contacts?search=${user_id}`)
  t.equal(contacts.length, 1, 'one contact')
  const [contact] = contacts
  const messages = await data(tenant, `messages?chat_user=${contact._id}`)
  t.ok(messages.length > 0, 'with its messages')
  const channels = (await world.operator('GET', `channels?project_id=${tenant.project_id}`)).body.data
  const own = channels.map(({ _id }: Json) => _id)
  t.ok(
    contact.windows.every(({ channel_id }: Json) => own.includes(channel_id)),
    'and the windows of its own channels',
  )
  return contact
}

t.test('what a sibling project swallowed is given back by the start of a node', async (t) => {
  const [here, there] = [await makeTenant(world), await makeSister(world, await makeTenant(world))]
  const sister = await makeSister(world, here)
  const user_id = nextPerson()
  const phone = `+${user_id}`
  const customer = { company_id: here.company_id, full_name: 'Ana', phone }
  const { _id: customer_id } = await made(world.operator('POST', 'customers', customer))
  const ours = await swallow(here, sister, user_id)
  await here.writes(user_id, 'Hello you')
  const note = { content: 'She asked again', chat_user: ours._id }
  await made(sister.api('POST', 'crm/notes', note))
  await made(here.api('POST', 'crm/notes', note))
  t.same(await data(sister, `contacts?search=${user_id}`), [])
  await world.restart()
  await eventually('it is given back', async () => (await data(sister, `contacts?search=${user_id}`)).length > 0)
  await separateAll()
  const hers = await isWhole(t, sister, user_id)
  t.not(hers._id, ours._id)
  t.match(hers, { user_id, phone, channel_id: sister.number.channel_id, name: null, customer_id, custom_fields: {} })
  t.match(hers.windows, [{ channel_id: sister.number.channel_id, is_open: true }])
  t.match(await isWhole(t, here, user_id), { _id: ours._id, name: 'Ours', channel_id: null })
  t.equal((await data(sister, `crm/notes?chat_user=${hers._id}`)).length, 1, 'the note follows')
  t.equal((await data(here, `crm/notes?chat_user=${ours._id}`)).length, 1, 'that of the other project stays')
  const event = { event_type: 'payment.confirmed', data: {}, phone: user_id }
  t.equal((await made(sister.api('POST', 'crm/events', event))).event.chat_user, hers._id, 'events find the contact')
  await sister.subscribe('learnt', ['crm.contact.updated'])
  await sister.writes(user_id, 'And again', { name: 'Ana' })
  const [told] = await eventually('her name is learnt', () => {
    const calls = world.sink.calls('learnt')
    return calls.length > 0 && calls
  })
  t.match(told!.body.data, { _id: hers._id, name: 'Ana' })
  t.equal((await data(sister, `messages?chat_user=${hers._id}`)).length, 2)
  t.same(await data(there, 'contacts'), [], 'another company has nothing of it')
})

t.test('tickets follow, but for one that would be a second open one', async (t) => {
  const here = await makeTenant(world)
  const sister = await makeSister(world, here)
  const user_id = nextPerson()
  const ours = await swallow(here, sister, user_id)
  // An open and a closed ticket of the project that does not have the contact.
  const event = { event_type: 'payment.confirmed', data: {} }
  await sister.send('+15550199999')
  const [other] = await data(sister, 'contacts?search=15550199999')
  const tickets: string[] = []
  for (const is_closed of [true, false]) {
    const { ticket_id } = (await made(sister.api('POST', 'crm/events', { ...event, chat_user_id: other._id }))).event
    if (is_closed) await made(sister.api('PATCH', `crm/tickets/${ticket_id}`, { is_closed }))
    tickets.push(ticket_id)
  }
  await database.execute(`update ticket set chat_user = '${ours._id}' where chat_user = '${other._id}'`)
  await database.execute(`update crm_event set chat_user = '${ours._id}' where chat_user = '${other._id}'`)
  const [hidden] = await data(sister, 'crm/tickets?is_closed=true')
  t.match(
    hidden,
    { chat_user: ours._id, chat_user_name: null, chat_user_channel: null },
    'nothing of the sibling shows',
  )
  await separateAll()
  const hers = await isWhole(t, sister, user_id)
  const listed = await data(sister, `crm/tickets?chat_user=${hers._id}`)
  t.same(listed.map(({ _id }) => _id).sort(), tickets.sort())
  const events = await data(sister, `crm/events?chat_user=${hers._id}&limit=200`)
  t.ok(events.length >= 4)
  t.same([...new Set(events.map(({ chat_user }) => chat_user))], [hers._id])
  const late = await made(sister.api('POST', 'crm/events', { ...event, ticket_id: tickets[1] }))
  t.equal(late.event.ticket_id, tickets[1])
  await here.writes(user_id, 'Mine')
  await eventually('the owner of the contact opens its own', async () => {
    const [found] = await data(here, `crm/tickets?chat_user=${ours._id}`)
    return found?.is_closed === false
  })
})

/** An open ticket that a project has of a person, left with the contact of another project. */
async function leaveTicket(sister: Tenant, ours: Json): Promise<string> {
  const of = await made(sister.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: nextPerson() }))
  const event = { event_type: 'payment.confirmed', data: {}, chat_user_id: of._id }
  const { ticket_id } = (await made(sister.api('POST', 'crm/events', event))).event
  for (const table of ['ticket', 'crm_event']) {
    await database.execute(`update ${table} set chat_user = '${ours._id}' where chat_user = '${of._id}'`)
  }
  return ticket_id
}

const ticketsOf = async (tenant: Tenant, { _id }: Json) =>
  (await data(tenant, `crm/tickets?chat_user=${_id}`)).map((ticket) => ticket._id)

t.test('a walk that is cut off at the tickets is gone on with by the next', async (t) => {
  const here = await makeTenant(world)
  const sister = await makeSister(world, here)
  const user_id = nextPerson()
  const ours = await swallow(here, sister, user_id)
  const ticket_id = await leaveTicket(sister, ours)
  await database.execute(`
    create function cut_off() returns trigger language plpgsql as $$ begin raise exception 'cut off'; end $$;
    create trigger cut_off before update on ticket for each statement execute function cut_off()`)
  await t.rejects(separateAll(), /cut off/)
  await database.execute('drop trigger cut_off on ticket; drop function cut_off()')
  await separateAll()
  t.same(await ticketsOf(sister, await isWhole(t, sister, user_id)), [ticket_id])
})

t.test('an open ticket beside another one follows once it can', async (t) => {
  const here = await makeTenant(world)
  const sister = await makeSister(world, here)
  const user_id = nextPerson()
  const ours = await swallow(here, sister, user_id)
  const ticket_id = await leaveTicket(sister, ours)
  await sister.writes(user_id, 'Hello again')
  const own = await eventually('a contact and a ticket of its own', async () => {
    const [contact] = await data(sister, `contacts?search=${user_id}`)
    return contact && (await ticketsOf(sister, contact)).length === 1 && contact
  })
  await separateAll()
  const [second] = await ticketsOf(sister, own)
  t.not(second, ticket_id, 'one open ticket for each contact')
  await made(sister.api('PATCH', `crm/tickets/${second}`, { is_closed: true }))
  await separateAll()
  t.same((await ticketsOf(sister, own)).sort(), [ticket_id, second].sort())
})

t.test('a second walk changes nothing, and one company leaves the others alone', async (t) => {
  const [here, stranger] = [await makeTenant(world), await makeTenant(world)]
  const sister = await makeSister(world, here)
  const user_id = nextPerson()
  await swallow(here, sister, user_id)
  await stranger.writes(user_id, 'Hello')
  await made(stranger.api('POST', 'contacts', { channel_type: 'whatsapp', user_id }))
  await separateAll()
  const state = async () => [
    await database.execute('select * from contact order by _id'),
    await database.execute('select id, chat_user from message order by id'),
    await database.execute('select * from ticket order by _id'),
  ]
  const before = await state()
  await separateAll()
  t.same(await state(), before)
})

t.test('what a node of the version before does beside it is found by the next walk', async (t) => {
  const here = await makeTenant(world)
  const sister = await makeSister(world, here)
  const user_id = nextPerson()
  await swallow(here, sister, user_id)
  await separateAll()
  const hers = await isWhole(t, sister, user_id)
  // Read before the walk, committed after it.
  const [ours] = await data(here, `contacts?search=${user_id}`)
  const { id } = (await sister.send(`+${user_id}`)).body
  await database.execute(`update message set chat_user = '${ours._id}' where id = '${id}'`)
  await separateAll()
  t.equal((await isWhole(t, sister, user_id))._id, hers._id, 'the contact is still one')
  t.equal((await shown(sister, `messages/${id}`)).chat_user, hers._id)
})

t.test('messages that are locked are waited for by nobody', async (t) => {
  const here = await makeTenant(world)
  const sister = await makeSister(world, here)
  const [held, free] = [nextPerson(), nextPerson()]
  const contacts = [await swallow(here, sister, held), await swallow(here, sister, free)]
  await database.em().transactional(async (em) => {
    await em.execute(`select 1 from message where chat_user = '${contacts[0]!._id}' for update`)
    await beginContactSeparation(database)
    while (await separateContacts(database));
    const rest = await database.execute('select chat_user from message where chat_user in (?, ?)', [
      contacts[0]!._id,
      contacts[1]!._id,
    ])
    t.same(rest, [{ chat_user: contacts[0]!._id }], 'one is passed over')
  })
  await separateAll()
  for (const user_id of [held, free]) await isWhole(t, sister, user_id)
})

t.test('people go on writing to both projects while contacts are taken apart by two at once', async (t) => {
  const here = await makeTenant(world)
  const sister = await makeSister(world, here)
  const them = Array.from({ length: 12 }, nextPerson)
  for (const user_id of them) await swallow(here, sister, user_id)
  const writing = them.flatMap((user_id) => [
    ...[1, 2, 3].map((n) => sister.writes(user_id, `${n}`, { name: 'Ana' })),
    sister.send(`+${user_id}`),
    here.writes(user_id, 'Mine', { name: 'Eva' }),
  ])
  await Promise.all([separateAll(), separateAll(), ...writing])
  await eventually('all is heard', async () => (await data(sister, 'messages?limit=200')).length === them.length * 5)
  await separateAll()
  for (const user_id of them) {
    const hers = await isWhole(t, sister, user_id)
    t.equal((await data(sister, `messages?chat_user=${hers._id}`)).length, 5)
    t.match(await isWhole(t, here, user_id), { name: 'Ours' })
  }
})

t.test('thousands of messages and contacts go in steps', async (t) => {
  const here = await makeTenant(world)
  const sister = await makeSister(world, here)
  const { company_id } = here
  await database.execute(`
    insert into contact (_id, company_id, project_id, channel_type, user_id)
    select lpad(to_hex(n), 24, '0'), '${company_id}', '${here.project_id}', 'whatsapp', '1777' || n from generate_series(1, 2500) n`)
  await database.execute(`
    insert into message (id, company_id, project_id, channel, channel_id, direction, chat_user, type, message, status)
    select 'msg_' || lpad(to_hex(n), 24, '0'), '${company_id}', '${sister.project_id}', 'whatsapp',
      '${sister.number.channel_id}', 'inbound', lpad(to_hex(case when n <= 2500 then n else 1 end), 24, '0'), 'text',
      '{"body": "Hi"}', 'received' from generate_series(1, 5000) n`)
  // The planner knows the tables of a company that has been there for a day.
  await database.execute('analyze contact, message')
  await separateAll()
  const [count] = await database.execute<Json>(`
    select count(*)::integer as messages, count(distinct chat_user)::integer as contacts from message m
    join contact c on c._id = m.chat_user and c.project_id = m.project_id where m.project_id = '${sister.project_id}'`)
  t.same(count, { messages: 5000, contacts: 2500 })
})

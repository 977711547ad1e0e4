/** The inbox of agents: the list of tickets with its filters, its order and its counts. */
import t from 'tap'
import { broadcastWhen, people, sendBulk } from './broadcast_client.ts'
import type { Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)

/** An agent of the tenant, with the inbox of its project. */
async function makeInbox(tenant: Tenant) {
  const agent = await makeAgent(world, tenant)
  const { call } = await signIn(world, agent)
  const read = (path = '') => call('GET', `projects/${tenant.project_id}/inbox${path}`)
  return {
    agent,
    call,
    read,
    list: async (query = ''): Promise<Json[]> => (await made(read(query))).data,
    names: async (query = ''): Promise<string[]> =>
      (await made(read(query))).data.map((row: Json) => row.contact.user_id.slice(-1)),
    counts: () => made(read('/counts')),
  }
}

const phone = (n: number) => `+1555019300${n}`

t.test('a row has what the list shows of a ticket, its contact and the last message', async (t) => {
  const tenant = await makeTenant(world)
  const { list, agent } = await makeInbox(tenant)
  t.same(await list(), [])
  await tenant.writes(phone(1), 'Where is my order?')
  await tenant.writes(phone(1), 'x'.repeat(300))
  const [row] = await list()
  t.match(row, {
    is_closed: false,
    contact: { phone: phone(1), channel_type: 'whatsapp', channel_id: tenant.number.channel_id },
    last_message: { type: 'text', direction: 'inbound', status: 'received', text: 'x'.repeat(200) },
    unread_count: 2,
    assigned_to: null,
    handled_by: 'nobody',
    tags: [],
    priority: null,
    snoozed_at: null,
    stage: { name: 'New' },
  })
  t.equal(Date.parse(row!.reply_window_ends_at) > Date.parse(row!.last_activity_at), true)
  t.ok(row!.waiting_since < row!.last_activity_at, 'the person waits since the first message')
  const tag = await made(
    world.operator('POST', 'tags', { project_id: tenant.project_id, name: 'Late', color: '#aa0000' }),
  )
  const change = { assigned_to: agent._id, priority: 'high', add_tag_ids: [tag._id] }
  await made(tenant.api('PATCH', `crm/tickets/${row!.ticket_id}`, change))
  const sent = await made(tenant.send(phone(1)))
  await tenant.message(sent.id, 'read')
  t.match(await list(), [
    {
      ticket_id: row!.ticket_id,
      version: 2,
      assigned_to: { id: agent._id, full_name: 'Ana Agent' },
      handled_by: 'person',
      priority: 'high',
      tags: [{ id: tag._id, name: 'Late', color: '#aa0000' }],
      last_message: { id: sent.id, direction: 'outbound', status: 'read', text: 'Hello' },
      waiting_since: null,
    },
  ])
})

t.test('a last message without a text comes with its content, for its words', async (t) => {
  const tenant = await makeTenant(world)
  const { list } = await makeInbox(tenant)
  await tenant.writes(phone(1), 'Hello')
  const last = async () => (await list())[0]!.last_message
  t.match(await last(), { text: 'Hello', message: null, channel_id: tenant.number.channel_id })
  const contents: Json[] = [
    { type: 'template', name: 'order_update', language: 'en_US', variables: { 1: 'Ana', 2: 'A-1042' } },
    { type: 'location', latitude: 19.4, longitude: -99.1, name: 'Zócalo' },
    { type: 'contacts', contacts: [{ name: { formatted_name: 'Luis', first_name: 'Luis' } }] },
  ]
  for (const message of contents) {
    const { id } = await made(tenant.send(phone(1), { message }))
    t.match(await last(), { id, type: message.type, text: null, message, channel_id: tenant.number.channel_id })
  }
  const captioned = { type: 'image', link: 'https://files.example.com/cat.jpg', caption: 'A cat' }
  await made(tenant.send(phone(1), { message: captioned }))
  t.match(await last(), { type: 'image', text: 'A cat', message: null })
})

t.test('the latest activity comes first; events of programs and bulk sends move nothing', async (t) => {
  const tenant = await makeTenant(world)
  const { names, list } = await makeInbox(tenant)
  for (const n of [1, 2, 3]) await tenant.writes(phone(n), 'Hi')
  t.same(await names(), ['3', '2', '1'])
  await tenant.writes(phone(1), 'Hi again')
  t.same(await names(), ['1', '3', '2'])
  await made(tenant.send(phone(2)))
  t.same(await names(), ['2', '1', '3'], 'an answer')
  const [, , last] = await list()
  await made(tenant.api('POST', 'crm/notes', { ticket_id: last!.ticket_id, content: 'Ask the depot' }))
  t.same(await names(), ['3', '2', '1'], 'a note')
  await made(
    tenant.api('POST', 'crm/events', { event_type: 'payment.confirmed', data: {}, chat_user_id: last!.contact._id }),
  )
  const [, , first] = await list()
  await made(
    tenant.api('POST', 'crm/events', { event_type: 'payment.confirmed', data: {}, chat_user_id: first!.contact._id }),
  )
  const id = await sendBulk(tenant, [{ ...people(1)[0], phone: phone(1) }])
  await broadcastWhen(tenant, id, 'is completed', ({ status }) => status === 'completed')
  t.same(await names(), ['3', '2', '1'], 'neither an event nor a bulk message')
  t.same(await names('?sort=waiting'), ['1', '3'], 'those who wait for an answer, the longest first')
})

t.test('each filter leaves the tickets that match', async (t) => {
  const tenant = await makeTenant(world)
  const { names, list, counts, agent } = await makeInbox(tenant)
  for (const n of [1, 2, 3, 4]) await tenant.writes(phone(n), 'Hi')
  const ids = new Map((await list()).map((row) => [row.contact.user_id.slice(-1), row]))
  const patch = (n: number, fields: Json) =>
    made(tenant.api('PATCH', `crm/tickets/${ids.get(String(n))!.ticket_id}`, fields))
  const tag = await made(world.operator('POST', 'tags', { project_id: tenant.project_id, name: 'Late' }))
  await patch(1, { assigned_to: agent._id })
  await patch(2, { assigned_to: tenant.user_id, priority: 'urgent' })
  await patch(3, { add_tag_ids: [tag._id] })
  await patch(4, { is_closed: true })
  await made(tenant.api('PATCH', `contacts/${ids.get('3')!.contact._id}`, { name: 'Núria 100%_' }))
  const { stage } = ids.get('1')!
  const nothing = 'f'.repeat(24)
  const expected: Record<string, string[]> = {
    '?view=mine': ['1'],
    '?view=unassigned': ['3'],
    '?view=all': ['3', '2', '1'],
    '?is_closed=true': ['4'],
    '?is_snoozed=true': [],
    '?is_unread=true': ['3', '2', '1'],
    '?is_unread=false': [],
    [`?assigned_to=${tenant.user_id}`]: ['2'],
    '?priority=urgent': ['2'],
    '?priority=low': [],
    [`?tag_id=${tag._id}`]: ['3'],
    [`?tag_id=${nothing}`]: [],
    [`?stage_id=${stage.stage_id}`]: ['3', '2', '1'],
    [`?stage_id=${nothing}`]: [],
    '?channel_type=whatsapp': ['3', '2', '1'],
    '?channel_type=telegram': [],
    [`?channel_id=${tenant.number.channel_id}&view=unassigned`]: ['3'],
    [`?channel_id=${nothing}`]: [],
    '?search=N%C3%BARIA': ['3'],
    '?search=0%25_': ['3'],
    '?search=5550193': ['3', '2', '1'],
    '?search=5550193&view=mine': ['1'],
    '?search=nuria': ['3'],
    '?search=nobody': [],
    '?search=5550193&is_unread=true&limit=2': ['3', '2'],
  }
  for (const [query, wanted] of Object.entries(expected)) t.same(await names(query), wanted, query)
  t.match(await counts(), {
    mine: { tickets: 1, unread: 1 },
    unassigned: { tickets: 1, unread: 1 },
    all: { tickets: 3, unread: 3 },
    snoozed: { tickets: 0, unread: 0 },
  })
})

t.test('pages follow each other, whatever the filter', async (t) => {
  const tenant = await makeTenant(world)
  const { read, names } = await makeInbox(tenant)
  for (const n of [1, 2, 3, 4, 5]) await tenant.writes(phone(n), 'Hi')
  for (const query of ['', '&sort=waiting', '&is_unread=true', '&search=5550193', '&search=55', '&view=unassigned']) {
    const found: string[] = []
    let cursor = ''
    for (let pages = 0; pages < 4; pages++) {
      const { data, next_cursor } = await made(read(`?limit=2${query}${cursor && `&cursor=${cursor}`}`))
      found.push(...data.map((row: Json) => row.contact.user_id.slice(-1)))
      cursor = next_cursor
      if (!cursor) break
    }
    t.same(found, await names(`?${query.slice(1)}`), query)
    t.equal(found.length, 5)
  }
  for (const query of ['?cursor=x', '?limit=0', '?view=others', '?is_unread=yes', '?unknown=1']) {
    t.match(await read(query), { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } }, query)
  }
})

t.test('nobody sees the inbox of another company, and a new project has an empty one', async (t) => {
  const [own, other] = [await makeTenant(world), await makeTenant(world)]
  const { call, list } = await makeInbox(own)
  await other.writes(phone(1), 'Hi')
  for (const path of ['inbox', 'inbox/counts']) {
    t.match(await call('GET', `projects/${other.project_id}/${path}`), { status: 404 })
  }
  t.same(await list('?search=555'), [])
})

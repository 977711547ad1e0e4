/** The timeline of a ticket: its contents, its order, and pages that show everything once. */
import t from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { connectNumber, joinWorld, made, makeTenant, type Tenant, text } from './fixture.ts'

const world = await joinWorld(t)
const { operator } = world
const tenant = await makeTenant(world)
const { api, company_id, project_id, user_id } = tenant
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())

let people = 0

/** Makes a person and returns the ticket that a first message opened. */
async function written({ api, writes }: Tenant = tenant): Promise<{ from: string; ticket: Json }> {
  const from = `+1555710${1000 + ++people}`
  await writes(from, 'First')
  return eventually('a ticket is opened', async () => {
    const message = (await made(api('GET', 'messages?limit=200'))).data.find((one: Json) => one.from === from)
    if (!message) return undefined
    const [ticket] = (await made(api('GET', `crm/tickets?chat_user=${message.chat_user}`))).data
    return { from, ticket }
  })
}

const page = ({ _id }: Json, query = '') => made(api('GET', `crm/tickets/${_id}/timeline?${query}`))

/** Reads all pages of `limit` items. */
async function paged(ticket: Json, limit: number, query = ''): Promise<Json[]> {
  const all: Json[] = []
  for (let cursor = ''; ; ) {
    const { data, next_cursor } = await page(ticket, `limit=${limit}${query}${cursor}`)
    all.push(...data)
    if (next_cursor === null) return all
    t.equal(data.length, limit)
    cursor = `&cursor=${next_cursor}`
  }
}

const nameOf = ({ kind, event_type, content, direction, message }: Json) =>
  kind === 'event' ? event_type : kind === 'note' ? content : `${direction} ${message.body ?? message.text?.body}`

t.test('notes, events and messages share one order and look as in their own routes', async (t) => {
  const { from, ticket } = await written()
  const { _id: ticket_id, chat_user } = ticket
  const note = (body: object) => made(api('POST', 'crm/notes', { content: 'A note', ...body }))
  await note({ ticket_id, chat_user })
  const { id } = (await tenant.send(from, { message: text('Reply') })).body
  await made(api('POST', 'crm/events', { event_type: 'payment.confirmed', data: { amount: 5 }, ticket_id }))
  await made(api('PATCH', `crm/tickets/${ticket_id}`, { assigned_to: user_id, priority: 'high' }))
  await note({ chat_user, content: 'On the contact alone' })
  await made(api('PATCH', `crm/tickets/${ticket_id}`, { is_closed: true, resolution: 'won' }))
  await tenant.message(id, 'read')
  const later = await tenant.send(from, { message: text('After it was closed') })
  await note({ ticket_id, content: 'Afterwards' })
  const items = await paged(ticket, 200)
  t.same(items.map(nameOf).reverse(), [
    ...['inbound First', 'ticket.created', 'A note', 'outbound Reply', 'payment.confirmed', 'ticket.assigned'],
    ...['ticket.closed', 'Afterwards'],
  ])
  for (const { kind, ...record } of items) {
    const path = { note: 'crm/notes', event: 'crm/events', message: 'messages' }[kind as 'note']
    // `waiting` is read for single messages only.
    const { waiting: _, ...shown } = await made(api('GET', `${path}/${record._id ?? record.id}`))
    t.same(record, shown, kind)
  }
  for (const kind of ['note', 'event', 'message']) {
    t.same(
      await paged(ticket, 200, `&kind=${kind}`),
      items.filter((item) => item.kind === kind),
    )
  }
  await made(api('PATCH', `crm/tickets/${ticket_id}`, { is_closed: false }))
  const reopened = (await paged(ticket, 200)).map(nameOf)
  t.ok(reopened.includes('outbound After it was closed'), 'the time in between belongs to a ticket that was reopened')
  t.equal(later.status, 202)
})

t.test('items of one millisecond are shown once, in the order of their ids, however small the pages', async (t) => {
  const { ticket } = await written()
  const { _id: ticket_id, chat_user } = ticket
  const own = { company_id, project_id, chat_user }
  const expected: string[] = []
  // The items come after all others: ids and times of three moments, with the kinds in turn.
  const base = Date.now() + 60_000
  for (let n = 0; n < 60; n++) {
    const created_at = new Date(base + Math.floor(n / 20)).toISOString()
    const id = `ffffffff${String((n * 37) % 60).padStart(16, '0')}`
    const kind = ['note', 'crm_event', 'message'][n % 3]!
    const row = {
      note: { _id: id, ...own, ticket_id, content: 'x', type: 'note', created_by: user_id, created_at },
      crm_event: { _id: id, ...own, ticket_id, event_type: 'custom.x', data: '{}', created_at },
      message: {
        id: `msg_${id}`,
        ...own,
        ...{ channel: 'whatsapp', channel_id: tenant.number.channel_id, direction: 'inbound', type: 'text' },
        ...{ message: '{}', status: 'received', created_at, updated_at: created_at },
      },
    }[kind]!
    const columns = Object.keys(row)
    const places = columns.map(() => '?').join()
    await database.execute(`insert into ${kind} (${columns}) values (${places})`, Object.values(row))
    expected.push(`${created_at} ${id}`)
  }
  expected.sort().reverse()
  for (const limit of [1, 7, 20, 200]) {
    const items = await paged(ticket, limit)
    const keys = items.map(({ created_at, _id, id }) => `${created_at} ${_id ?? id.slice(4)}`)
    t.same(keys.slice(0, 60), expected, `by ${limit}`)
    t.equal(new Set(keys).size, 62)
    const notes = await paged(ticket, limit, '&kind=note')
    t.same(
      notes,
      items.filter(({ kind }) => kind === 'note'),
    )
  }
})

t.test('the timeline shows nothing of other tickets', async (t) => {
  const { from, ticket } = await written()
  const before = await paged(ticket, 200)
  const other = await makeTenant(world)
  await made(other.api('POST', 'crm/notes', { content: 'Not theirs', ticket_id: ticket._id }))
  const second = await made(operator('POST', 'projects', { company_id, name: 'Second' }))
  const { phone_number_id } = await connectNumber(world, second._id)
  await tenant.writes(from, 'To another project', { phone_number_id })
  const third = await written()
  t.not(third.ticket._id, ticket._id)
  t.same(await paged(ticket, 200), before)
  for (const query of ['cursor=x', 'cursor=1', `cursor=1_${'g'.repeat(24)}`, 'kind=stage', 'limit=0', 'offset=1']) {
    t.equal((await api('GET', `crm/tickets/${ticket._id}/timeline?${query}`)).status, 400, query)
  }
  const far = await page(ticket, `cursor=9999999999999_${'f'.repeat(24)}`)
  t.same(far.data, before)
  t.same((await page(ticket, `cursor=0_${'0'.repeat(24)}`)).data, [])
})

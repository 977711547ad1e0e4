/** Tickets and their events stay exact from two nodes at once. */
import type { Test } from 'tap'
import { type Answer, type Json, patiently } from '../client.ts'
import { allMessages, type ClusterNode, statuses } from '../cluster.ts'
import { connectNumber, made, makeTenant, type Tenant } from '../fixture.ts'
import { atOnce, database, inbound, newContact, nodes, secondProject, somewhen, text, upTo, world } from './nodes.ts'

/** `crm_event_key`: two hundred requests with one key, half of them from another project of the company. */
export async function eventKeyIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const second = await secondProject(tenant)
  const people = await Promise.all([tenant.token, second].map((token) => newContact(token)))
  const projectOf = (n: number) => Math.floor(n / nodes.length) % 2
  const record = (node: ClusterNode, n: number, idempotency_key: string) => {
    const at = projectOf(n)
    const body = { event_type: 'payment.confirmed', data: { n }, chat_user_id: people[at], idempotency_key }
    return patiently(() => node.call(at === 0 ? tenant.token : second, 'POST', 'crm/events', body))
  }
  const answers = await atOnce(200, async (node, n) => {
    await somewhen()
    return record(node, n, 'one event')
  })
  /** Checks that one project has the event, as often as it asked, and that the other project learns nothing of it. */
  const isOneEvent = (answers: Answer[], key: string) => {
    const of = [0, 1].map((project) => answers.filter((_, n) => projectOf(n) === project))
    const winner = of.findIndex((own) => own.some(({ body }) => body.event))
    const { 201: recorded = 0, 200: replayed = 0 } = statuses(of[winner]!)
    // A client asks again when the machine was too busy to answer.
    t.ok(recorded <= 1, `${key} is recorded once`)
    t.equal(recorded + replayed, of[winner]!.length)
    t.equal(new Set(of[winner]!.map(({ body }) => body.event._id)).size, 1, 'every answer names the same event')
    t.same(statuses(of[1 - winner]!), { 409: of[1 - winner]!.length }, 'the other project gets 409 alone')
    for (const { body } of of[1 - winner]!) {
      t.equal(body.error.code, 'IDEMPOTENCY_KEY_REUSED')
      t.same(Object.keys(body.error), ['code', 'message'])
    }
    return of[winner]![0]!.body.event._id
  }
  const _id = isOneEvent(answers, 'one event')
  const rows = await database.execute('select _id from crm_event where company_id = ? and idempotency_key = ?', [
    tenant.company_id,
    'one event',
  ])
  t.same(rows, [{ _id }])
  const races = await Promise.all(upTo(10).map((race) => atOnce(4, (node, n) => record(node, n, `race ${race}`))))
  for (const [race, answers] of races.entries()) isOneEvent(answers, `race ${race}`)
}

/**
 * `contact_identity`: two projects of a company get messages of the same person and create the contact of the whole
 * channel type, all at once.
 */
export async function siblingsAreExact(t: Test): Promise<void> {
  const one = await makeTenant(world)
  const token = await secondProject(one)
  const { body } = await nodes[0]!.call(token, 'GET', 'me')
  const number = await connectNumber(world, body.project.id)
  const two: Tenant = { ...one, project_id: body.project.id, token, number }
  const user_id = '15550180003'
  const wide = { channel_type: 'whatsapp', user_id }
  const answers = await atOnce(60, async (node, n) => {
    await somewhen()
    const [tenant, what] = [Math.floor(n / 2) % 2 ? one : two, Math.floor(n / 4) % 3]
    if (what === 0) return patiently(() => node.call(tenant.token, 'POST', 'contacts', wide))
    if (what === 1) return patiently(() => inbound(node, tenant, `wamid.sibling.${n}`, user_id))
    const headers = { 'idempotency-key': `sibling ${n}` }
    const send = { channel: 'whatsapp', to: `+${user_id}`, message: text(`${n}`) }
    return patiently(() => node.call(tenant.token, 'POST', 'messages', send, { headers }))
  })
  const found = statuses(answers)
  const { 200: heard, 202: sent, 201: created = 0, 400: refused = 0 } = found
  t.same([heard, sent, created + refused], [20, 20, 20], JSON.stringify(found))
  const rows = await database.execute('select 1 from contact where company_id = ? and channel_id is null', [
    one.company_id,
  ])
  t.equal(rows.length, 1, 'there is one contact of the whole channel type')
  for (const { token } of [one, two]) {
    const contacts = (await made(patiently(() => nodes[0]!.call(token, 'GET', 'contacts')))).data as Json[]
    const messages = await allMessages(nodes[1]!, token)
    t.equal(messages.length, 20)
    const ids = contacts.map(({ _id }) => _id)
    t.ok(
      messages.every(({ chat_user }) => ids.includes(chat_user)),
      'all messages of a project are of its own contacts',
    )
    const tickets = (await made(patiently(() => nodes[0]!.call(token, 'GET', 'crm/tickets')))).data as Json[]
    t.ok(tickets.length > 0 && tickets.every(({ chat_user }) => ids.includes(chat_user)))
  }
}

/** `ticket_open`: fifty events of a contact that has no ticket. */
export async function openTicketIsExact(t: Test): Promise<void> {
  const tenant = await makeTenant(world)
  const chat_user_id = await newContact(tenant.token)
  const answers = await atOnce(50, async (node, n) => {
    await somewhen()
    const body = { event_type: 'payment.confirmed', data: { n }, chat_user_id, idempotency_key: `event ${n}` }
    return patiently(() => node.call(tenant.token, 'POST', 'crm/events', body))
  })
  t.ok(answers.every(({ status }) => status === 201 || status === 200))
  t.equal(new Set(answers.map(({ body }) => body.event.ticket_id)).size, 1, 'one ticket')
  const rows = await database.execute('select _id from ticket where chat_user = ?', [chat_user_id])
  t.same(rows, [{ _id: answers[0]!.body.event.ticket_id }])
  const { body } = await nodes[1]!.call(tenant.token, 'GET', `crm/events?event_type=payment.confirmed&limit=200`)
  t.equal(body.data.length, 50, 'with every event on it')
}

/**
 * `ticket_open`: two closed tickets of a contact are reopened, each twenty-five times, beside events of the contact.
 */
export async function reopeningIsExact(t: Test): Promise<void> {
  const { token } = await makeTenant(world)
  const chat_user_id = await newContact(token)
  const event = { event_type: 'payment.confirmed', data: {}, chat_user_id }
  const closed: string[] = []
  for (const node of nodes) {
    const { ticket_id } = (await made(patiently(() => node.call(token, 'POST', 'crm/events', event)))).event
    await made(patiently(() => node.call(token, 'PATCH', `crm/tickets/${ticket_id}`, { is_closed: true })))
    closed.push(ticket_id)
  }
  const answers = await atOnce(60, async (node, n) => {
    await somewhen()
    if (n % 6 === 5) return patiently(() => node.call(token, 'POST', 'crm/events', event))
    const id = closed[Math.floor(n / nodes.length) % 2]
    return patiently(() => node.call(token, 'PATCH', `crm/tickets/${id}`, { is_closed: false }))
  })
  const found = statuses(answers)
  t.equal((found[200] ?? 0) + (found[201] ?? 0) + (found[409] ?? 0), 60, JSON.stringify(found))
  const rows = await database.execute('select _id from ticket where chat_user = ? and not is_closed', [chat_user_id])
  t.equal(rows.length, 1, 'one ticket is open')
  const refused = answers.filter(({ status }) => status === 409).map(({ body }) => body.error)
  for (const { code, details } of refused) t.same([code, details], ['TICKET_ALREADY_OPEN', { ticket_id: rows[0]!._id }])
  t.ok(refused.length > 0)
}

/** The request from which messages, events and deliveries came. */
import t from 'tap'
import { newPerson, openDesk } from './assistant_desk.ts'
import { ORDER, people } from './broadcast_client.ts'
import { type Answer, eventually, type Json } from './client.ts'
import { delayCallbacks, joinWorld, made, makeTenant, type Tenant } from './fixture.ts'
import { makeOffice, soon, ticketOf } from './inbox_client.ts'
import { becomes, person, schedule } from './scheduled_client.ts'
import type { Received } from './sink.ts'

const world = await joinWorld(t)
const { sink } = world

const STATUSES = ['sent', 'delivered', 'read'].map((status) => `whatsapp.message.${status}`)
const HEADER = 'x-request-id'

let requests = 0
/** A request id of the test's own. */
const newId = () => `test-${process.pid}.${++requests}_a`

/** The call of each event at a path, once all of these types are there. */
function byType(path: string, types: readonly string[]): Promise<Record<string, Received>> {
  return eventually(`${types} at ${path}`, () => {
    const all = Object.fromEntries(sink.calls(path).map((call) => [call.body.type, call]))
    return types.every((type) => all[type]) && all
  })
}

async function messagesOf(tenant: Tenant, query: string): Promise<Json[]> {
  return (await tenant.api('GET', `messages?${query}`)).body.data
}

t.test('a send names its request in the message, its events and the calls of the receiver', async (t) => {
  const tenant = await makeTenant(world)
  const path = `ids-${newId()}`
  const { id } = await tenant.subscribe(path, STATUSES)
  await tenant.writes('+15557300001', 'Hello')
  await delayCallbacks(world, tenant)
  const request_id = newId()
  const { body } = await tenant.send('+15557300001', {}, { headers: { [HEADER]: request_id } })
  const message = await tenant.message(body.id, 'read')
  t.equal(message.request_id, request_id)
  const calls = await byType(path, STATUSES)
  t.equal(calls['whatsapp.message.sent']!.headers[HEADER], request_id, 'the answer of the provider belongs to the send')
  const callbacks = ['delivered', 'read'].map((status) => calls[`whatsapp.message.${status}`]!.headers[HEADER])
  for (const callback of callbacks) t.match(callback, /^req_[A-Za-z0-9_-]+$/, 'a callback is a request of its own')
  t.not(callbacks[0], callbacks[1])
  for (const one of await tenant.deliveries(id)) {
    t.equal(one.request_id, calls[one.event_type]!.headers[HEADER], one.event_type)
    const shown = (await tenant.api('GET', `webhooks/${id}/deliveries/${one.id}`)).body
    t.equal(shown.request_id, one.request_id)
    const event = (await tenant.api('GET', `events/${one.event_id}`)).body
    t.match(event, { type: one.event_type, request_id: one.request_id, data: { message_id: message.id } })
    t.equal(shown.attempt_records[0].headers_sent['X-Request-Id'], one.request_id)
  }
})

t.test('what a person writes names the callback of the provider, and a client without an id gets one', async (t) => {
  const tenant = await makeTenant(world)
  const path = `ids-${newId()}`
  await tenant.subscribe(path, ['whatsapp.message.received'])
  await tenant.writes('+15557300002', 'Hello')
  const { headers, body } = (await byType(path, ['whatsapp.message.received']))['whatsapp.message.received']!
  const message = (await tenant.api('GET', `messages/${body.data.message_id}`)).body
  t.match(message.request_id, /^req_/)
  t.equal(headers[HEADER], message.request_id)
  const answer = await tenant.send('+15557300002')
  t.equal((await tenant.message(answer.body.id, 'read')).request_id, answer.headers[HEADER])
})

t.test('all messages of a broadcast name the request that started it', async (t) => {
  const tenant = await makeTenant(world)
  const path = `ids-${newId()}`
  await tenant.subscribe(path, ['messages.broadcast.completed', 'whatsapp.message.sent'])
  const request_id = newId()
  const headers = { [HEADER]: request_id }
  await made(tenant.api('POST', 'messages/bulk', { ...ORDER, recipients: people(30, 7000) }, { headers }))
  const calls = await byType(path, ['messages.broadcast.completed', 'whatsapp.message.sent'])
  for (const { headers } of Object.values(calls)) t.equal(headers[HEADER], request_id)
  const messages = await messagesOf(tenant, 'limit=50')
  t.equal(messages.length, 30)
  t.same([...new Set(messages.map((one) => one.request_id))], [request_id])
})

t.test('a scheduled message names the request that gave it its time', async (t) => {
  const { tenant, agents } = await (await makeOffice(world, 1))()
  const [ana] = agents
  const ticket_id = await ticketOf(tenant, ana, person(1))
  let asked: Answer | undefined
  const begun = await soon(async (send_at) => {
    asked = await schedule(ana, ticket_id, { send_at })
    return asked
  })
  const done = await becomes(ana, begun, 'sent')
  const message = await tenant.message(done.message_id, 'sent', 'delivered', 'read')
  t.equal(message.request_id, asked!.headers[HEADER])
})

t.test('the answer of an assistant names the callback that brought the last message of the burst', async (t) => {
  const tenant = await makeTenant(world)
  const path = `ids-${newId()}`
  await tenant.subscribe(path, ['whatsapp.message.sent', 'assistant.reply.sent'])
  const desk = await openDesk(world, tenant)
  const phone = newPerson()
  const mark = `request ${phone}`
  await desk.script(mark, { answer: 'It arrives tomorrow.' })
  for (const body of ['Hello!', 'Where is my order?', mark]) await desk.says(phone, body)
  const [answer] = await desk.answered(phone)
  const inbound = (await desk.messagesOf(phone)).filter(({ direction }) => direction === 'inbound')
  t.equal(new Set(inbound.map(({ request_id }) => request_id)).size, 3)
  t.equal(answer!.request_id, inbound.at(-1)!.request_id)
  const calls = await byType(path, ['whatsapp.message.sent', 'assistant.reply.sent'])
  for (const { headers } of Object.values(calls)) t.equal(headers[HEADER], answer!.request_id)
})

t.test('tickets that a bulk action changes name its request', async (t) => {
  const { tenant, agents } = await (await makeOffice(world, 1))()
  const [ana] = agents
  const path = `ids-${newId()}`
  await ticketOf(tenant, ana, person(2))
  await tenant.subscribe(path, ['crm.ticket.updated'])
  const action = { type: 'prioritize', priority: 'high' }
  const begun = await ana.ask('POST', 'bulk_actions', { filter: {}, action })
  t.equal(begun.status, 202, begun.text)
  const { headers } = (await byType(path, ['crm.ticket.updated']))['crm.ticket.updated']!
  t.equal(headers[HEADER], begun.headers[HEADER])
})

t.test('a receiver that sets the header itself keeps its own', async (t) => {
  const tenant = await makeTenant(world)
  const path = `ids-${newId()}`
  const headers = { 'x-Request-ID': 'mine, whatever comes' }
  await tenant.subscribe(path, ['whatsapp.message.sent'], { headers })
  await tenant.writes('+15557300003', 'Hello')
  await tenant.send('+15557300003')
  const { headers: got } = (await byType(path, ['whatsapp.message.sent']))['whatsapp.message.sent']!
  t.equal(got[HEADER], 'mine, whatever comes')
})

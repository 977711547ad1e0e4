/** The way of a request, a message or an event, as operators read it from the tables. */
import t from 'tap'
import { run } from '../cli/command.ts'
import { ORDER, people } from './broadcast_client.ts'
import { eventually, type Json } from './client.ts'
import { delayCallbacks, joinWorld, made, makeTenant, OPERATOR_KEY, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator, sink } = world

const STATUSES = ['sent', 'delivered', 'read'].map((status) => `whatsapp.message.${status}`)

let requests = 0
const newId = () => `trace-${process.pid}.${++requests}`

const traceOf = async (id: string): Promise<Json> => made(operator('GET', `trace/${id}`))

const namesOf = (trace: Json): string[] => trace.steps.map(({ step }: Json) => step)

const stepsAs = (trace: Json, name: string): Json[] => trace.steps.filter(({ step }: Json) => step === name)

/** Sends one message to somebody who has written, and waits until its receiver has all events. */
async function sendOne(tenant: Tenant, to: string, request_id: string) {
  const path = `to-${request_id}`
  const subscription = await tenant.subscribe(path, STATUSES)
  await tenant.writes(to, 'Hello')
  await delayCallbacks(world, tenant)
  const { body } = await tenant.send(to, {}, { headers: { 'x-request-id': request_id } })
  const message = await tenant.message(body.id, 'read')
  await eventually('all deliveries have ended', async () => {
    const all = await tenant.deliveries(subscription.id)
    return all.length === 3 && all.every(({ status }) => status === 'success')
  })
  return { message, subscription, path }
}

t.test('a message tells its whole way, in the order of time', async (t) => {
  const tenant = await makeTenant(world)
  const request_id = newId()
  const to = '+15557400001'
  const { message, subscription, path } = await sendOne(tenant, to, request_id)
  const trace = await traceOf(message.id)
  t.match(trace, { id: message.id, kind: 'message' })
  t.same(trace.left_out, { messages: 0, events: 0, deliveries: 0, audit_entries: 0, unsearched_events: 0 })
  const times = trace.steps.map(({ at }: Json) => at)
  t.same(times, [...times].sort())
  const [queued] = stepsAs(trace, 'queued')
  t.match(queued, { id: message.id, request_id, project_id: tenant.project_id, at: message.created_at })
  t.equal(queued.detail, `whatsapp text by channel ${tenant.number.channel_id}`)
  t.equal(stepsAs(trace, 'sent')[0].detail, `as ${message.provider_message_id}`)
  for (const status of ['delivered', 'read']) t.equal(stepsAs(trace, status)[0].at, message[`${status}_at`])
  const events = stepsAs(trace, 'event')
  t.same(events.map(({ detail }) => detail).sort(), [...STATUSES].sort())
  t.ok(events.every(({ of }) => of === message.id))
  const sent = events.find(({ detail }) => detail === 'whatsapp.message.sent')
  t.equal(sent.request_id, request_id)
  const attempts = stepsAs(trace, 'attempt')
  t.equal(attempts.length, 3)
  for (const one of attempts) {
    t.match(one, { attempt: 1, status_code: 200, duration_ms: Number, error: null, detail: `to ${subscription.id}` })
    t.ok(events.some(({ id }) => id === one.of))
  }
  t.equal(stepsAs(trace, 'delivery').length, 3)
  const text = JSON.stringify(trace)
  t.notOk(text.includes(to.slice(1)) || text.includes('Hello'), 'nothing of the person')

  const by_event = await traceOf(sent.id)
  t.equal(by_event.kind, 'event')
  t.equal(stepsAs(by_event, 'event').length, 1)
  t.equal(stepsAs(by_event, 'attempt').length, 1)
  t.equal(stepsAs(by_event, 'queued')[0].id, message.id, 'with the message that it is about')

  const by_request = await traceOf(request_id)
  t.match(by_request, { id: request_id, kind: 'request' })
  t.equal(stepsAs(by_request, 'event').length, 1, 'the other events came from callbacks')
  t.same(
    namesOf(by_request).filter((name) => name !== 'delivery'),
    namesOf(trace).filter((name, at) => name !== 'delivery' && !isOfCallback(trace.steps[at], sent.id)),
  )

  const callback = sink.calls(path).find(({ body }) => body.type === 'whatsapp.message.read')!
  const by_callback = await traceOf(callback.headers['x-request-id']!)
  t.equal(stepsAs(by_callback, 'event')[0].id, callback.body.id, 'the id that the receiver got finds the callback')
})

/** A step of another event than this one. */
function isOfCallback({ step, id, of }: Json, event_id: string): boolean {
  return (step === 'event' && id !== event_id) || (step === 'attempt' && of !== event_id)
}

t.test('a request that changed a record of operators tells what it changed', async (t) => {
  const tenant = await makeTenant(world)
  const request_id = newId()
  const { status } = await world.http('PATCH', `${world.base_url}/admin/v1/projects/${tenant.project_id}`, {
    json: { name: 'Another name' },
    token: OPERATOR_KEY,
    headers: { 'x-request-id': request_id },
  })
  t.equal(status, 200)
  const trace = await traceOf(request_id)
  t.same(namesOf(trace), ['changed'])
  t.match(trace.steps[0], { request_id, detail: `update_project of project ${tenant.project_id}` })
})

t.test('a receiver that fails shows each attempt, and a message that waits says for what', async (t) => {
  const tenant = await makeTenant(world)
  const request_id = newId()
  const path = `to-${request_id}`
  sink.answer(path, (_, count) => (count < 2 ? 503 : 200))
  await tenant.subscribe(path, ['whatsapp.message.sent'])
  await tenant.writes('+15557400002', 'Hello')
  const { body } = await tenant.send('+15557400002', {}, { headers: { 'x-request-id': request_id } })
  const trace = await eventually('three attempts', async () => {
    const found = await traceOf(body.id)
    return stepsAs(found, 'attempt').length === 3 && found
  })
  t.same(
    stepsAs(trace, 'attempt').map(({ attempt, status_code, error }) => [attempt, status_code, error]),
    [
      [1, 503, 'http_503'],
      [2, 503, 'http_503'],
      [3, 200, null],
    ],
  )
})

t.test('a delivery that waits is no end, and says that its receiver fails', async (t) => {
  const tenant = await makeTenant(world)
  const path = `to-${newId()}`
  sink.answer(path, () => 500)
  const subscription = await tenant.subscribe(path, ['whatsapp.message.sent'])
  await tenant.writes('+15557400004', 'Hello')
  const { body } = await tenant.send('+15557400004')
  const waiting = await eventually('a first attempt failed', async () => {
    const [step] = stepsAs(await traceOf(body.id), 'waiting')
    return step?.attempt > 0 && step
  })
  t.match(waiting, { id: /^dlv_/, error: 'http_500', detail: `for the next attempt to ${subscription.id}` })
  t.same(stepsAs(await traceOf(body.id), 'delivery'), [])
  const by_delivery = await traceOf(waiting.id)
  t.match(by_delivery, { kind: 'event', id: waiting.of })
  t.equal(stepsAs(by_delivery, 'attempt')[0].id, waiting.id)
})

t.test('a request with many messages shows the first ones, and says how many more there are', async (t) => {
  const tenant = await makeTenant(world)
  const request_id = newId()
  const headers = { 'x-request-id': request_id }
  await made(tenant.api('POST', 'messages/bulk', { ...ORDER, recipients: people(130, 8000) }, { headers }))
  const trace = await eventually('all messages', async () => {
    const found = await traceOf(request_id)
    return found.left_out.messages === 30 && found
  })
  t.equal(stepsAs(trace, 'queued').length, 100)
})

t.test('a request of which nothing is stored has no steps, and an unknown message is not found', async (t) => {
  const id = newId()
  t.match(await traceOf(id), { id, kind: 'request', steps: [] })
  const unknown = ['msg_66f2a0c1d4e5f60718293a4d', 'evt_66f2a0c1d4e5f60718293a57', 'dlv_66f2a0c1d4e5f60718293a50']
  for (const id of [...unknown, 'a%20b', 'a'.repeat(129)]) {
    t.match(await operator('GET', `trace/${id}`), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
  }
})

t.test('the command prints the way in lines, and says when there is none', async (t) => {
  const tenant = await makeTenant(world)
  const request_id = newId()
  const { message } = await sendOne(tenant, '+15557400003', request_id)
  const env = { PARLEY_BASE_URL: world.base_url, PARLEY_OPERATOR_KEY: OPERATOR_KEY }
  const { code, out } = await run(['trace', message.id], env)
  t.equal(code, 0)
  const [head, ...lines] = out.trimEnd().split('\n')
  t.match(head, /^time \(UTC\) +ms +step +id +what +request$/)
  t.match(lines[0], new RegExp(`^[-0-9]{10} [:.0-9]{12} +\\+0 +queued +${message.id} +whatsapp text .*${request_id}$`))
  t.ok(lines.some((line) => / attempt .*#1, answered 200, in \d+ ms/.test(line)))
  const json = await run(['trace', request_id, '--json'], env)
  t.match(JSON.parse(json.out), { id: request_id, kind: 'request' })
  const none = await run(['trace', newId()], env)
  t.match(none, { code: 0, out: '', err: /^Nothing is stored of this request\. .*access log/ })
  const unknown = await run(['trace', 'msg_66f2a0c1d4e5f60718293a4d'], env)
  t.match(unknown, { code: 1, out: '', err: /^There is no such message, event or delivery\. / })
  const other = await run(['trace', 'wh_66f2a0c1d4e5f60718293a4d'], env)
  t.match(other, { code: 0, out: '', err: /^This is no id of a message, .* taken for that of a request\. Nothing is / })
  const none_at_all = await run(['trace', 'a b'], env)
  t.match(none_at_all, { code: 1, out: '', err: /^An id has 1 to 128 letters, / })
})

/** Cases of test sets from conversations that were. */
import t from 'tap'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { asks, testBench } from './test_bench.ts'
import { startToolServer } from './tool_server.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { api } = tenant
const desk = await openDesk(world, tenant)
const bench = testBench(tenant, desk.id)
const server = await startToolServer(t)
const parameters = { type: 'object', properties: { number: { type: 'string' }, owner: { type: 'string' } } }
const tool = { name: 'read_order', url: server.url('read_order'), parameters }
await made(api('PATCH', `agents/${desk.id}`, { tools: [(await made(api('POST', 'agents/tools', tool)))._id] }))

const newSet = async (cases = [asks('First', 'Hello')]): Promise<Json> => (await made(bench.create({ cases }))).test_set
const append = (set: Json, body: Json) => api('POST', `${bench.path}/${set._id}/cases`, body)

/** A person of this name asks for an order in two messages, gets it, and asks for a person. Resolves to the ticket. */
async function talk(name: string, said: string[], owner: string): Promise<{ phone: string; ticket: Json }> {
  const phone = newPerson()
  const body = (text: string) => ({ type: 'text', text: { body: text } })
  const [first, second, last] = said as [string, string, string]
  const call = { name: 'read_order', arguments: { number: 'A-1', owner } }
  await desk.script(second, { tool_calls: [call] }, { answer: `Hello ${name}, it is on its way.` })
  const reason = { reason: 'Wants a person', motivo: 'Money back' }
  await desk.script(last, { tool_calls: [{ name: 'parley_hand_over', arguments: reason }] })
  await tenant.writes(phone, body(first), { name })
  await tenant.writes(phone, body(second), { name })
  await desk.answered(phone)
  await tenant.writes(phone, body(last), { name })
  const ticket = await desk.left(phone)
  return { phone, ticket: ticket as Json }
}

t.test('a conversation becomes a case that names nobody, and that the assistant passes', async (t) => {
  const set = await newSet()
  const mark = `a1${newPerson()}x`
  const said = [`Hi, I am Ana Ruiz`, `Where is my order? ${mark} ANA`, `A person please ${mark}y`]
  const { phone, ticket } = await talk('Ana Ruiz', said, 'ana ruiz')
  const { test_set } = await made(append(set, { ticket_id: ticket._id, name: 'From a ticket' }))
  t.equal(test_set.case_count, 2)
  const test_case = test_set.cases[1]
  t.same(test_case, {
    name: 'From a ticket',
    steps: [
      {
        user: ['Hi, I am Alex Morgan', `Where is my order? ${mark} Alex`],
        expect: { outcome: 'answered', tools: ['read_order'] },
      },
      { user: `A person please ${mark}y`, expect: { outcome: 'handed_over' } },
    ],
    fixtures: [
      {
        tool: 'read_order',
        arguments: { number: 'A-1', owner: 'Alex Morgan' },
        result: { status: 200, response: { ok: true } },
      },
    ],
  })
  const text = JSON.stringify(test_case)
  for (const fact of ['Ana', 'Ruiz', phone, ticket.chat_user]) t.notOk(text.includes(fact), fact)
  const again = await made(append(set, { ticket_id: ticket._id, name: 'From a ticket' }))
  t.equal(again.test_set.cases[2].name, 'From a ticket (2)')
  t.same((await made(api('GET', `${bench.path}/${set._id}`))).test_set, again.test_set)
  const reason = { reason: 'Wants a person', motivo: 'Money back' }
  const owner = { number: 'A-1', owner: 'Alex Morgan' }
  await desk.script(`${mark} Alex`, { tool_calls: [{ name: 'read_order', arguments: owner }] }, { answer: 'Soon.' })
  await desk.script(`${mark}y`, { tool_calls: [{ name: 'parley_hand_over', arguments: reason }] })
  const before = server.requests.length
  const { run, results } = await bench.run([test_case])
  t.match(run, { state: 'done', has_passed: true }, JSON.stringify(results))
  t.equal(server.requests.length, before, 'the fixture answers')
})

t.test('a name within other words leaves them as they are', async (t) => {
  const set = await newSet()
  const mark = `b1${newPerson()}x`
  const said = ['A banana for Diana, says Ana', `Mañana? Anagram! ${mark}`, `Ana wants a person ${mark}y`]
  const { ticket } = await talk('Ana', said, 'Banana Inc')
  const { test_set } = await made(append(set, { ticket_id: ticket._id }))
  const [, { name, steps, fixtures }] = test_set.cases
  t.equal(name, `Ticket ${ticket._id.slice(-6)}`)
  t.same(
    steps.flatMap(({ user }: Json) => user),
    ['A banana for Diana, says Alex', `Mañana? Anagram! ${mark}`, `Alex wants a person ${mark}y`],
  )
  t.equal(fixtures[0].arguments.owner, 'Banana Inc')
})

t.test('a case is one that the API takes, whatever a tool and a model said', async (t) => {
  const named = async (name: string) =>
    (await made(api('POST', 'agents/tools', { name, url: server.url(name), parameters })))._id
  await made(api('PATCH', `agents/${desk.id}`, { tools: [await named('escaped'), await named('deep')] }))
  const set = await newSet()
  const phone = newPerson()
  const mark = `c1${phone}x`
  const tool_calls = [
    { name: 'escaped', arguments: { number: '\0', owner: 'x' } },
    { name: 'deep', arguments: { number: 'y' } },
  ]
  await desk.script(mark, { tool_calls }, { answer: 'Done.' })
  await desk.says(phone, mark)
  await desk.answered(phone)
  const ticket = await desk.ticketOf(phone)
  const { test_set } = await made(append(set, { ticket_id: ticket._id }))
  const [first, second] = test_set.cases
  const [escaped, deep] = second.fixtures
  t.same(escaped.arguments, { number: '\ufffd', owner: 'x' })
  t.same(escaped.result, { status: 200, response: { 'k\ufffd': 'v\ufffd\ufffd' } })
  t.match(deep.result, /\[{35}/, 'a text, because a body could not have it')
  const { test_set: saved } = await made(
    api('PUT', `${bench.path}/${set._id}`, { name: set.name, cases: test_set.cases }),
  )
  t.same(saved.cases, [first, second])
  const { run } = await made(api('POST', `${bench.path}/${set._id}/runs`, {}))
  t.match(await bench.ended(`${bench.path}/${set._id}/runs/${run._id}`), { run: { state: 'done', total: 2 } })
})

t.test('what is not there, or does not fit, is refused with nothing written', async (t) => {
  const nobody = 'f'.repeat(24)
  const cases = Array.from({ length: 200 }, (_, at) => asks(`Case ${at}`, 'Hello'))
  const full = await newSet(cases)
  const phone = newPerson()
  await desk.says(phone, `Hello ${phone}`)
  const ticket = await eventually('the ticket is there', () => desk.ticketOf(phone))
  const error = (status: number, code: string) => ({ status, body: { error: { code } } })
  t.match(await append(full, { ticket_id: ticket._id }), error(422, 'TEST_CASE_LIMIT_REACHED'))
  t.equal((await made(api('GET', `${bench.path}/${full._id}`))).test_set.case_count, 200)
  const set = await newSet()
  t.match(await append(set, { ticket_id: nobody }), error(422, 'TICKET_NOT_FOUND'))
  t.match(await append({ _id: nobody }, { ticket_id: ticket._id }), error(404, 'NOT_FOUND'))
  t.match(await append(set, {}), error(400, 'VALIDATION_ERROR'))
  t.match(await append(set, { ticket_id: ticket._id, name: '' }), error(400, 'VALIDATION_ERROR'))
  const fields = {
    project_id: tenant.project_id,
    user_id: tenant.user_id,
    name: 'Writes',
    scopes: ['assistants:write'],
  }
  const { token } = await made(world.operator('POST', 'tokens', fields))
  const unread = await api('POST', `${bench.path}/${set._id}/cases`, { ticket_id: ticket._id }, { token })
  t.match(
    unread,
    { status: 403, body: { error: { details: { missing: ['messages:read'] } } } },
    'it may not read messages',
  )
  const silent = await made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id: newPerson() }))
  const event = { event_type: 'payment.confirmed', data: {}, chat_user_id: silent._id, idempotency_key: silent._id }
  const { ticket_id } = (await made(api('POST', 'crm/events', event))).event
  t.match(await append(set, { ticket_id }), error(422, 'NOTHING_TO_TEST'))
  const stranger = await makeTenant(world)
  t.match(
    await stranger.api('POST', `${bench.path}/${set._id}/cases`, { ticket_id: ticket._id }),
    error(404, 'NOT_FOUND'),
  )
  t.equal((await made(api('GET', `${bench.path}/${set._id}`))).test_set.case_count, 1)
})

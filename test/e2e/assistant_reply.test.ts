/** Replies of assistants that nobody sends: what would be answered, and what it would take. */
import t from 'tap'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { startToolServer } from './tool_server.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const desk = await openDesk(world, tenant, { deployments: [] })

const reply = (body: Json, options = {}) => tenant.api('POST', `assistants/${desk.id}/reply`, body, options)
const user = (text: string) => ({ role: 'user', text })
const asking = (text: string) => reply({ messages: [user(text)] })

t.test('messages of a client are answered, and nothing is sent', async (t) => {
  const mark = `reply ${newPerson()}`
  await desk.script(mark, { answer: 'It is on its way.' })
  const messages = [user('Hello'), { role: 'assistant', text: 'Hello, how can I help?' }, user(`Where is it? ${mark}`)]
  const { reply: answer } = await made(reply({ messages }))
  t.match(answer, {
    turn_id: /^[0-9a-f]{24}$/,
    outcome: 'answered',
    text: 'It is on its way.',
    sources: [],
    reason: null,
    tool_calls: [],
    usage: { input_tokens: Number, output_tokens: Number },
  })
  const [call] = await desk.calls(mark)
  const seen = JSON.stringify(call!.body.messages)
  t.match(seen, /Answer in one sentence/, 'the blocks are the instructions')
  t.match(seen, /Hello.*how can I help.*Where is it/s)
  t.notMatch(JSON.stringify(call!.body.messages.slice(1)), /\[agent\]/)
  const { turn } = await made(tenant.api('GET', `assistants/${desk.id}/turns/${answer.turn_id}`))
  t.match(turn, {
    origin: 'reply',
    outcome: 'answered',
    answer: 'It is on its way.',
    ticket_id: null,
    chat_user: null,
    message_id: null,
    steps: [{ kind: 'model', name: 'simulated' }],
  })
  t.ok(turn.ended_at)
})

t.test('a ticket is answered as it is now, whoever has it', async (t) => {
  const phone = newPerson()
  await desk.says(phone, `My parcel is broken, ticket ${phone}`)
  const ticket = await eventually('the ticket is there', () => desk.ticketOf(phone))
  await desk.script(`ticket ${phone}`, { answer: 'Send us a picture.' })
  const { reply: answer } = await made(reply({ ticket_id: ticket._id }))
  t.match(answer, { outcome: 'answered', text: 'Send us a picture.' })
  const [turn] = await desk.turns(`ticket_id=${ticket._id}`)
  t.match(turn, { _id: answer.turn_id, origin: 'reply', chat_user: ticket.chat_user })
  t.equal((await desk.messagesOf(phone)).length, 1, 'the person gets nothing')
  t.match(await desk.ticketOf(phone), { handled_by: 'nobody' })
})

t.test('tools that only read run, for the contact that is named; others do not', async (t) => {
  const tools = await startToolServer(t)
  const phone = newPerson()
  await tenant.writes(phone, { type: 'text', text: { body: 'Hello' } })
  const contact = await eventually('the contact is there', () => desk.contactOf(phone))
  const parameters = {
    type: 'object',
    properties: { phone: { type: 'string', 'x-parley-bind': 'contact.phone' } },
    required: ['phone'],
  }
  const tool = async (name: string, method: string) =>
    (await made(tenant.api('POST', 'agents/tools', { name, url: tools.url(name), method, parameters })))._id
  const ids = [await tool('read_order', 'GET'), await tool('cancel_order', 'POST')]
  await made(tenant.api('PATCH', `agents/${desk.id}`, { tools: ids }))
  const mark = `tools ${phone}`
  await desk.script(
    mark,
    {
      tool_calls: [
        { name: 'read_order', arguments: {} },
        { name: 'cancel_order', arguments: {} },
      ],
    },
    { answer: 'Done.' },
  )
  const { reply: answer } = await made(reply({ messages: [user(mark)], chat_user: contact._id }))
  t.match(answer, { outcome: 'answered', text: 'Done.' })
  t.match(answer.tool_calls, [{ name: 'read_order' }, { name: 'cancel_order', error: { code: 'nothing_changes' } }])
  t.match(answer.tool_calls[1].result, /nothing is changed/)
  const called = tools.requests.map(({ method, url }) => `${method} ${decodeURIComponent(url)}`)
  t.same(called, [`GET /read_order?phone=+${phone}`], 'the other tool is not called')
  const alone = `alone ${phone}`
  await desk.script(alone, { tool_calls: [{ name: 'read_order', arguments: {} }] }, { answer: 'I do not know.' })
  const { reply: of_nobody } = await made(asking(alone))
  t.match(of_nobody.tool_calls, [{ error: { code: 'invalid_arguments' } }], 'nobody has no phone number')
  t.equal(tools.requests.length, 1)
})

t.test('a hand-over is an outcome, with the words that the person would get', async (t) => {
  const mark = `person ${newPerson()}`
  await desk.script(mark, {
    tool_calls: [{ name: 'parley_hand_over', arguments: { reason: 'Wants a person', motivo: 'Money back' } }],
  })
  const { reply: answer } = await made(asking(`Quiero hablar con una persona sobre mi pedido, ${mark}`))
  t.match(answer, {
    outcome: 'handed_over',
    reason: 'asked',
    text: /\p{L}/u,
    tool_calls: [{ name: 'parley_hand_over' }],
  })
})

t.test('a failure of the model is an outcome, after further attempts', async (t) => {
  const flaky = `flaky ${newPerson()}`
  await desk.script(flaky, { fault: 500 }, { answer: 'There you are.' })
  t.match(await made(asking(flaky)), { reply: { outcome: 'answered', text: 'There you are.' } })
  const broken = `broken ${newPerson()}`
  await desk.script(broken, { fault: 'refuse', times: 10 })
  t.match(await made(asking(broken)), { reply: { outcome: 'failed', reason: 'refused', text: null } })
})

t.test('an answer is mended once', async (t) => {
  const mark = `links ${newPerson()}`
  await desk.script(mark, { answer: 'See https://bad.example/a' })
  await desk.script('Your answer had a link', { answer: 'See our shop.' })
  const { reply: answer } = await made(asking(mark))
  t.match(answer, { outcome: 'answered', text: 'See our shop.' })
  const { turn } = await made(tenant.api('GET', `assistants/${desk.id}/turns/${answer.turn_id}`))
  t.equal(turn.steps.length, 2)
})

t.test('a repeat under the same key has the same reply, and asks nobody', async (t) => {
  const mark = `once ${newPerson()}`
  await desk.script(mark, { answer: 'First.' }, { answer: 'Second.' })
  const headers = { 'idempotency-key': mark.replace(' ', '_') }
  const first = await made(reply({ messages: [user(mark)] }, { headers }))
  const again = await reply({ messages: [user(mark)] }, { headers })
  t.same(again.body, first)
  t.equal((await desk.calls(mark)).length, 1)
})

t.test('a model may take longer than a connection may be silent', async (t) => {
  const mark = `slow ${newPerson()}`
  // The server cuts connections on which it waits for ten seconds.
  await desk.script(mark, { answer: 'At last.', delay_ms: 14_000 })
  t.match((await made(asking(mark))).reply, { outcome: 'answered', text: 'At last.' })
})

t.test('a client that leaves ends the call, and the turn says so', async () => {
  const mark = `leaves ${newPerson()}`
  await desk.script(mark, { answer: 'Too late.', delay_ms: 30_000 })
  const leaving = new AbortController()
  const called = fetch(`${world.base_url}/v1/assistants/${desk.id}/reply`, {
    method: 'POST',
    headers: { authorization: `Bearer ${tenant.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [user(mark)] }),
    signal: leaving.signal,
  }).catch((error) => error)
  await eventually('the model is asked', async () => (await desk.calls(mark)).length > 0)
  leaving.abort()
  await called
  await eventually('the turn has ended', async () => {
    const turns = await desk.turns('outcome=failed')
    return turns.some(({ reason }) => reason === 'aborted')
  })
})

t.test('what is not there, or not allowed, is told before a model is asked', async (t) => {
  const nobody = 'f'.repeat(24)
  const body = { messages: [user('Hello')] }
  t.match(await tenant.api('POST', `assistants/${nobody}/reply`, body), {
    status: 404,
    body: { error: { code: 'NOT_FOUND' } },
  })
  t.match(await reply({ ticket_id: nobody }), { status: 422, body: { error: { code: 'TICKET_NOT_FOUND' } } })
  t.match(await reply({ ...body, chat_user: nobody }), { status: 422, body: { error: { code: 'NO_CONTACT' } } })
  const invalid = [
    {},
    { ...body, ticket_id: nobody },
    { ticket_id: nobody, chat_user: nobody },
    { messages: [] },
    { messages: [user('')] },
    { messages: [user('a'), { role: 'assistant', text: 'b' }] },
    { messages: Array.from({ length: 51 }, () => user('a')) },
    { messages: [{ role: 'system', text: 'a' }] },
  ]
  for (const one of invalid) t.match(await reply(one), { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
  const stranger = await makeTenant(world)
  t.match(await stranger.api('POST', `assistants/${desk.id}/reply`, body), { status: 404 })
})

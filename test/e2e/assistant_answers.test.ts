/** Assistants answer people: one answer to a burst, from the prompt, and a person whenever it matters. */
import t from 'tap'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { startToolServer } from './tool_server.ts'

const world = await joinWorld(t)

t.test('a burst of messages gets one answer, which has seen all of them', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('answers', ['assistant.reply.sent'])
  const desk = await openDesk(world, tenant)
  const phone = newPerson()
  const mark = `burst ${phone}`
  await desk.script(mark, { answer: 'It arrives tomorrow.' })
  for (const body of ['Hello!', 'Where is my order A-1001?', `I am in a hurry, ${mark}`]) await desk.says(phone, body)
  const [answer] = await desk.answered(phone)
  t.match(answer, { direction: 'outbound', message: { type: 'text', body: 'It arrives tomorrow.' } })
  const calls = await desk.calls(mark)
  t.equal(calls.length, 1, 'the model is asked once')
  t.match(JSON.stringify(calls[0]!.body.messages), /Hello!.*Where is my order A-1001.*in a hurry/s)
  t.match(JSON.stringify(calls[0]!.body.messages[0]), /Answer in one sentence/, 'the blocks are the instructions')
  const ticket = await desk.ticketOf(phone)
  t.match(ticket, { handled_by: 'assistant', assigned_to: null })
  const [turn] = await desk.turns(`ticket_id=${ticket._id}`)
  t.match(turn, { outcome: 'answered', answer: 'It arrives tomorrow.', message_id: answer!.id, model: 'simulated' })
  const [told] = await eventually('the answer is told', () => {
    const calls = world.sink.calls('answers')
    return calls.length > 0 && calls
  })
  t.match(told!.body, {
    type: 'assistant.reply.sent',
    data: { ticket_id: ticket._id, assistant_id: desk.id, turn_id: turn!._id, message_id: answer!.id },
  })
  t.equal((await desk.answersOf(phone)).length, 1)
})

t.test('an answer that the person did not wait for never leaves', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await openDesk(world, tenant)
  const phone = newPerson()
  await desk.script(`first ${phone}`, { answer: 'Old.', delay_ms: 3000 })
  await desk.script(`second ${phone}`, { answer: 'New.' })
  await desk.says(phone, `first ${phone}`)
  await eventually('the model thinks', async () => (await desk.calls(`first ${phone}`)).length > 0)
  await desk.says(phone, `second ${phone}`)
  const answers = await desk.answered(phone)
  t.match(answers, [{ message: { body: 'New.' } }])
  const ticket = await desk.ticketOf(phone)
  const turns = await desk.turns(`ticket_id=${ticket._id}`)
  t.match(turns, [{ outcome: 'answered' }, { outcome: 'discarded', reason: 'newer' }])
})

t.test('after a person took over, no answer leaves, until the conversation is given back', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await openDesk(world, tenant)
  const phone = newPerson()
  await desk.script(`thinking ${phone}`, { answer: 'Too late.', delay_ms: 3000 }, { answer: 'Here I am again.' })
  await desk.says(phone, `thinking ${phone}`)
  await eventually('the model thinks', async () => (await desk.calls(`thinking ${phone}`)).length > 0)
  const { _id } = await desk.ticketOf(phone)
  const { ticket } = await made(tenant.api('POST', `crm/tickets/${_id}/take-over`, { user_id: tenant.user_id }))
  t.match(ticket, { handled_by: 'person', assigned_to: { id: tenant.user_id } })
  const [turn] = await eventually('the turn has ended', async () => {
    const turns = await desk.turns(`ticket_id=${_id}`)
    return turns[0]?.outcome && turns
  })
  t.match(turn, { outcome: 'discarded', reason: 'taken_over', message_id: null })
  t.same(await desk.answersOf(phone), [])
  const back = await made(tenant.api('POST', `crm/tickets/${_id}/hand-back`, {}))
  t.match(back.ticket, { handled_by: 'assistant' })
  t.match(await desk.answered(phone), [{ message: { body: 'Here I am again.' } }], 'the person still waited')
})

t.test('a person who asks for a person gets one, with words, a summary and a notification', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('left', ['assistant.*'])
  const desk = await openDesk(world, tenant)
  const phone = newPerson()
  await desk.script(`complaint ${phone}`, {
    tool_calls: [
      {
        name: 'parley_hand_over',
        arguments: {
          reason: 'Wants the money back',
          motivo: 'Broken parcel',
          estado: 'open',
          proximos_pasos: 'Refund',
          prioridad: 'alta',
          problema: 'Broken',
        },
      },
    ],
  })
  await desk.says(phone, `Quiero hablar con una persona sobre mi pedido, por favor, complaint ${phone}`)
  const ticket = await desk.left(phone)
  t.match(ticket, {
    conversation_summary: { motivo: 'Broken parcel', proximos_pasos: 'Refund' },
    stage: { prioridad: 'alta', problema: 'Broken' },
  })
  const [words] = await desk.answersOf(phone)
  t.match(words!.message.body, /\p{L}/u, 'the person is told')
  const events = (await made(tenant.api('GET', `crm/tickets/${ticket._id}/timeline`))).data
  t.match(
    events.find(({ event_type }: { event_type?: string }) => event_type === 'assistant.handed_over'),
    { data: { reason: 'asked', note: 'Wants the money back' } },
  )
  const told = await eventually('the hand-over is told', () =>
    world.sink.calls('left').find(({ body }) => body.type === 'assistant.handed_over'),
  )
  t.match(told.body.data, { ticket_id: ticket._id, reason: 'asked', note: 'Wants the money back' })
  await desk.says(phone, `Are you there? ${phone}`)
  await eventually('the message is here', async () => (await desk.messagesOf(phone)).length >= 3)
  t.equal((await desk.calls(`Are you there? ${phone}`)).length, 0, 'the assistant is not asked any more')
})

const failures: [string, object, string][] = [
  ['a cut answer', { fault: 'cut' }, 'cut'],
  ['status 500', { fault: 500 }, 'unavailable'],
  ['broken JSON', { fault: 'broken' }, 'malformed'],
  ['an empty answer', { fault: 'empty' }, 'empty'],
  ['a refusal', { fault: 'refuse' }, 'refused'],
]
for (const [name, reply, reason] of failures) {
  t.test(`${name} ends as a hand-over, never in silence`, async (t) => {
    const tenant = await makeTenant(world)
    const desk = await openDesk(world, tenant)
    const phone = newPerson()
    await desk.script(`fails ${phone}`, { ...reply, times: 10 })
    await desk.says(phone, `fails ${phone}`)
    const ticket = await desk.left(phone)
    const [turn] = await desk.turns(`ticket_id=${ticket._id}`)
    t.match(turn, { outcome: 'failed', reason })
    t.equal((await desk.answersOf(phone)).length, 1, 'the person is told')
  })
}

t.test('one failure of the model is no failure of the turn', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await openDesk(world, tenant)
  const phone = newPerson()
  await desk.script(`flaky ${phone}`, { fault: 429, retry_after: 1 }, { answer: 'There you are.' })
  await desk.says(phone, `flaky ${phone}`)
  t.match(await desk.answered(phone), [{ message: { body: 'There you are.' } }])
})

t.test('no tool is called once a person has taken over', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await openDesk(world, tenant)
  const tools = await startToolServer(t)
  const tool = { name: 'cancel_order', url: tools.url('cancel'), method: 'POST', parameters: { type: 'object' } }
  const { _id: tool_id } = await made(tenant.api('POST', 'agents/tools', tool))
  await made(tenant.api('PATCH', `agents/${desk.id}`, { tools: [tool_id] }))
  const phone = newPerson()
  await desk.script(`cancels ${phone}`, { tool_calls: [{ name: 'cancel_order', arguments: {} }], delay_ms: 3000 })
  await desk.says(phone, `cancels ${phone}`)
  await eventually('the model thinks', async () => (await desk.calls(`cancels ${phone}`)).length > 0)
  const { _id } = await desk.ticketOf(phone)
  await made(tenant.api('POST', `crm/tickets/${_id}/take-over`, { user_id: tenant.user_id }))
  const [turn] = await eventually('the turn has ended', async () => {
    const turns = await desk.turns(`ticket_id=${_id}`)
    return turns[0]?.outcome && turns
  })
  t.match(turn, { outcome: 'discarded', reason: 'taken_over' })
  t.same(tools.requests, [])
})

/** Conversations of assistants that people, merges or what a model writes get into trouble: none is forgotten, none goes on for ever. */
import { setTimeout as sleep } from 'node:timers/promises'
import t from 'tap'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, text } from './fixture.ts'

const world = await joinWorld(t)

t.test('an agent answers and hands back while the model thinks: nothing is left to answer', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await openDesk(world, tenant)
  const phone = newPerson()
  await desk.script(`slow ${phone}`, { answer: 'Too late.', delay_ms: 2000, times: 100 })
  await desk.says(phone, `slow ${phone}`)
  await eventually('the model thinks', async () => (await desk.calls(`slow ${phone}`)).length > 0)
  const { _id } = await desk.ticketOf(phone)
  await made(tenant.api('POST', `crm/tickets/${_id}/take-over`, { user_id: tenant.user_id }))
  await made(tenant.api('POST', 'messages', { channel: 'whatsapp', to: `+${phone}`, message: text('By a person') }))
  await made(tenant.api('POST', `crm/tickets/${_id}/hand-back`, {}))
  await eventually('the turn has ended', async () => (await desk.turns(`ticket_id=${_id}`))[0]?.outcome)
  // A call that must not happen cannot be waited for.
  await sleep(4000)
  t.equal((await desk.calls(`slow ${phone}`)).length, 1, 'the model is asked once')
  t.same(await desk.answersOf(phone), [])
  await desk.script(`next ${phone}`, { answer: 'Here I am.' })
  await desk.says(phone, `next ${phone}`)
  t.match(await desk.answered(phone), [{ message: { body: 'Here I am.' } }])
  t.equal((await desk.calls(`next ${phone}`)).length, 1)
})

t.test('a message that people have answered needs no answer of the assistant that gets it back', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await openDesk(world, tenant)
  const phone = newPerson()
  await desk.says(phone, `early ${phone}`)
  const ticket = await eventually('the assistant has the ticket', async () => {
    const one = (await desk.contactOf(phone)) && (await desk.ticketOf(phone))
    return one?.handled_by === 'assistant' && one
  })
  await made(tenant.api('POST', `crm/tickets/${ticket._id}/take-over`, { user_id: tenant.user_id }))
  await made(tenant.api('POST', 'messages', { channel: 'whatsapp', to: `+${phone}`, message: text('By a person') }))
  await made(tenant.api('POST', `crm/tickets/${ticket._id}/hand-back`, {}))
  await sleep(4000)
  t.same(await desk.answersOf(phone), [])
})

t.test('what a model writes in escapes of JSON reaches people, without what no text can hold', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await openDesk(world, tenant)
  const phone = newPerson()
  const call = {
    name: 'parley_hand_over',
    arguments: '{"reason":"A\\u0000B \\ud83d","motivo":"\\udc00 Refund\\u0000","contexto":"\\u0000"}',
  }
  await desk.script(`escapes ${phone}`, { tool_calls: [call] })
  await desk.says(phone, `escapes ${phone}`)
  const ticket = await desk.left(phone)
  t.match(ticket, { conversation_summary: { motivo: '\ufffd Refund\ufffd' } })
  const [turn] = await desk.turns(`ticket_id=${ticket._id}`)
  t.match(turn, { outcome: 'handed_over', reason: 'asked' })
  t.equal((await desk.calls(`escapes ${phone}`)).length, 1, 'the tool was called once')
})

t.test('a record of a call is cut between characters', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await openDesk(world, tenant)
  for (const key of ['k', 'kk']) {
    const phone = newPerson()
    const call = { name: 'no_such_tool', arguments: `{"${key}":"${'😀'.repeat(2000)}"}` }
    await desk.script(`long ${phone}`, { tool_calls: [call] }, { answer: 'Done.' })
    await desk.says(phone, `long ${phone}`)
    t.match(await desk.answered(phone), [{ message: { body: 'Done.' } }])
    const calls = await desk.calls(`long ${phone}`)
    t.equal(calls.length, 2)
    t.match(JSON.stringify(calls), /There is no such tool/, 'the outcome of the tool was kept')
  }
})

t.test('contacts become one while one of them waits for an answer', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await openDesk(world, tenant)
  const merge = (survivor: Json, former: Json) =>
    made(tenant.api('POST', `contacts/${survivor._id}/merge`, { from_contact_id: former._id }))
  const waits = async (phone: string) => {
    await desk.script(`waits ${phone}`, { answer: 'Both are one.', delay_ms: 1500, times: 10 })
    await desk.says(phone, `waits ${phone}`)
    await eventually('the model thinks', async () => (await desk.calls(`waits ${phone}`)).length > 0)
    return (await desk.contactOf(phone))!
  }
  const answered = (contact: Json) =>
    eventually('the survivor is answered', async () => {
      const { data } = await made(tenant.api('GET', `messages?chat_user=${contact._id}`))
      return data.find(({ message }: Json) => message.body === 'Both are one.')
    })

  await t.test('the assistant has the conversations of both', async (t) => {
    const phone = newPerson()
    await desk.says(phone, `first ${phone}`)
    await desk.answered(phone)
    const survivor = (await desk.contactOf(phone))!
    await merge(survivor, await waits(newPerson()))
    t.match(await answered(survivor), { assistant_id: desk.id })
  })

  await t.test('the other one has a ticket of nobody', async (t) => {
    const phone = newPerson()
    const fields = { channel_type: 'whatsapp', user_id: phone, phone: `+${phone}`, name: 'Ana' }
    const survivor = await made(tenant.api('POST', 'contacts', fields))
    const event = { event_type: 'payment.confirmed', data: {}, chat_user_id: survivor._id }
    const { ticket_id } = (await made(tenant.api('POST', 'crm/events', event))).event
    const ticketNow = () => made(tenant.api('GET', `crm/tickets/${ticket_id}`))
    t.match(await ticketNow(), { handled_by: 'nobody' })
    await merge(survivor, await waits(newPerson()))
    t.match(await answered(survivor), { assistant_id: desk.id })
    t.match(await ticketNow(), { handled_by: 'assistant' })
  })

  await t.test('the other one has no ticket', async (t) => {
    const phone = newPerson()
    const fields = { channel_type: 'whatsapp', user_id: phone, phone: `+${phone}`, name: 'Ana' }
    const survivor = await made(tenant.api('POST', 'contacts', fields))
    await merge(survivor, await waits(newPerson()))
    t.match(await answered(survivor), { assistant_id: desk.id })
  })
})

t.test('an answer that fails after it was accepted leaves the person to people, who hear of it', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await openDesk(world, tenant)
  // The provider accepts messages to this number, and reports them as undeliverable.
  const phone = '15550131026'
  await desk.script('undeliverable', { answer: 'It left this morning.' })
  await desk.says(phone, 'undeliverable')
  const ticket = await desk.left(phone)
  const { data } = await made(tenant.api('GET', `crm/tickets/${ticket._id}/timeline`))
  t.match(
    data.find(({ event_type }: Json) => event_type === 'assistant.handed_over'),
    { data: { assistant_id: desk.id, turn_id: null, reason: 'not_sent' } },
  )
  t.match(await desk.answersOf(phone), [{ status: 'failed' }])
})

/** People take tickets over from assistants, and give them back. */
import t from 'tap'
import { type Answer, eventually, type Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant } from './fixture.ts'
import { inboxAgent } from './inbox_client.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const sister = await makeSister(world, tenant)
const { api, user_id } = tenant
const codeOf = ({ status, body }: Answer) => [status, body?.error?.code]
const nobody = 'f'.repeat(24)

let people = 0
/** A ticket whose person has an answer, so that an assistant has nothing to do. */
const opened = async (): Promise<string> => {
  const phone = `+155501710${++people + 10}`
  await tenant.writes(phone, 'Hi')
  await made(tenant.send(phone))
  const { data } = await made(api('GET', 'crm/tickets?limit=1'))
  return data[0]._id
}
const take = (id: string, body?: Json) => api('POST', `crm/tickets/${id}/take-over`, body)
const back = (id: string, body?: Json) => api('POST', `crm/tickets/${id}/hand-back`, body)
const assistantOf = async (by = tenant): Promise<string> =>
  (await made(by.api('POST', 'assistants', { name: 'Ana' }))).assistant._id
const assistant_id = await assistantOf()

t.test('a ticket is given to an assistant, and taken over by a person, who has it then', async (t) => {
  const id = await opened()
  t.same(codeOf(await back(id)), [422, 'ASSISTANT_NOT_FOUND'], 'no assistant had it before')
  const given = await back(id, { assistant_id })
  t.match(given, { status: 200, body: { ticket: { _id: id, handled_by: 'assistant', assigned_to: null } } })
  t.equal(given.headers.etag, `"${given.body.ticket.version}"`)
  t.same((await api('GET', `crm/tickets/${id}`)).body, given.body.ticket)
  t.same((await back(id, { assistant_id })).body, given.body, 'it has it already')
  const { body } = await take(id, { user_id })
  t.match(body.ticket, { handled_by: 'person', assigned_to: { id: user_id } })
  t.same((await take(id, { user_id })).body, body, 'a repetition changes nothing')
  t.match((await back(id)).body.ticket, { handled_by: 'assistant', assigned_to: { id: user_id } })
  t.match((await take(id)).body.ticket, { handled_by: 'person', assigned_to: { id: user_id } })
})

t.test('a pause leaves a ticket to nobody, and an assignment takes it over', async (t) => {
  const id = await opened()
  await made(back(id, { assistant_id }))
  t.match((await take(id, { user_id: null })).body.ticket, { handled_by: 'nobody', assigned_to: null })
  await made(back(id))
  const { ticket } = await made(api('PATCH', `crm/tickets/${id}`, { assigned_to: user_id }))
  t.match(ticket, { handled_by: 'person', assigned_to: { id: user_id } })
})

t.test('an agent takes over in the console by answering, or by a click', async (t) => {
  const agent = await inboxAgent(world, tenant)
  const id = await opened()
  t.equal((await agent.ask('POST', `crm/tickets/${id}/hand-back`, { assistant_id })).status, 200)
  t.match(await agent.list('?handled_by=assistant'), [{ ticket_id: id, handled_by: 'assistant' }])
  const { body } = await agent.ask('POST', `crm/tickets/${id}/take-over`)
  t.match(body.ticket, { handled_by: 'person', assigned_to: { id: agent.id } })
  t.match(await agent.list('?handled_by=person&view=mine'), [{ ticket_id: id }])
  t.same(await agent.list('?handled_by=assistant'), [])
})

t.test('subscribers hear whose turn it is', async (t) => {
  const id = await opened()
  await tenant.subscribe('turns', ['crm.ticket.updated'])
  await made(back(id, { assistant_id }))
  await made(take(id, { user_id }))
  const heard = await eventually('both changes are told', () => {
    const events = world.sink.events('turns')
    return events.length === 2 && events
  })
  t.match(
    heard.map(({ data }: Json) => [data.ticket.handled_by, data.changed_fields, data.previous.handled_by]),
    [
      ['assistant', ['handled_by'], 'nobody'],
      ['person', ['assigned_to', 'handled_by'], 'assistant'],
    ],
  )
})

t.test('what is unknown, closed or another version is refused, and nothing changes', async (t) => {
  const id = await opened()
  const before = await made(api('GET', `crm/tickets/${id}`))
  const inactive = await assistantOf()
  await made(api('PATCH', `assistants/${inactive}`, { is_active: false }))
  for (const one of [nobody, inactive, await assistantOf(sister)]) {
    t.same(codeOf(await back(id, { assistant_id: one })), [422, 'ASSISTANT_NOT_FOUND'])
  }
  t.same(codeOf(await take(id, { user_id: nobody })), [422, 'ASSIGNEE_NOT_FOUND'])
  for (const [body, path] of [
    [{ user_id: 'x' }, 'user_id'],
    [{ assistant_id }, 'assistant_id'],
  ] as const) {
    t.match((await take(id, body)).body.error.details.violations, [{ path }])
  }
  t.match((await back(id, { user_id })).body.error.details.violations, [{ path: 'user_id' }])
  const other_version = { headers: { 'if-match': '"99"' } }
  for (const verb of ['take-over', 'hand-back']) {
    const answer = await api(
      'POST',
      `crm/tickets/${id}/${verb}`,
      { ...(verb === 'hand-back' && { assistant_id }) },
      other_version,
    )
    t.same(codeOf(answer), [412, 'PRECONDITION_FAILED'], verb)
    t.same(codeOf(await sister.api('POST', `crm/tickets/${id}/${verb}`)), [404, 'NOT_FOUND'], verb)
    t.same(codeOf(await api('POST', `crm/tickets/${nobody}/${verb}`)), [404, 'NOT_FOUND'], verb)
  }
  t.same(await made(api('GET', `crm/tickets/${id}`)), before)
  await made(api('PATCH', `crm/tickets/${id}`, { is_closed: true }))
  t.same(codeOf(await take(id)), [409, 'TICKET_CLOSED'])
  t.same(codeOf(await back(id, { assistant_id })), [409, 'TICKET_CLOSED'])
})

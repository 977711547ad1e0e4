/** Budgets of assistants: never overspent, and people continue where one is spent. */
import t from 'tap'
import { HttpModels } from '../../actors/models/mod.ts'
import { mustHavePrices } from '../../http/routes/assistants/work.ts'
import { readPage } from '../monitoring/exposed.ts'
import { newPerson, openDesk } from './assistant_desk.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const nobody = 'f'.repeat(24)

const replyTo = async (tenant: Tenant, id: string, body: Json | string): Promise<Json> => {
  const given = typeof body === 'string' ? { messages: [{ role: 'user', text: body }] } : body
  return (await made(tenant.api('POST', `assistants/${id}/reply`, given))).reply
}

t.test('a hundred turns at once spend no more than the budget, and people get the rest', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await openDesk(world, tenant)
  const mark = `crowd ${newPerson()}`
  await desk.script(mark, { answer: 'It is on its way.', delay_ms: 300, times: 200 })
  const { usage } = await replyTo(tenant, desk.id, `Where is it? ${mark}`)
  const budget = 10 * (usage.input_tokens + usage.output_tokens) + 3000
  await made(tenant.api('PATCH', `assistants/${desk.id}`, { budget: { day_tokens: budget } }))
  const phones = Array.from({ length: 100 }, newPerson)
  await Promise.all(phones.map((phone) => desk.says(phone, `Where is it? ${mark}`)))
  const turns = await eventually('all turns have ended', async () => {
    const { data } = await made(tenant.api('GET', `assistants/${desk.id}/turns?limit=200`))
    const ended = data.filter(({ origin, outcome }: Json) => origin === 'conversation' && outcome !== null)
    return ended.length >= phones.length && (ended as Json[])
  })
  t.equal(turns.length, phones.length)
  const spent = turns.reduce((sum, turn) => sum + turn.input_tokens + turn.output_tokens, 0)
  t.ok(spent + usage.input_tokens + usage.output_tokens <= budget, `${spent} of ${budget}`)
  const answered = turns.filter(({ outcome }) => outcome === 'answered')
  t.ok(answered.length >= 1 && answered.length <= 13, `${answered.length} were answered`)
  const others = turns.filter(({ outcome }) => outcome !== 'answered')
  t.same([...new Set(others.map(({ reason }) => reason))], ['no_budget'])
  const { total } = await made(tenant.api('GET', 'crm/tickets?handled_by=person&limit=1'))
  t.equal(total, others.length, 'people have the other conversations')

  const page = readPage((await world.http('GET', world.metrics_url())).text)
  const count = (family: string, name: string, wanted: Record<string, string>) =>
    page
      .get(family)!
      .samples.filter(
        (one) => one.name === name && Object.entries(wanted).every(([key, value]) => one.labels[key] === value),
      )
      .reduce((sum, { value }) => sum + value, 0)
  const ended = (outcome: string) => count('parley_assistant_turns_total', 'parley_assistant_turns_total', { outcome })
  t.ok(ended('answered') >= answered.length, 'the metrics count the answers')
  t.ok(ended('failed') + ended('handed_over') >= others.length, 'and the other turns')
  const refusals = 'parley_assistant_budget_refusals_total'
  t.ok(count(refusals, refusals, { budget: 'day' }) >= others.length, 'and what the budget refused')
  const calls = 'gen_ai_client_operation_duration_seconds'
  const chat = { gen_ai_operation_name: 'chat', gen_ai_request_model: turns[0]!.model }
  t.ok(count(calls, `${calls}_count`, chat) > answered.length, 'and the calls of the model')
  const tokens = 'gen_ai_client_token_usage'
  const input = { ...chat, gen_ai_token_type: 'input' }
  t.ok(
    count(tokens, `${tokens}_sum`, input) >= answered.reduce((sum, turn) => sum + turn.input_tokens, 0),
    'and tokens',
  )
  t.match(answered[0]!.cost, { amount: Number, currency: 'USD' })
})

t.test('a call that failed gives back what it had reserved', async (t) => {
  const tenant = await makeTenant(world)
  const desk = await openDesk(world, tenant, { deployments: [] })
  await made(tenant.api('PATCH', `assistants/${desk.id}`, { budget: { day_tokens: 4000 } }))
  const mark = `back ${newPerson()}`
  await desk.script(mark, { fault: 429, retry_after: 1, times: 2 }, { answer: 'There you are.' })
  t.match(await replyTo(tenant, desk.id, mark), { outcome: 'answered', text: 'There you are.' })
  t.equal((await desk.calls(mark)).length, 3, 'three reservations would not fit together')
})

t.test('each budget ends what it is about, and nothing else', async (t) => {
  const tenant = await makeTenant(world)
  const { project_id } = tenant
  const desk = await openDesk(world, tenant, { deployments: [] })
  const mark = `limits ${newPerson()}`
  await desk.script(mark, { answer: 'Here.', times: 20 })
  const set = (budget: Json | null) => made(tenant.api('PATCH', `assistants/${desk.id}`, { budget }))
  const ofProject = (assistant_budget: Json | null) =>
    made(world.operator('PATCH', `projects/${project_id}`, { assistant_budget }))
  const phone = newPerson()
  await desk.says(phone, `Hello, ${mark}`)
  const { _id: ticket_id } = await eventually('the ticket is there', () => desk.ticketOf(phone))
  const none = { outcome: 'failed', reason: 'no_budget', text: null, usage: { input_tokens: 0 } }
  const given: [string, () => Promise<unknown>][] = [
    ['tokens of a day', () => set({ day_tokens: 100 })],
    ['money of a day', () => set({ day_cost: 0.000001 })],
    ['tokens of a day of the project', () => ofProject({ day_tokens: 100 })],
    ['money of a day of the project', () => ofProject({ day_cost: 0.000001 })],
    ['tokens of a month of the project', () => ofProject({ month_tokens: 100 })],
    ['money of a month of the project', () => ofProject({ month_cost: 0.000001 })],
  ]
  for (const [name, limit] of given) {
    await limit()
    t.match(await replyTo(tenant, desk.id, mark), none, name)
    await set(null)
    await ofProject(null)
  }
  for (const budget of [{ conversation_tokens: 100 }, { conversation_cost: 0.000001 }]) {
    await set(budget)
    t.match(await replyTo(tenant, desk.id, { ticket_id }), none, JSON.stringify(budget))
    t.match(await replyTo(tenant, desk.id, mark), { outcome: 'answered' }, 'it is about conversations alone')
  }
  t.equal((await desk.calls(mark)).length, 2)
})

t.test('a budget is shown as it was set, and replaced as a whole', async (t) => {
  const tenant = await makeTenant(world)
  const budget = { conversation_tokens: 50_000, day_cost: 2.5 }
  const { assistant } = await made(tenant.api('POST', 'assistants', { name: 'Ana', budget }))
  t.match(assistant, { budget, hand_over: null })
  const path = `assistants/${assistant._id}`
  const change = async (value: unknown) => (await made(tenant.api('PATCH', path, { budget: value }))).assistant.budget
  t.same(await change({ day_tokens: 7 }), { day_tokens: 7 })
  t.same((await made(tenant.api('GET', path))).assistant.budget, { day_tokens: 7 })
  t.equal(await change(null), null)
  const wrong = [
    {},
    { day_tokens: 0 },
    { day_tokens: 1.5 },
    { day_cost: '5' },
    { day_cost: 0.0000001 },
    { month_cost: 1 },
  ]
  for (const one of wrong) {
    const refused = await tenant.api('PATCH', path, { budget: one })
    t.match(refused, { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } }, JSON.stringify(one))
  }
  const project = `projects/${tenant.project_id}`
  const assistant_budget = { day_cost: 20, month_tokens: 9_000_000 }
  t.match(await made(world.operator('PATCH', project, { assistant_budget })), { assistant_budget })
  t.match(await made(world.operator('GET', project)), { assistant_budget })
  t.equal((await world.operator('PATCH', project, { assistant_budget: { conversation_tokens: 1 } })).status, 400)
  t.match(await made(world.operator('PATCH', project, { assistant_budget: null })), { assistant_budget: null })
})

t.test('money is no limit where the operator has set no prices', async (t) => {
  const entry = { name: 'free', url: 'http://127.0.0.1:9/v1', key: null, model: 'free', context: 8000, max_output: 500 }
  const rest = {
    reads: ['text'] as const,
    query: {},
    headers: {},
    output_field: 'max_tokens' as const,
    transcription: null,
  }
  const models = new HttpModels({ entries: [{ ...entry, ...rest, price: null }], calls: 1 })
  t.teardown(() => models.close())
  const hooks = { services: { models } } as never
  t.throws(() => mustHavePrices(hooks, 'budget', { day_cost: 5 }), {
    code: 'VALIDATION_ERROR',
    details: { violations: [{ path: 'budget.day_cost', message: /PARLEY_MODELS/ }] },
  })
  t.doesNotThrow(() => mustHavePrices(hooks, 'budget', { day_tokens: 5 }))
  t.doesNotThrow(() => mustHavePrices(hooks, 'budget', null))
})

t.test('a hand-over gives the ticket to the people, the stage and the tags that the assistant names', async (t) => {
  const tenant = await makeTenant(world)
  const { project_id, user_id, api } = tenant
  const tag = await made(world.operator('POST', 'tags', { project_id, name: 'person', color: '#cc0000' }))
  const { data: pipelines } = await made(api('GET', 'crm/pipelines'))
  const stage_id = pipelines[0].stages[1]._id
  const hand_over = { assigned_to: user_id, stage_id, tag_ids: [tag._id] }
  const desk = await openDesk(world, tenant, { fields: { hand_over } })
  const { assistant } = await made(api('GET', `assistants/${desk.id}`))
  t.same(assistant.hand_over, hand_over)
  const phone = newPerson()
  const mark = `leave ${phone}`
  await desk.script(mark, {
    tool_calls: [{ name: 'parley_hand_over', arguments: { reason: 'Wants a person', motivo: 'Money back' } }],
  })
  await desk.says(phone, mark)
  const ticket = await desk.left(phone)
  t.match(ticket, { assigned_to: { id: user_id }, stage: { stage_id }, tags: [{ id: tag._id }] })
  const codes: [Json, string][] = [
    [{ assigned_to: nobody }, 'ASSIGNEE_NOT_FOUND'],
    [{ stage_id: tag._id }, 'STAGE_NOT_FOUND'],
    [{ tag_ids: [tag._id, nobody] }, 'TAG_NOT_FOUND'],
  ]
  for (const [value, code] of codes) {
    t.match(await api('PATCH', `assistants/${desk.id}`, { hand_over: value }), {
      status: 422,
      body: { error: { code } },
    })
    const made_so = await api('POST', 'assistants', { name: 'Bea', hand_over: value })
    t.match(made_so, { status: 422, body: { error: { code } } })
    const operators = { project_id, name: 'Bea', hand_over: value }
    t.match(await world.operator('POST', 'assistants', operators), { status: 422, body: { error: { code } } })
    const patched = await world.operator('PATCH', `assistants/${desk.id}`, { hand_over: value })
    t.match(patched, { status: 422, body: { error: { code } } })
  }
  t.same((await made(api('GET', `assistants/${desk.id}`))).assistant.hand_over, hand_over, 'nothing was written')
  await made(world.operator('DELETE', `tags/${tag._id}`)).catch(() => undefined)
  t.match(await api('PATCH', `assistants/${desk.id}`, { hand_over }), { status: 200 }, 'what was read can be sent back')
})

/** The board of a pipeline: cards by stage, pages, filters and totals. */
import t from 'tap'
import type { Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const agent = await makeAgent(world, tenant)
const { call } = await signIn(world, agent)
const { project_id, api } = tenant

const stages = [{ name: 'New lead' }, { name: 'Offer' }, { name: 'Nobody' }]
const pipeline = await made(world.operator('POST', 'pipelines', { project_id, name: 'Sales', stages }))
const [first, second, third] = pipeline.stages.map(({ _id }: Json) => _id)
const get = (path: string, query: Json = {}) =>
  call('GET', `projects/${project_id}/${path}?${new URLSearchParams({ pipeline_id: pipeline._id, ...query })}`)
const columns = async (query: Json = {}): Promise<Json[]> => (await made(get('board', query))).columns
/** The last digits of the people in each column. */
const names = async (query: Json = {}) =>
  (await columns(query)).map(({ data }) => data.map(({ contact }: Json) => contact.user_id.slice(-1)).join(''))
const totals = async (query: Json = {}): Promise<Json[]> => (await made(get('board/totals', query))).data

const tag = await made(world.operator('POST', 'tags', { project_id, name: 'Late', color: '#aa0000' }))
const tickets: string[] = []
for (let n = 0; n < 6; n++) {
  const user_id = `1555077000${n}`
  const contact = await made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id, name: `Person ${n}` }))
  const event = { event_type: 'payment.confirmed', data: {}, chat_user_id: contact._id }
  const { ticket_id } = (await made(api('POST', 'crm/events', event))).event
  await made(api('POST', `crm/tickets/${ticket_id}/stage`, { stage_id: n < 4 ? first : second }))
  tickets.push(ticket_id)
}

t.test('each stage has its open tickets, the latest activity first, with what a card shows', async (t) => {
  await made(
    api('PATCH', `crm/tickets/${tickets[5]}`, {
      amount: 120.5,
      amount_currency: 'MXN',
      priority: 'high',
      category: 'returns',
      conversation_summary: { motivo: 'Wants a refund' },
      assigned_to: agent._id,
      add_tag_ids: [tag._id],
    }),
  )
  t.same(await names(), ['3210', '54', ''])
  const [, offer] = await columns()
  t.match(offer, { stage_id: second, next_cursor: null })
  t.match(offer!.data[0], {
    ticket_id: tickets[5],
    amount: 120.5,
    amount_currency: 'MXN',
    summary: 'Wants a refund',
    priority: 'high',
    assigned_to: { id: agent._id },
    tags: [{ name: 'Late' }],
    unread_count: 0,
  })
})

t.test('a stage is read page by page', async (t) => {
  const [column] = await columns({ limit: 3 })
  t.equal(column!.data.length, 3)
  const [next, ...others] = await columns({ stage_id: first, limit: 3, cursor: column!.next_cursor })
  t.same(others, [])
  t.same([next!.data.length, next!.next_cursor], [1, null])
  t.equal(next!.data[0].ticket_id, tickets[0])
})

t.test('filters leave what they name, in cards and totals', async (t) => {
  await made(api('PATCH', `crm/tickets/${tickets[0]}`, { amount: 10, amount_currency: 'MXN' }))
  await made(api('PATCH', `crm/tickets/${tickets[1]}`, { amount: 5, amount_currency: 'USD' }))
  t.same(await totals(), [
    {
      stage_id: first,
      tickets: 4,
      amounts: [
        { currency: 'MXN', amount: 10 },
        { currency: 'USD', amount: 5 },
      ],
    },
    { stage_id: second, tickets: 2, amounts: [{ currency: 'MXN', amount: 120.5 }] },
    { stage_id: third, tickets: 0, amounts: [] },
  ])
  const filters: [Json, string[], number[], number[]][] = [
    [{ assigned_to: agent._id }, ['', '5', ''], [0, 1, 0], [0, 1, 0]],
    [{ assigned_to: 'none' }, ['3210', '4', ''], [4, 1, 0], [2, 0, 0]],
    [{ tag_id: tag._id }, ['', '5', ''], [0, 1, 0], [0, 1, 0]],
    [{ priority: 'high', assigned_to: 'none' }, ['', '', ''], [0, 0, 0], [0, 0, 0]],
    [{ search: 'person 1' }, ['1', '', ''], [1, 0, 0], [1, 0, 0]],
    [{ search: '0005' }, ['', '5', ''], [0, 1, 0], [0, 1, 0]],
    [{ search: ' 2' }, ['2', '', ''], [1, 0, 0], [0, 0, 0]],
    [{ search: 'nobody at all' }, ['', '', ''], [0, 0, 0], [0, 0, 0]],
  ]
  for (const [filter, shown, counted, priced] of filters) {
    t.same(await names(filter), shown, JSON.stringify(filter))
    const found = await totals(filter)
    t.same(
      found.map((total) => total.tickets),
      counted,
    )
    t.same(
      found.map(({ amounts }) => amounts.length),
      priced,
    )
  }
})

t.test('closed tickets leave the board', async (t) => {
  await made(api('PATCH', `crm/tickets/${tickets[3]}`, { is_closed: true, resolution: 'won' }))
  t.same(await names(), ['210', '54', ''])
  t.equal((await totals())[0]!.tickets, 3)
})

t.test('the board of the default pipeline begins with tickets that have no stage', async (t) => {
  const { pipelines } = await made(call('GET', `projects/${project_id}/definitions`))
  const own = pipelines.find(({ is_default }: Json) => is_default)
  t.equal((await columns({ pipeline_id: own._id }))[0]!.stage_id, null)
  t.same(await columns({ pipeline_id: own._id, stage_id: 'none' }), [
    { stage_id: null, data: [], next_cursor: null, has_more: false },
  ])
})

t.test('pipelines of other projects do not exist, and unknown parameters are named', async (t) => {
  const other = await makeTenant(world)
  const foreign = await made(
    world.operator('POST', 'pipelines', { project_id: other.project_id, name: 'Theirs', stages }),
  )
  for (const path of ['board', 'board/totals']) {
    t.match(await get(path, { pipeline_id: foreign._id }), { status: 404, body: { error: { code: 'NOT_FOUND' } } })
    t.match(await get(path, { assigned_to: 'me' }), {
      status: 400,
      body: { error: { details: { violations: [{ path: 'assigned_to' }] } } },
    })
  }
})

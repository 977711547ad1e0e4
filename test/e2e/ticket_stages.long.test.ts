/**
 * Moves between stages and the rules that run with them. Exact counts stay exact from two nodes. One file, because all tests
 * share one cluster.
 */
import t, { type Test } from 'tap'
import { openDatabase } from '../../storage/mod.ts'
import { fillTable } from './api_examples/full.ts'
import { storeTickets } from './bulk_client.ts'
import { eventually, type Json, patiently } from './client.ts'
import { startCluster, statuses } from './cluster.ts'
import { made, makeTenant, type Tenant } from './fixture.ts'

const cluster = await startCluster(t)
const { nodes, world } = cluster
const { operator, sink } = world
const tenant = await makeTenant(world)
const { api, company_id, project_id, user_id } = tenant

const upTo = (count: number) => Array.from({ length: count }, (_, n) => n)

let people = 0

async function opened({ api }: Tenant = tenant): Promise<Json> {
  const user_id = `u${++people}`
  const once = (path: string, json: Json) => () =>
    api('POST', path, json, { headers: { 'idempotency-key': `${path} ${user_id}` } })
  const contact = await made(once('contacts', { channel_type: 'telegram', user_id }))
  const event = { event_type: 'payment.confirmed', data: {}, chat_user_id: contact._id }
  const { ticket_id } = (await made(once('crm/events', event))).event
  return made(() => api('GET', `crm/tickets/${ticket_id}`))
}

async function stages(rules: object[], of = project_id): Promise<string[]> {
  const body = { project_id: of, name: 'Pipeline', stages: rules.map((rules, n) => ({ name: `Stage ${n}`, rules })) }
  const pipeline = await made(operator('POST', 'pipelines', body))
  return pipeline.stages.map(({ _id }: Json) => _id)
}

const get = ({ _id }: Json) => made(api('GET', `crm/tickets/${_id}`))
const patch = ({ _id }: Json, body: object) => made(api('PATCH', `crm/tickets/${_id}`, body))
const move = ({ _id }: Json, body: object, call = {}) => api('POST', `crm/tickets/${_id}/stage`, body, call)

async function agent(n: number): Promise<string> {
  const email = `agent-${project_id}-${n}@example.com`
  return (await made(operator('POST', 'users', { company_id, full_name: `Agent ${n}`, email })))._id
}

/** Returns the service's own events on a ticket, the oldest first. */
async function recorded({ _id }: Json): Promise<[string, Json][]> {
  const { data } = await made(api('GET', `crm/tickets/${_id}/timeline?kind=event&limit=200`))
  return data
    .map((one: Json) => [one.event_type, one.data])
    .reverse()
    .slice(2)
}

const tag_id = (await made(operator('POST', 'tags', { project_id, name: 'VIP' })))._id

const database = await openDatabase({ url: cluster.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())
await storeTickets(database, tenant, 132)
/** Tickets that no test has moved yet. */
const unmoved = await database.execute<{ _id: string }>('select _id from ticket where project_id = ?', [project_id])

t.test('a move and the rules of its stage are one change', async (t) => {
  await tenant.subscribe('moves', ['crm.ticket.updated', 'crm.ticket.stage_changed', 'crm.ticket.closed'], {
    ordering: 'subscription',
  })
  const set_fields = { priority: 'high', category: null, amount: 5, order: 'A-1', gone: null }
  const rules = {
    require_fields: ['contexto'],
    set_fields,
    assign_to: [user_id],
    add_tag_ids: [tag_id],
    close_with: 'won',
  }
  const [stage_id] = await stages([rules])
  const ticket = await opened()
  const before = (await patch(ticket, { category: 'x', custom_fields: { gone: 1, kept: 2 } })).ticket
  await eventually('the change is heard', () => sink.events('moves').length === 1)
  const { body, headers } = await move(ticket, { stage_id, contexto: 'Paid', problema: 'None' })
  t.equal(body.previous_stage_id, before.stage.stage_id)
  t.equal(headers.etag, '"3"')
  const { updated_at, closed_at, ...now } = body.ticket
  t.match(now, {
    stage: { stage_id, contexto: 'Paid', problema: 'None', prioridad: null },
    priority: 'high',
    category: null,
    amount: 5,
    custom_fields: { kept: 2, order: 'A-1' },
    assigned_to: { id: user_id },
    tags: [{ id: tag_id }],
    is_closed: true,
    resolution: 'won',
    version: 3,
  })
  t.notOk('gone' in now.custom_fields)
  t.same(await get(ticket), body.ticket)
  const heard = await eventually('all is heard', () => {
    const calls = sink.calls('moves').slice(1)
    return calls.length >= 3 && calls.map(({ body }) => body)
  })
  t.same(
    heard.map(({ type }) => type),
    ['crm.ticket.updated', 'crm.ticket.stage_changed', 'crm.ticket.closed'],
  )
  const changed =
    'amount,assigned_to,category,closed_at,custom_fields,handled_by,is_closed,priority,resolution,stage,tags'
  for (const { data } of heard) {
    t.equal([...data.changed_fields].sort().join(), changed)
    t.same(data.ticket, body.ticket)
    t.match(data.previous, { stage: before.stage, category: 'x', custom_fields: { gone: 1 } })
  }
  t.match(await recorded(ticket), [
    ['ticket.stage_changed', { stage_id, previous_stage_id: before.stage.stage_id, user_id: null }],
    ['ticket.assigned', { assigned_to: user_id, previous_assigned_to: null, user_id: null }],
    ['ticket.closed', { resolution: 'won', user_id: null }],
  ])
})

t.test(
  'a stage demands its required fields from the ticket and the move together; else nothing is written',
  async (t) => {
    const require_fields = ['priority', 'assigned_to', 'amount', 'problema', 'recomendaciones', 'order', 'sizes']
    const [stage_id] = await stages([{ require_fields, assign_to: [user_id], set_fields: { priority: 'low' } }])
    const ticket = await opened()
    const steps: [change: object, texts: object, missing: string[]][] = [
      [{}, {}, require_fields],
      [{}, { problema: 'Late' }, ['priority', 'assigned_to', 'amount', 'recomendaciones', 'order', 'sizes']],
      [{ amount: 0, priority: 'low' }, { recomendaciones: 'x' }, ['assigned_to', 'problema', 'order', 'sizes']],
      [
        { assigned_to: user_id, custom_fields: { order: '', sizes: [] } },
        { problema: 'x' },
        ['recomendaciones', 'order', 'sizes'],
      ],
      [{ custom_fields: { order: false, sizes: ['S'] } }, {}, ['problema', 'recomendaciones']],
      [{}, { problema: 'x', recomendaciones: null }, ['recomendaciones']],
    ]
    for (const [change, texts, fields] of steps) {
      const { ticket: before } = await patch(ticket, change)
      const { status, body } = await move(ticket, { stage_id, ...texts })
      t.match([status, body.error], [422, { code: 'STAGE_REQUIREMENTS_NOT_MET', details: { fields } }])
      t.same(body.error.details.fields, fields)
      t.same(await get(ticket), before)
    }
    t.equal((await recorded(ticket)).length, 1, 'the assignment alone is recorded')
    t.equal((await move(ticket, { stage_id, problema: 'x', recomendaciones: 'x' })).status, 200)
  },
)

t.test('rules run on a move alone, and not on a move into the same stage', async (t) => {
  const agents = [await agent(1), await agent(2)]
  const [one, two] = await stages([{}, { set_fields: { priority: 'high' }, assign_to: agents }])
  const ticket = await opened()
  await made(move(ticket, { stage_id: two }))
  await patch(ticket, { priority: 'low' })
  const stayed = (await move(ticket, { stage_id: two, prioridad: 'alta' })).body
  t.match(stayed, { previous_stage_id: two, ticket: { priority: 'low', assigned_to: { id: agents[0] }, version: 4 } })
  t.equal(stayed.ticket.stage.prioridad, 'alta')
  t.match((await move(ticket, { stage_id: two })).body.ticket, { version: 4 }, 'nothing has changed')
  t.equal((await patch(ticket, { category: 'x' })).ticket.priority, 'low')
  t.match((await move(ticket, { stage_id: one, prioridad: null })).body.ticket, { stage: { prioridad: null } })
  t.equal((await made(move(ticket, { stage_id: two }))).ticket.assigned_to.id, agents[1])
  const types = (await recorded(ticket)).map(([type]) => type)
  t.equal(types.filter((type) => type === 'ticket.stage_changed').length, 3)
})

t.test('a ticket that cannot be moved stays', async (t) => {
  const [stage_id] = await stages([{}])
  const other = await makeTenant(world)
  const [theirs] = await stages([{}], other.project_id)
  const ticket = await opened()
  for (const [body, status, code] of [
    [{ stage_id: theirs }, 422, 'STAGE_NOT_FOUND'],
    [{ stage_id: 'f'.repeat(24) }, 422, 'STAGE_NOT_FOUND'],
    [{ stage_id: 'New' }, 400, 'VALIDATION_ERROR'],
    [{}, 400, 'VALIDATION_ERROR'],
    [{ stage_id, prioridad: 1 }, 400, 'VALIDATION_ERROR'],
    [{ stage_id, contexto: 'x'.repeat(5001) }, 400, 'VALIDATION_ERROR'],
    [{ stage_id, priority: 'high' }, 400, 'VALIDATION_ERROR'],
  ] as const) {
    const answer = await move(ticket, body)
    t.same([answer.status, answer.body.error.code], [status, code])
  }
  const stale = await move(ticket, { stage_id }, { headers: { 'if-match': '"9"' } })
  t.same([stale.status, stale.body.error.code], [412, 'PRECONDITION_FAILED'])
  t.same(await get(ticket), ticket)
  await patch(ticket, { is_closed: true })
  const closed = await move(ticket, { stage_id })
  t.same([closed.status, closed.body.error.code], [409, 'TICKET_CLOSED'])
})

t.test('a repeated request moves once', async (t) => {
  const [one, two] = await stages([{}, {}])
  const ticket = await opened()
  const keyed = { headers: { 'idempotency-key': 'move' } }
  const first = await move(ticket, { stage_id: one }, keyed)
  await made(move(ticket, { stage_id: two }))
  const again = await move(ticket, { stage_id: one }, keyed)
  t.same([again.status, again.text, again.headers.etag], [200, first.text, '"2"'])
  t.equal((await get(ticket)).stage.stage_id, two)
})

/**
 * Moves `count` new tickets into the stage at once, through the nodes in turn. Returns the number that each agent got.
 */
async function moveAll(t: Test, stage_id: string, agents: string[], count: number, begun = () => {}) {
  const answers = await Promise.all(
    unmoved.splice(0, count).map(async ({ _id }, n) => {
      const headers = { 'idempotency-key': `move ${_id}` }
      const call = () => nodes[n % 2]!.call(tenant.token, 'POST', `crm/tickets/${_id}/stage`, { stage_id }, { headers })
      const answer = await patiently(call)
      begun()
      return answer
    }),
  )
  t.same(statuses(answers), { 200: count })
  const given = answers.map(({ body }) => body.ticket.assigned_to.id)
  return agents.map((id) => given.filter((one) => one === id).length)
}

t.test('users get tickets in exact turn at either node, and deactivated users are skipped', async (t) => {
  const agents = await Promise.all([11, 12, 13].map(agent))
  const [stage_id] = (await stages([{ assign_to: agents }])) as [string]
  t.same((await moveAll(t, stage_id, agents, 50)).sort(), [16, 17, 17])
  await made(operator('PATCH', `users/${agents[1]}`, { is_active: false }))
  t.same(await moveAll(t, stage_id, agents, 10), [5, 0, 5])
  await made(operator('PATCH', `stages/${stage_id}`, { name: 'Renamed' }))
  await made(operator('PATCH', `users/${agents[1]}`, { is_active: true }))
  t.same(await moveAll(t, stage_id, agents, 9), [3, 3, 3], 'the count outlives what operators change')
  for (const id of agents) await made(operator('PATCH', `users/${id}`, { is_active: false }))
  const ticket = await opened()
  t.match((await move(ticket, { stage_id })).body.ticket, { assigned_to: null }, 'no active agent is left')
})

t.test('neither a list of tags nor a rule takes a ticket beyond 100 tags', async (t) => {
  await fillTable(database, tenant, 'tag', 100, {})
  const filled = await database.execute<{ _id: string }>(
    `select _id from tag where project_id = ? and name like 'filled-%' order by _id`,
    [project_id],
  )
  const ids = filled.map(({ _id }) => _id)
  // The project reads all its tags again when an operator makes one.
  const spare = (await made(operator('POST', 'tags', { project_id, name: 'Spare' })))._id
  const ticket = await opened()
  const change = (body: object) => api('PATCH', `crm/tickets/${ticket._id}`, body)
  await made(change({ tag_ids: ids }))
  const refused = await change({ add_tag_ids: [spare] })
  t.match(refused, { status: 400, body: { error: { code: 'VALIDATION_ERROR' } } })
  t.match(refused.body.error.details.violations, [{ path: 'add_tag_ids', code: 'too_long' }])
  const [stage_id] = (await stages([{ add_tag_ids: [spare] }])) as [string]
  t.match(await move(ticket, { stage_id }), { status: 200, body: { ticket: { stage: { stage_id } } } })
  const { tags } = await get(ticket)
  t.equal(tags.length, 100)
  t.equal((await change({ tag_ids: tags.map(({ id }: Json) => id) })).status, 200, 'the list can be sent back')
  t.equal((await change({ add_tag_ids: [spare], remove_tag_ids: ids.slice(0, 1) })).status, 200, 'one is exchanged')
})

t.test('changes of different fields from two nodes at once all survive', async (t) => {
  const ticket = await opened()
  const changes = [
    { priority: 'high' },
    { category: 'orders' },
    { amount: 5 },
    { amount_currency: 'MXN' },
    { amount_status: 'confirmed' },
    { assigned_to: user_id },
    { custom_fields: { a: 1 } },
    { add_tag_ids: [tag_id] },
    { resolution: 'won' },
    { conversation_summary: { is_final: true } },
  ]
  const answers = await Promise.all(
    changes.map((change, n) => nodes[n % 2]!.call(tenant.token, 'PATCH', `crm/tickets/${ticket._id}`, change)),
  )
  t.same(statuses(answers), { 200: changes.length })
  t.same(
    answers.map(({ body }) => body.ticket.version).sort((a, b) => a - b),
    changes.map((_, n) => n + 2),
    'one after the other',
  )
  const { assigned_to, tags, ...after } = await get(ticket)
  t.match(after, Object.assign({}, ...changes.filter((one) => !('assigned_to' in one || 'add_tag_ids' in one))))
  t.match([assigned_to.id, tags[0].id], [user_id, tag_id])
  const bound = await Promise.all(
    upTo(10).map((n) =>
      nodes[n % 2]!.call(
        tenant.token,
        'PATCH',
        `crm/tickets/${ticket._id}`,
        { amount: 100 + n },
        {
          headers: { 'if-match': '"11"' },
        },
      ),
    ),
  )
  t.same(statuses(bound), { 200: 1, 412: 9 }, 'one of the changes bound to a version succeeds')
})

t.test('turns stay exact while the project goes to the other node', async (t) => {
  const agents = await Promise.all([21, 22, 23].map(agent))
  const [stage_id] = (await stages([{ assign_to: agents }])) as [string]
  const owner = await cluster.ownerOf(`project/${project_id}`)
  let drained: Promise<void> | undefined
  const given = await moveAll(t, stage_id, agents, 60, () => {
    drained ??= cluster.drain(owner!)
  })
  await drained
  t.same(given, [20, 20, 20])
  t.same(await moveAll(t, stage_id, agents, 3), [1, 1, 1], 'turns are exact after the handover')
})

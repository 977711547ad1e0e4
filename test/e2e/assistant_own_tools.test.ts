/** Parley's own tools of assistants. */
import t from 'tap'
import { startCalls } from './assistant_tool_client.ts'
import type { Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { addDocument, indexed } from './knowledge_client.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { project_id } = tenant
const { own, ticket, commands, assistant, call, offered } = await startCalls(t, world, tenant)
const nobody = 'f'.repeat(24)

t.test('the knowledge is searched within the assistant’s part of it', async (t) => {
  const filler = 'Nothing of interest stands here. '.repeat(300)
  const inside = await addDocument(
    tenant,
    'Returns',
    `${filler}\n\nZebrafish can be returned within 30 days, see https://shop.example/returns\n\n${filler}`,
  )
  const outside = await addDocument(tenant, 'Internal', 'Zebrafish are sold at a loss.')
  await indexed(tenant, [inside, outside])
  const agent = await assistant({ knowledge_node_ids: [inside] })
  const result = await call(agent, 'parley_search_knowledge', { query: 'zebrafish return' }, { first_source: 3 })
  const { results } = JSON.parse(result.result)
  t.equal(results.length, 1)
  t.match(results[0], { number: 3, title: 'Returns', text: /Zebrafish can be returned within 30 days/, is_cut: true })
  t.match(result, {
    documents: [{ node_id: inside, title: 'Returns' }],
    sources: [{ title: 'Returns', node_id: inside, url: null }],
  })
  t.same(result.links, ['shop.example/returns'])
  t.match(await call(agent, 'parley_search_knowledge', { query: 'qqqqqq' }), {
    result: /Nothing was found/,
    sources: [],
  })
  t.match(await call(agent, 'parley_search_knowledge', {}), { error: { code: 'invalid_arguments' } })
})

t.test('a hand-over is data for the turn', async (t) => {
  const agent = await assistant()
  const values = {
    reason: ' Wants a refund ',
    motivo: 'Refund',
    proximos_pasos: 'Pay',
    problema: ' ',
    contexto: 'Order 1',
  }
  t.match(await call(agent, 'parley_hand_over', values), {
    effect: {
      kind: 'hand_over',
      reason: 'Wants a refund',
      summary: { motivo: 'Refund', estado: null, proximos_pasos: 'Pay' },
      stage_texts: { prioridad: null, contexto: 'Order 1', problema: null, recomendaciones: null },
    },
  })
  t.match(await call(agent, 'parley_hand_over', { motivo: 'x' }), {
    error: { code: 'invalid_arguments' },
    effect: undefined,
  })
})

t.test('an assistant sets the fields that it may, of its ticket', async (t) => {
  const tag = (await made(world.operator('POST', 'tags', { project_id, name: 'VIP' })))._id
  const agent = await assistant({ settable_ticket_fields: ['priority', 'tag_ids', 'custom_fields.size'] })
  const [set] = (await offered(agent)).filter(({ name }) => name === 'parley_set_ticket_fields')
  t.same(Object.keys((set!.parameters as Json).properties), ['priority', 'tags', 'custom_fields'])
  commands.length = 0
  const values = { priority: 'high', tags: ['VIP'], custom_fields: { size: 'M' } }
  t.match(await call(agent, 'parley_set_ticket_fields', values), { error: undefined })
  t.same(commands, [
    {
      type: 'update_ticket',
      id: ticket._id,
      patch: { priority: 'high', custom_fields: { size: 'M' }, add_tag_ids: [tag] },
    },
  ])
  for (const wrong of [{}, { category: 'x' }, { priority: 'top' }, { custom_fields: { other: 1 } }, { tags: [tag] }]) {
    t.match(await call(agent, 'parley_set_ticket_fields', wrong), { error: { code: 'invalid_arguments' } })
  }
  const askProject = async () => ({ refused: { code: 'TAG_NOT_FOUND', message: 'There is no such tag.' } })
  t.match(await call(agent, 'parley_set_ticket_fields', values, { askProject }), { error: { code: 'tag_not_found' } })
  t.match(await call(agent, 'parley_set_ticket_fields', values, { askProject: undefined }), {
    error: { code: 'nothing_changes' },
  })
  const without = await assistant()
  t.match(await call(without, 'parley_set_ticket_fields', values), { error: { code: 'unknown_tool' } })
})

t.test('free appointments are listed within the office hours, and booked for the person', async (t) => {
  const shop = await makeTenant(world)
  const day = { from: '09:00', to: '12:00' }
  const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']
  const office_hours = {
    timezone: 'Europe/Madrid',
    weekly: Object.fromEntries(days.map((name) => [name, [day]])),
    closed_on: [],
  }
  const where = { company_id: shop.company_id, project_id: shop.project_id }
  const _id = (await made(shop.api('POST', 'assistants', { name: 'Ana' }))).assistant._id
  const ask = (name: string, values: Json = {}) => call(_id, name, values, where)
  t.match(
    await ask('parley_list_free_appointments'),
    { error: { code: 'unknown_tool' } },
    'without hours there is none',
  )
  await made(world.operator('PATCH', `projects/${shop.project_id}`, { office_hours }))
  const soon = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10)
  const taken = {
    project_id: shop.project_id,
    starts_at: `${soon}T09:00:00`,
    ends_at: `${soon}T10:00:00`,
    timezone: 'Europe/Madrid',
  }
  await made(world.operator('POST', 'appointments', { ...taken, assigned_to: shop.user_id }))
  const listed = JSON.parse((await ask('parley_list_free_appointments', { from: soon, days: 1, minutes: 60 })).result)
  t.same(
    listed.times.map(({ starts_at, with_id }: Json) => [starts_at.slice(0, 19), with_id]),
    [10, 11].map((hour) => [`${soon}T${hour}:00:00`, shop.user_id]),
  )
  commands.length = 0
  const [first] = listed.times
  const booking = { starts_at: first.starts_at, with_id: first.with_id, minutes: 60, modality: 'online' }
  t.match(await ask('parley_book_appointment', booking), { error: undefined })
  t.match(commands, [
    {
      type: 'create_appointment',
      fields: {
        chat_user: own._id,
        status: 'pending',
        assigned_to: shop.user_id,
        timezone: 'Europe/Madrid',
        modality: 'online',
      },
    },
  ])
  t.equal(new Date((commands[0] as Json).fields.starts_at.instant).getTime(), new Date(first.starts_at).getTime())
  for (const starts_at of [
    new Date(Date.parse(first.starts_at) - 3_600_000).toISOString(),
    `${soon}T03:00:00Z`,
    '2020-01-01T09:00:00Z',
    'tomorrow',
    '2099-01-01T09:00:00Z',
  ]) {
    const { error } = await ask('parley_book_appointment', { ...booking, starts_at })
    t.match(error?.code, /^(?:not_free|invalid_arguments)$/, starts_at)
  }
  t.match(await ask('parley_book_appointment', { ...booking, with_id: nobody }), {
    error: { code: 'invalid_arguments' },
  })
  t.equal(commands.length, 1)
  t.match(await ask('parley_read_appointments'), { result: '{"appointments":[]}' }, 'those of others are not shown')
})

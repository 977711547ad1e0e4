/** The pipelines, tags and users that requests of a token name: a token lists them itself, and none of others. */
import t from 'tap'
import type { Json } from './client.ts'
import { joinWorld, made, makeSister, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { operator, http, base_url } = world
const tenant = await makeTenant(world)
const { api, company_id, project_id, user_id } = tenant

const list = async ({ api }: Tenant, path: string): Promise<Json[]> => (await made(api('GET', path))).data
const idsOf = (rows: Json[]) => rows.map(({ _id, id }) => _id ?? id)

t.test('pipelines are listed with their stages in order and the rules of these', async (t) => {
  const { _id: tag } = await made(operator('POST', 'tags', { project_id, name: 'Returned' }))
  const rules = { require_fields: ['category'], assign_to: [user_id], add_tag_ids: [tag], close_with: 'won' }
  const stages = [
    { name: 'Second', position: 2, rules },
    { name: 'First', position: 1 },
  ]
  const pipeline = await made(operator('POST', 'pipelines', { project_id, name: 'Returns', stages }))
  const [listed, first] = await list(tenant, 'crm/pipelines')
  const { company_id: _, project_id: __, ...shown } = pipeline
  t.same(listed, shown)
  t.same(
    listed!.stages.map(({ name, rules }: Json) => [name, rules]),
    [
      ['First', {}],
      ['Second', rules],
    ],
  )
  t.match(first, { name: 'Default', is_default: true, stages: [{ name: 'New' }, {}, {}] })
})

t.test('a ticket can be moved, tagged and assigned with the ids of these lists', async (t) => {
  const contact = await made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id: '5215557300001' }))
  const event = { event_type: 'payment.confirmed', data: {}, chat_user_id: contact._id }
  const { ticket_id } = (await made(api('POST', 'crm/events', event))).event
  const standard = (await list(tenant, 'crm/pipelines')).find(({ is_default }) => is_default)
  const stage = standard!.stages.at(-1)
  const [tag] = await list(tenant, 'crm/tags')
  const [user] = await list(tenant, 'users?is_active=true')
  await made(api('POST', `crm/tickets/${ticket_id}/stage`, { stage_id: stage._id }))
  await made(api('PATCH', `crm/tickets/${ticket_id}`, { assigned_to: user!.id, add_tag_ids: [tag!._id] }))
  const { is_active: _, ...assignee } = user!
  const { name, color } = tag!
  const ticket = await made(api('GET', `crm/tickets/${ticket_id}`))
  t.match(ticket, { stage: { stage_id: stage._id } })
  t.same([ticket.assigned_to, ticket.tags], [assignee, [{ id: tag!._id, name, color }]], 'as a ticket shows them')
})

t.test('users are listed without what operators alone see, the deactivated ones marked', async (t) => {
  const user = { company_id, full_name: 'Luz', email: `luz-${company_id}@example.com`, password: 'a long password' }
  const { _id: id } = await made(operator('POST', 'users', { ...user, is_active: false }))
  const shown = { id, full_name: 'Luz', email: user.email, is_active: false }
  t.same(await list(tenant, 'users?is_active=false'), [shown])
  t.same(idsOf(await list(tenant, 'users?is_active=true')), [user_id])
  t.same(idsOf(await list(tenant, 'users')), [id, user_id], 'newest first')
})

t.test('each list has pages, and refuses what it does not know', async (t) => {
  for (const name of ['One', 'Two', 'Three']) await made(operator('POST', 'tags', { project_id, name }))
  for (const path of ['crm/pipelines', 'crm/tags', 'users']) {
    const { data, total } = await made(api('GET', path))
    t.ok(total >= 2 && data.length === total, path)
    const second = await made(api('GET', `${path}?limit=1&offset=1`))
    t.same([second.data, second.total], [[data[1]], total], path)
    for (const query of ['limit=0', 'limit=201', 'offset=-1', 'project_id=x', 'company_id=x']) {
      const { status, body } = await api('GET', `${path}?${query}`)
      t.same([status, body.error.code], [400, 'VALIDATION_ERROR'], `${path}?${query}`)
    }
  }
  t.equal((await api('GET', 'users?is_active=yes')).status, 400)
})

t.test('a token sees its own project and company alone, and needs the scope to read tickets', async (t) => {
  const sister = await makeSister(world, tenant)
  const stranger = await makeTenant(world)
  const own = async (path: string, other: Tenant) => {
    const [mine, theirs] = [idsOf(await list(tenant, path)), idsOf(await list(other, path))]
    return mine.filter((id) => theirs.includes(id))
  }
  for (const path of ['crm/pipelines', 'crm/tags']) {
    t.same(await own(path, sister), [], `${path} of another project`)
    t.same(await own(path, stranger), [], `${path} of another company`)
  }
  t.same(await list(sister, 'users'), await list(tenant, 'users'), 'users belong to the company')
  t.same(await own('users', stranger), [])
  const scopes = ['crm:tickets:write']
  const { token } = await made(operator('POST', 'tokens', { project_id, user_id, name: 'Writes', scopes }))
  for (const path of ['crm/pipelines', 'crm/tags', 'users']) {
    const { status, body } = await http('GET', `${base_url}/v1/${path}`, { token })
    t.same([status, body.error.details.missing], [403, ['crm:tickets:read']], path)
  }
})

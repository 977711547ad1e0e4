/** Knowledge and appointments as consoles follow them: versions, live events, the calendar. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { openConsole } from './console_socket.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { addDocument, addFolder } from './knowledge_client.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { project_id } = tenant
const signedIn = async (to: { company_id: string }) => signIn(world, (await makeAgent(world, to)) as { email: string })
const console = await signedIn(tenant)
const agent = await openConsole(t, world.base_url, console.cookie)
await agent.ask('watch', { project_id })
const at = `projects/${project_id}`
const heard = (type: string, look: (data: Json) => unknown) =>
  eventually(`${type} is heard`, () =>
    agent.events().findLast((event: Json) => event.type === type && look(event.data)),
  )

t.test('a document is changed only in the version that the agent saw', async (t) => {
  const id = await addDocument(tenant, 'Returns', 'Within 30 days.')
  const { body, headers } = await console.call('GET', `${at}/knowledge/nodes/${id}`)
  t.equal(headers.etag, `"${body.version}"`)
  const save = (content: string, version: number) =>
    console.call('PATCH', `${at}/knowledge/nodes/${id}`, {
      json: { content },
      headers: { 'if-match': `"${version}"` },
    })
  const saved = await made(save('Within 60 days.', body.version))
  t.ok(saved.version > body.version)
  const late = await save('Within 90 days.', body.version)
  t.match(late, { status: 412, body: { error: { code: 'PRECONDITION_FAILED', details: { version: saved.version } } } })
  t.equal((await tenant.api('GET', `knowledge/nodes/${id}`)).body.content, 'Within 60 days.')
  t.equal((await made(tenant.api('PATCH', `knowledge/nodes/${id}`, { source_url: null }))).version, saved.version)
  const both = await Promise.all([save('A', saved.version), save('B', saved.version)])
  t.same(both.map(({ status }) => status).sort(), [200, 412], 'of two at once, one is made')
})

t.test('consoles hear each change of the tree, without texts', async (t) => {
  const folder = await addFolder(tenant, 'Shop')
  const id = await addDocument(tenant, 'Shipping', 'We ship daily.')
  const created = await heard('knowledge.changed', (data) => data._id === id)
  t.match(created.data, { name: 'Shipping', parent_id: null, type: 'document', is_active: true, version: 1 })
  t.notOk('content' in created.data)
  await made(tenant.api('PATCH', `knowledge/nodes/${id}`, { parent_id: folder, name: 'Delivery' }))
  const moved = await heard('knowledge.changed', (data) => data._id === id && data.parent_id === folder)
  t.match(moved.data, { name: 'Delivery', version: 2 })
  await tenant.api('DELETE', `knowledge/nodes/${folder}`)
  t.ok(await heard('knowledge.changed', (data) => data._id === folder && data.is_active === false))
  await tenant.api('PATCH', `knowledge/nodes/${id}`, { name: 'Late' })
})

t.test('consoles hear each change of an appointment as the API answers it', async (t) => {
  const times = { starts_at: '2031-05-01T10:00:00Z', ends_at: '2031-05-01T10:30:00Z' }
  const assigned_to = console.session.user._id
  const made_one = await made(
    console.call('POST', `${at}/scheduling/appointments`, { json: { ...times, assigned_to } }),
  )
  t.same((await heard('appointment.changed', ({ id }) => id === made_one.id)).data, made_one)
  const path = `${at}/scheduling/appointments/${made_one.id}`
  const moved = await made(console.call('PATCH', path, { json: { starts_at: '2031-05-01T11:00:00Z' } }))
  t.same((await heard('appointment.changed', (data) => data.starts_at === moved.starts_at)).data, moved)
  const confirmed = await made(tenant.api('POST', `scheduling/appointments/${made_one.id}/confirm`))
  t.same((await heard('appointment.changed', ({ status }) => status === 'confirmed')).data, confirmed)
})

t.test('the calendar has what takes place between two moments, with the people', async (t) => {
  const contact = await made(
    tenant.api('POST', 'contacts', {
      channel_type: 'whatsapp',
      user_id: '15550449001',
      name: 'Ana',
      phone: '+15550449001',
    }),
  )
  const make = (starts_at: string, ends_at: string, more: Json = {}) =>
    made(console.call('POST', `${at}/scheduling/appointments`, { json: { starts_at, ends_at, ...more } }))
  const night = await make('2032-03-01T23:00:00Z', '2032-03-02T01:00:00Z')
  const day = await make('2032-03-02T09:00:00Z', '2032-03-02T10:00:00Z', { chat_user: contact._id })
  await make('2032-03-03T00:00:00Z', '2032-03-03T01:00:00Z')
  const list = async (query: string, who = console) => who.call('GET', `${at}/scheduling/calendar?${query}`)
  const found = await made(list('from=2032-03-02T00:00:00Z&before=2032-03-03T00:00:00Z'))
  t.same(
    found.data.map(({ id }: Json) => id),
    [night.id, day.id],
  )
  t.same(found.data[1], { ...day, contact: { _id: contact._id, name: 'Ana', phone: '+15550449001' }, customer: null })
  t.equal(found.has_more, false)
  t.same((await made(list('from=2032-03-02T00:00:00Z&status=confirmed'))).data, [])
  t.equal((await list('before=2032-03-02T00:00:00Z')).status, 400)
  const stranger = await signedIn(await makeTenant(world))
  t.equal((await list('from=2032-03-02T00:00:00Z', stranger)).status, 404)
})

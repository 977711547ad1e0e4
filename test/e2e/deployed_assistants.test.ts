/** A message of a person gives the ticket to an assistant exactly where a deployment fits. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { deployed, openHours, someone, written } from './deployed_client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const ALWAYS = { answers: 'always' }
const given = async (tenant: Tenant, phone = someone()) => (await written(tenant, phone)).is_given

t.test('an assistant answers where a deployment says so, until it is switched off', async (t) => {
  const tenant = await makeTenant(world)
  t.equal(await given(tenant), false, 'nothing is deployed')
  const assistant = await deployed(tenant, [ALWAYS])
  t.equal(await given(tenant), true)
  await made(tenant.api('PATCH', `assistants/${assistant}`, { is_active: false }))
  t.equal(await given(tenant), false)
  await made(world.operator('PATCH', `assistants/${assistant}`, { is_active: true }))
  t.equal(await given(tenant), true, 'an operator switched it on')
  await made(
    tenant.api('PUT', `assistants/${assistant}/deployments`, { deployments: [{ ...ALWAYS, is_active: false }] }),
  )
  t.equal(await given(tenant), false)
  await made(world.operator('PUT', `assistants/${assistant}/deployments`, { deployments: [ALWAYS] }))
  t.equal(await given(tenant), true, 'an operator deployed it')
})

t.test('outside_hours follows the office hours of the project', async (t) => {
  const tenant = await makeTenant(world)
  await deployed(tenant, [{ answers: 'outside_hours' }])
  t.equal(await given(tenant), false, 'a project without hours is always open')
  await openHours(world, tenant, false)
  t.equal(await given(tenant), true)
  await openHours(world, tenant, true)
  t.equal(await given(tenant), false)
})

t.test('a deployment of a channel or of a tag is for these alone', async (t) => {
  const tenant = await makeTenant(world)
  const { project_id, api } = tenant
  const tag = (await made(world.operator('POST', 'tags', { project_id, name: 'bot' })))._id
  const assistant = await deployed(tenant, [{ ...ALWAYS, tag_ids: [tag] }])
  const phone = someone()
  const { id, is_given } = await written(tenant, phone)
  t.equal(is_given, false)
  await made(api('PATCH', `crm/tickets/${id}`, { add_tag_ids: [tag] }))
  t.equal(await given(tenant, phone), true)
  const channel = tenant.number.channel_id
  const { _id: other } = await made(
    world.operator('POST', 'channels', {
      ...{ project_id, channel_type: 'web', name: 'Other', provider: 'cloud' },
      credentials: { visitor_secret: 'x'.repeat(32) },
    }),
  )
  const put = (channel_ids: string[]) =>
    made(api('PUT', `assistants/${assistant}/deployments`, { deployments: [{ ...ALWAYS, channel_ids }] }))
  await put([other])
  t.equal(await given(tenant), false)
  await put([other, channel])
  t.equal(await given(tenant), true)
})

t.test('of several that fit, the one of the channel answers', async (t) => {
  const tenant = await makeTenant(world)
  await deployed(tenant, [ALWAYS], 'Everywhere')
  const here = await deployed(tenant, [{ ...ALWAYS, channel_ids: [tenant.number.channel_id] }], 'Here')
  const { id, is_given } = await written(tenant, someone())
  t.equal(is_given, true)
  const turns = await eventually('its turn is on record', async () => {
    const { data } = await made(tenant.api('GET', `assistants/${here}/turns?ticket_id=${id}`))
    return data.length > 0 && data
  })
  t.match(turns, [{ assistant_id: here, ticket_id: id, origin: 'conversation' } satisfies Json])
})

t.test('unanswered does not answer at once, and leaves a ticket that is paused', async (t) => {
  const tenant = await makeTenant(world)
  await deployed(tenant, [{ answers: 'unanswered', after_minutes: 1 }])
  t.equal(await given(tenant), false)
  await deployed(tenant, [ALWAYS])
  const phone = someone()
  const { id, is_given } = await written(tenant, phone)
  t.equal(is_given, true)
  await made(tenant.api('POST', `crm/tickets/${id}/take-over`, { user_id: null }))
  await tenant.writes(phone, 'Hello?')
  t.equal((await made(tenant.api('GET', `crm/tickets/${id}`))).handled_by, 'nobody')
})

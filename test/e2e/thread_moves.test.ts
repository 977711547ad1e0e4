/** Conversations with people are taken over from another app of the business, and given back. */
import t from 'tap'
import { connectPage } from '../inputs/page_account.ts'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'
import { contactOf, eventsOf, messagesOf, person, threadCallsOf, ticketsOf } from './thread_calls.ts'

const world = await joinWorld(t)
const { writes } = threadCallsOf(world)

const people = { whatsapp: person, messenger: person, instagram: person }

/** An account of the channel on the simulator, whose other apps move conversations as Meta's do. */
async function accountOn(tenant: Tenant, channel: keyof typeof people) {
  if (channel !== 'whatsapp') {
    const { channel_id, account_id } = await connectPage(world, tenant, channel)
    return { channel_id, named: { account_id } }
  }
  const { channel_id, phone_number_id } = tenant.number
  return { channel_id, named: { phone_number_id } }
}

for (const channel of ['whatsapp', 'messenger', 'instagram'] as const) {
  t.test(`${channel}: a conversation is taken over and given back`, async (t) => {
    const tenant = await makeTenant(world)
    const { channel_id, named } = await accountOn(tenant, channel)
    const recipient = person()
    const simulate = (path: string, body: Json) => made(world.control('POST', path, { channel, ...named, ...body }))
    const say = (message: string, more: Json = {}) => simulate('inbound', { from: recipient, message, ...more })
    await say('Hello')
    const contact = (await made(tenant.api('GET', `contacts?search=${recipient}`))).data[0]
    const holder = async () => (await made(tenant.api('GET', `contacts/${contact._id}`))).threads[0]?.holder
    const move = (verb: 'take' | 'release', body: Json = {}) =>
      tenant.api('POST', `contacts/${contact._id}/${verb}-thread`, body)
    t.equal(await holder(), undefined, 'nothing is shared yet')
    await simulate('threads', { recipient, holder: 'meta_agent' })
    t.equal(await holder(), 'meta_agent', 'the agent took it')
    await say('Are you there?')
    await say('I am', { by_business: true })
    t.match((await messagesOf(tenant, contact)).slice(1), [
      { direction: 'inbound', message: { body: 'Are you there?' } },
      { direction: 'outbound', origin: 'meta_agent', message: { body: 'I am' } },
    ])
    const taken = await made(move('take', { channel_id }))
    t.match(taken.threads, [{ channel_id, holder: 'parley' }])
    await say('Is it you?')
    t.equal(await holder(), 'parley', 'the provider knows it')
    const released = await made(move('release'))
    t.match(released.threads, [{ holder: 'nobody' }])
    await say('Anybody?')
    t.equal(await holder(), 'meta_agent', 'the agent answers again')
    await made(move('take'))
    const to = channel === 'whatsapp' ? 'customer_service' : '263902037430900'
    t.match((await made(move('release', { to }))).threads, [{ holder: 'app' }])
    t.match(await move('release'), { status: 422, body: { error: { code: 'PROVIDER_REFUSED' } } }, 'it is not ours')
    t.equal(await holder(), 'app')
    await simulate('threads', { recipient, holder: 'parley', note: 'A question about a bill' })
    t.equal(await holder(), 'parley')
    const [ticket] = await ticketsOf(tenant)
    t.match((await eventsOf(tenant, ticket!._id))[0], { data: { note: 'A question about a bill', user_id: null } })
  })
}

for (const channel of ['whatsapp', 'messenger'] as const) {
  t.test(
    `${channel}: contacts that were merged have one conversation, and it is taken where the person writes`,
    async (t) => {
      const tenant = await makeTenant(world)
      const { channel_id, named } = await accountOn(tenant, channel)
      const [stays, goes] = [person(), person()]
      const simulate = (path: string, body: Json) => made(world.control('POST', path, { channel, ...named, ...body }))
      const contactNamed = async (id: string) => (await made(tenant.api('GET', `contacts?search=${id}`))).data[0]
      await simulate('inbound', { from: stays, message: 'Hello' })
      await simulate('inbound', { from: goes, message: 'Hello' })
      const { _id } = await contactNamed(stays)
      await simulate('threads', { recipient: goes, holder: 'meta_agent' })
      await simulate('inbound', { from: goes, message: 'Are you there?' })
      const former = await contactNamed(goes)
      await made(tenant.api('POST', `contacts/${_id}/merge`, { from_contact_id: former._id }))
      const holder = async () => (await made(tenant.api('GET', `contacts/${_id}`))).threads[0]?.holder
      t.equal(await holder(), 'meta_agent', 'the agent of Meta holds the conversation of the person')
      t.match((await made(tenant.api('POST', `contacts/${_id}/take-thread`, { channel_id }))).threads, [
        { holder: 'parley' },
      ])
      await simulate('inbound', { from: goes, message: 'Is it you?' })
      t.equal(await holder(), 'parley', 'the provider knows it')
      await simulate('threads', { recipient: goes, holder: 'meta_agent' })
      t.equal(await holder(), 'meta_agent', 'what is told of the former id is of the person')
      if (channel === 'whatsapp') {
        t.match((await made(tenant.send(`+${goes}`))).warnings, [{ code: 'THREAD_HELD_ELSEWHERE' }])
        await eventually('Parley holds it', async () => (await holder()) === 'parley')
      }
    },
  )
}

for (const verb of ['take', 'release']) {
  t.test(`a request to ${verb} a conversation says why it cannot be done`, async (t) => {
    const tenant = await makeTenant(world)
    const phone = person()
    await writes(tenant, phone, 'Hello')
    const { _id } = await contactOf(tenant, phone)
    const refuses = async (id: string, body: Json, status: number, code: string) =>
      t.match(await tenant.api('POST', `contacts/${id}/${verb}-thread`, body), { status, body: { error: { code } } })
    const { project_id, number } = tenant
    await refuses(_id, { channel_id: '6b0118a073cb499e66000001' }, 422, 'CHANNEL_NOT_FOUND')
    const telegram = await made(tenant.api('POST', 'contacts', { channel_type: 'telegram', user_id: '518273641' }))
    await refuses(telegram._id, {}, 422, 'CHANNEL_NOT_CONNECTED')
    const fault = { match: { operation: 'numbers', phone_number_id: number.phone_number_id }, times: 1 }
    await world.control('POST', 'faults', { ...fault, garbage: true })
    await refuses(_id, {}, 502, 'PROVIDER_UPSTREAM_ERROR')
    const web = {
      channel_type: 'web',
      provider: 'cloud',
      credentials: { visitor_secret: 'the secret of the visitors' },
    }
    for (const name of ['One', 'Two']) await made(world.operator('POST', 'channels', { project_id, name, ...web }))
    const visitor = await made(tenant.api('POST', 'contacts', { channel_type: 'web', user_id: 'visitor-1' }))
    await refuses(visitor._id, {}, 422, 'CHANNEL_REQUIRED')
    const { data } = await made(world.operator('GET', `channels?project_id=${project_id}`))
    const channel_id = data.find((one: Json) => one.channel_type === 'web')._id
    await refuses(visitor._id, { channel_id }, 422, 'OPERATION_NOT_SUPPORTED_FOR_CHANNEL')
  })
}

t.test('a conversation is taken where that can be done, and every refusal says why', async (t) => {
  const tenant = await makeTenant(world)
  const phone = person()
  await writes(tenant, phone, 'Hello')
  const contact = await contactOf(tenant, phone)
  const take = (id: string, body: Json = {}) => tenant.api('POST', `contacts/${id}/take-thread`, body)
  const refuses = async (call: ReturnType<typeof take>, status: number, code: string) =>
    t.match(await call, { status, body: { error: { code } } })
  await refuses(take('6b0118a073cb499e66000001'), 404, 'NOT_FOUND')
  await refuses(take(contact._id, { channel_id: '6b0118a073cb499e66000001' }), 422, 'CHANNEL_NOT_FOUND')
  const visitor = await made(tenant.api('POST', 'contacts', { channel_type: 'telegram', user_id: '518273640' }))
  await refuses(take(visitor._id), 422, 'CHANNEL_NOT_CONNECTED')
  const fault = { match: { operation: 'numbers', phone_number_id: tenant.number.phone_number_id }, times: 1 }
  await world.control('POST', 'faults', { ...fault, error: { code: 2494191, status: 400 } })
  await refuses(take(contact._id), 422, 'PROVIDER_REFUSED')
  await world.control('POST', 'faults', { ...fault, garbage: true })
  await refuses(take(contact._id), 502, 'PROVIDER_UPSTREAM_ERROR')
  t.match((await contactOf(tenant, phone)).threads, [{ holder: 'meta_agent' }], 'nothing is stored on an error')
  await made(take(contact._id))
})

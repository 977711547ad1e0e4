/** The provider names a number and a business-scoped id together: contacts of the two are one person. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

const world = await joinWorld(t)

let people = 0

/** Ids that no other person of this file has. */
function newPerson() {
  const number = String(++people).padStart(4, '0')
  return { phone: `1555070${number}`, bsuid: `US.707${number}` }
}

async function says({ number }: Tenant, from: Json): Promise<void> {
  t.equal((await callAsProvider(world, number, { messages: [from] })).status, 200)
}

const contactsOf = async ({ api }: Tenant): Promise<Json[]> => (await made(api('GET', 'contacts'))).data

const mergesOf = async ({ api }: Tenant, id: string): Promise<Json[]> =>
  (await made(api('GET', `contacts/${id}/merges`))).data

/** From now on the tenant's number calls no webhook, so that answers to sends are all that the provider tells. */
const withoutWebhook = ({ number: { phone_number_id } }: Tenant) =>
  made(world.control('PUT', 'numbers', { phone_number_id, webhook_url: null }))

/** A template reaches people who never wrote. */
async function reaches(tenant: Tenant, to: string): Promise<Json> {
  const sent = await made(tenant.send(to, { message: { type: 'text', body: 'Hello' } }))
  const { id } = sent
  return eventually('the provider took it', async () => {
    const message = await made(tenant.api('GET', `messages/${id}`))
    return message.status !== 'queued' && message
  })
}

/** The only contact of the tenant, once nothing is under way. */
const theOnly = (tenant: Tenant) =>
  eventually('one contact', async () => {
    const [first, ...rest] = await contactsOf(tenant)
    const merges = first && rest.length === 0 ? await mergesOf(tenant, first._id) : []
    return merges.length > 0 && merges.every(({ status }) => status === 'merged') && { contact: first!, merges }
  })

t.test('contacts whose ids an answer to a send names together are joined', async (t) => {
  for (const sends_to of ['phone', 'bsuid'] as const) {
    const tenant = await makeTenant(world)
    const { phone, bsuid } = newPerson()
    const known = await made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: phone }))
    await says(tenant, { from_user_id: bsuid, text: { body: 'From nowhere' } })
    t.equal((await contactsOf(tenant)).length, 2, 'nothing is proven yet')
    await withoutWebhook(tenant)
    await made(world.control('PUT', 'people', { phone: `+${phone}`, user_id: bsuid }))
    await reaches(tenant, sends_to === 'phone' ? `+${phone}` : bsuid)
    const { contact, merges } = await theOnly(tenant)
    t.match(contact, { _id: known._id, user_id: phone, phone: `+${phone}`, bsuid }, `by a send to the ${sends_to}`)
    t.match(merges, [{ reason: 'proof', contact_id: known._id }])
    const { data } = await made(tenant.api('GET', `messages?chat_user=${known._id}`))
    t.same(data.map(({ message }: Json) => message.body).sort(), ['From nowhere', 'Hello'])
    await says(tenant, { from_user_id: bsuid })
    t.equal((await contactsOf(tenant)).length, 1, 'and the id finds the one contact')
  }
})

t.test('a status with both ids joins their contacts, however often it comes', async (t) => {
  const tenant = await makeTenant(world)
  const { phone, bsuid } = newPerson()
  await withoutWebhook(tenant)
  const { id, provider_message_id, chat_user } = await reaches(tenant, `+${phone}`)
  await says(tenant, { from_user_id: bsuid })
  t.equal((await contactsOf(tenant)).length, 2)
  const status = {
    id: provider_message_id,
    biz_opaque_callback_data: id,
    recipient_id: phone,
    recipient_user_id: bsuid,
  }
  for (const word of ['sent', 'delivered', 'delivered', 'read']) {
    const reported = await callAsProvider(world, tenant.number, { statuses: [{ ...status, status: word }] })
    t.equal(reported.status, 200)
  }
  const { contact, merges } = await theOnly(tenant)
  t.match(contact, { _id: chat_user, user_id: phone, bsuid })
  t.equal(merges.length, 1)
})

t.test('a contact learns the other id, and with the number its customer', async (t) => {
  const tenant = await makeTenant(world)
  const [one, other] = [newPerson(), newPerson()]
  const customer = { company_id: tenant.company_id, full_name: 'Ana', phone: `+${one.phone}` }
  const { _id: customer_id } = await made(world.operator('POST', 'customers', customer))
  await withoutWebhook(tenant)
  for (const { phone, bsuid } of [one, other]) {
    await made(world.control('PUT', 'people', { phone: `+${phone}`, user_id: bsuid }))
  }
  await says(tenant, { from_user_id: one.bsuid })
  await reaches(tenant, one.bsuid)
  await reaches(tenant, `+${other.phone}`)
  const known = async (bsuid: string) => (await contactsOf(tenant)).find((contact) => contact.bsuid === bsuid)
  const learnt = await eventually('the number', async () => {
    const contact = await known(one.bsuid)
    return contact?.phone && contact
  })
  t.match(learnt, { user_id: one.phone, phone: `+${one.phone}`, customer_id })
  const second = await eventually('the id', () => known(other.bsuid))
  t.match(second, { user_id: other.phone })
  t.equal((await contactsOf(tenant)).length, 2)
})

t.test('ids that are not those of the recipient any more change nothing', async (t) => {
  const tenant = await makeTenant(world)
  const [before, after] = [newPerson(), newPerson()]
  await withoutWebhook(tenant)
  await says(tenant, { from: before.phone, from_user_id: before.bsuid })
  const { id, provider_message_id, chat_user } = await reaches(tenant, `+${before.phone}`)
  const system = { type: 'user_changed_number', wa_id: after.phone, user_id: after.bsuid, body: 'News' }
  await says(tenant, { from: before.phone, from_user_id: before.bsuid, type: 'system', system })
  await says(tenant, { from: before.phone, text: { body: 'The number is mine now' } })
  const status = {
    ...{ id: provider_message_id, biz_opaque_callback_data: id, status: 'delivered' },
    ...{ recipient_id: before.phone, recipient_user_id: before.bsuid },
  }
  t.equal((await callAsProvider(world, tenant.number, { statuses: [status] })).status, 200)
  const all = await contactsOf(tenant)
  t.match(
    all.find(({ _id }) => _id === chat_user),
    { user_id: after.phone, bsuid: after.bsuid },
  )
  t.match(
    all.find(({ user_id }) => user_id === before.phone),
    { bsuid: null },
    'the next person with the number does not get the id of the one before',
  )
})

t.test('a number that has changed hands joins nobody', async (t) => {
  const tenant = await makeTenant(world)
  const [former, present] = [newPerson(), newPerson()]
  await says(tenant, { from: former.phone, from_user_id: former.bsuid, text: { body: 'The former one' } })
  await says(tenant, { from_user_id: present.bsuid, text: { body: 'The present one' } })
  await says(tenant, { from: former.phone, from_user_id: present.bsuid, text: { body: 'From the number' } })
  await says(tenant, { from_user_id: present.bsuid, text: { body: 'Without it' } })
  const all = await contactsOf(tenant)
  t.same(all.map(({ bsuid }) => bsuid).sort(), [former.bsuid, present.bsuid])
  for (const { _id } of all) t.same(await mergesOf(tenant, _id), [])
})

t.test('the simulator takes people whose ids it can tell apart', async (t) => {
  const { phone, bsuid: user_id } = newPerson()
  const refused = async (person: Json) => (await world.control('PUT', 'people', person)).status
  t.equal(await refused({ phone: 'Ana', user_id }), 400)
  t.equal(await refused({ phone, user_id: '15550700001' }), 400)
  t.equal(await refused({ phone, user_id, name: 'Ana' }), 400)
  await made(world.control('PUT', 'people', { phone, user_id }))
  await made(world.control('PUT', 'people', { phone, user_id: `${user_id}9` }))
  const { data } = await made(world.control('GET', 'people'))
  t.match(
    data.filter(({ wa_id }: Json) => wa_id === phone),
    [{ user_id: `${user_id}9` }],
    'a number has one id',
  )
})

t.test('a contact that two messages of one call prove to be two others is joined with both', async (t) => {
  const tenant = await makeTenant(world)
  const { phone, bsuid } = newPerson()
  const parent = bsuid.replace('US.', 'US.ENT.')
  const known = await made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: phone }))
  for (const from_user_id of [bsuid, parent]) await says(tenant, { from_user_id })
  t.equal((await contactsOf(tenant)).length, 3)
  const messages = [bsuid, parent].map((from_user_id) => ({ from: phone, from_user_id }))
  t.equal((await callAsProvider(world, tenant.number, { messages })).status, 200)
  const { contact, merges } = await theOnly(tenant)
  t.equal(contact._id, known._id)
  t.equal(merges.length, 2)
})

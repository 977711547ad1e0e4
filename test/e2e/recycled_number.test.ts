/** A number that somebody else gets, without any news of it or with late ones, gives nobody the history of another person. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)
const { api, number, company_id } = tenant

let people = 0

/** A number, and the ids of two people who have it one after the other. */
function newNumber() {
  const end = String(++people).padStart(4, '0')
  return { phone: `1555081${end}`, other: `1555082${end}`, ana: `US.81${end}`, bob: `US.82${end}` }
}

async function calls(call: Parameters<typeof callAsProvider>[2]): Promise<void> {
  t.equal((await callAsProvider(world, number, call)).status, 200)
}
let second = 0
/** Each message is at least a second later than the one before, because WhatsApp tells whole seconds. */
function says(message: Json): Promise<void> {
  second = Math.max(second + 1, Math.floor(Date.now() / 1000))
  return calls({ messages: [{ timestamp: String(second), ...message }] })
}
const said = (body: string) => ({ text: { body } })
const ago = (hours: number) => ({ timestamp: String(Math.floor(Date.now() / 1000) - hours * 3600) })

/** The contact of this number or id. */
async function known(id: string): Promise<Json> {
  const { data } = await made(api('GET', 'contacts?limit=200'))
  return data.find(({ user_id }: Json) => user_id === id) ?? data.find(({ bsuid }: Json) => bsuid === id)
}

const textsOf = async ({ _id }: Json): Promise<string[]> => {
  const { data } = await made(api('GET', `messages?chat_user=${_id}&limit=100`))
  return data.flatMap(({ message }: Json) => message.body ?? []).reverse()
}

const goesTo = (phone: string, bsuid: string) =>
  eventually('the number goes over', async () => {
    const contact = await known(phone)
    return contact?.bsuid === bsuid && contact
  })

t.test('who gets a number is a new contact, and not the customer of the one before', async (t) => {
  const { phone, ana, bob } = newNumber()
  const customer = { company_id, full_name: 'Ana', phone: `+${phone}` }
  const { _id: customer_id } = await made(world.operator('POST', 'customers', customer))
  await says({ from: phone, from_user_id: ana, ...said('Ana') })
  const hers = await known(phone)
  t.equal(hers.customer_id, customer_id)
  await says({ from: phone, from_user_id: bob, ...said('Bob') })
  const his = await goesTo(phone, bob)
  t.match(his, { phone: `+${phone}`, customer_id: null })
  t.not(his._id, hers._id)
  t.match(await known(ana), { _id: hers._id, user_id: ana, phone: null, customer_id })
  await says({ from_user_id: bob, ...said('Bob again') })
  await says({ from_user_id: ana, ...said('Ana again') })
  t.same(await textsOf(his), ['Bob', 'Bob again'])
  t.same(await textsOf(hers), ['Ana', 'Ana again'])
  for (const { _id } of [his, hers]) t.same((await made(api('GET', `contacts/${_id}/merges`))).data, [])
})

t.test('a late message of the former person does not take the number back', async (t) => {
  const { phone, ana, bob } = newNumber()
  await says({ from: phone, from_user_id: ana, ...said('Ana'), ...ago(48) })
  const hers = await known(phone)
  await says({ from: phone, from_user_id: bob, ...said('Bob') })
  const his = await goesTo(phone, bob)
  await says({ from: phone, from_user_id: ana, ...said('Ana, late'), ...ago(24) })
  await says({ from: phone, from_user_id: bob, ...said('Bob again') })
  t.match(await known(phone), { _id: his._id, bsuid: bob })
  t.same(await textsOf(hers), ['Ana', 'Ana, late'])
  t.same(await textsOf(his), ['Bob', 'Bob again'])
})

t.test('a contact of all channels passes its number on, too', async (t) => {
  const { phone, ana, bob } = newNumber()
  const { _id } = await made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id: phone }))
  await says({ from: phone, from_user_id: ana, ...said('Ana') })
  await says({ from_user_id: bob, ...said('Bob, hidden') })
  await says({ from: phone, from_user_id: bob, ...said('Bob') })
  t.same(await textsOf(await goesTo(phone, bob)), ['Bob, hidden', 'Bob'])
  t.match(await known(ana), { _id, user_id: ana, phone: null })
})

t.test('late news of a change move nobody but the person whose number it was', async (t) => {
  const { phone, other, ana, bob } = newNumber()
  const news = (id: string) => ({
    ...{ from: phone, from_user_id: id, type: 'system', ...ago(2) },
    system: { type: 'user_changed_number', wa_id: other, user_id: `${ana}9`, body: 'News' },
  })
  await says({ from: phone, from_user_id: ana, ...said('Ana'), ...ago(3) })
  const hers = await known(phone)
  await says({ from: phone, from_user_id: bob, ...said('Bob') })
  const his = await goesTo(phone, bob)
  await says(news(ana))
  t.match(await known(other), { _id: hers._id, bsuid: `${ana}9` })
  t.match(await known(phone), { _id: his._id, bsuid: bob })
})

t.test('news that are told twice do not join the next person with the number', async (t) => {
  const { phone, other, ana } = newNumber()
  const news = {
    ...{ from: phone, from_user_id: ana, type: 'system' },
    system: { type: 'user_changed_number', wa_id: other, user_id: `${ana}9`, body: 'News' },
  }
  await says({ from: phone, from_user_id: ana, ...said('Ana') })
  const hers = await known(phone)
  await says(news)
  await says({ from: phone, ...said('Somebody') })
  const next = await known(phone)
  await says({ ...news, ...ago(2) })
  await says({ from: phone, ...said('Somebody again') })
  t.match(await known(phone), { _id: next._id })
  t.match(await known(other), { _id: hers._id })
  t.same(await textsOf(next), ['Somebody', 'Somebody again'])
  const { data } = await made(api('GET', `contacts/${hers._id}/merges`))
  t.same(data, [])
})

t.test('statuses and wishes about marketing concern the present person', async (t) => {
  const { phone, ana, bob } = newNumber()
  await says({ from: phone, from_user_id: ana, ...said('Ana') })
  const hers = await known(phone)
  const value = {
    contacts: [{ wa_id: phone, user_id: bob, profile: { name: 'Bob' } }],
    user_preferences: [{ wa_id: phone, user_id: bob, category: 'marketing_messages', value: 'stop', ...ago(0) }],
  }
  await calls({ field: 'user_preferences', value })
  t.match(await known(bob), { user_id: bob, phone: null, consent: { marketing: 'stopped' } })
  t.match(await known(phone), { _id: hers._id, consent: { marketing: 'unknown' } })
})

t.test('ids of two businesses tell nothing of who has the number', async (t) => {
  const { phone, ana, bob } = newNumber()
  const fields = {
    ...{ project_id: tenant.project_id, channel_type: 'whatsapp', provider: 'simulator', name: 'Of another business' },
    credentials: {
      ...{ phone_number_id: `81${process.pid}`, business_account_id: `82${process.pid}`, access_token: 'token' },
      ...{ app_secret: number.app_secret, verify_token: 'verify', api_base_url: world.simulator_url },
    },
  }
  const { _id: channel_id } = await made(world.operator('POST', 'channels', fields))
  const { phone_number_id, business_account_id } = fields.credentials
  const second = { ...number, channel_id, phone_number_id, business_account_id }
  const { _id } = await made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id: phone }))
  await says({ from: phone, from_user_id: ana, ...said('To one') })
  const messages = [{ from: phone, from_user_id: bob, ...said('To the other') }]
  t.equal((await callAsProvider(world, second, { messages })).status, 200)
  t.match(await known(phone), { _id, user_id: phone, bsuid: ana })
  t.same(await textsOf({ _id }), ['To one', 'To the other'])
})

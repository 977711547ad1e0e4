/** A person changes the number to one that already is a contact: of the same person, or of somebody who had it before. */
import t from 'tap'
import { eventually, type Json } from './client.ts'
import { joinWorld, made, makeTenant, type Tenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

const world = await joinWorld(t)
const tenant = await makeTenant(world)

let people = 0

/** Two numbers and two business-scoped ids: before and after a change. */
function newPerson() {
  const end = String(++people).padStart(4, '0')
  return { before: `1555071${end}`, after: `1555072${end}`, old_id: `US.71${end}`, new_id: `US.72${end}` }
}

type Person = ReturnType<typeof newPerson>

async function says(message: Json, { number }: Tenant = tenant): Promise<void> {
  t.equal((await callAsProvider(world, number, { messages: [message] })).status, 200)
}

const changes = ({ before, after, old_id, new_id }: Person, type = 'user_changed_number', more: Json = {}) => ({
  ...{ from: before, from_user_id: old_id, type: 'system' },
  system: { type, wa_id: after, user_id: new_id, previous_user_id: old_id, body: 'News', ...more },
})

/** The contact that is found by this number or id, not counting those that were merged into others. */
async function known(id: string): Promise<Json | undefined> {
  const { data } = await made(tenant.api('GET', 'contacts?limit=200'))
  return data.find(({ user_id, bsuid }: Json) => user_id === id || bsuid === id)
}

const textsOf = async ({ _id }: Json): Promise<string[]> => {
  const { data } = await made(tenant.api('GET', `messages?chat_user=${_id}&limit=100`))
  return data.flatMap(({ message }: Json) => message.body ?? []).filter((body: string) => body !== 'News')
}

const said = (body: string) => ({ text: { body } })

t.test('a person who wrote from the new number before the news is one contact, in every order', async (t) => {
  const orders = [
    ['number', 'id', 'news'],
    ['number', 'news', 'id'],
    ['id', 'number', 'news'],
    ['id', 'news', 'number'],
    ['news', 'number', 'id'],
    ['news', 'id', 'number'],
  ] as const
  for (const order of orders) {
    const person = newPerson()
    const { before, after, old_id, new_id } = person
    await says({ from: before, from_user_id: old_id, ...said('old') })
    const calls = {
      number: { from: after, from_user_id: new_id, ...said('number') },
      id: { from_user_id: new_id, ...said('id') },
      news: changes(person),
    }
    for (const call of order) await says(calls[call])
    await says(calls.news)
    const contact = await eventually(`one contact after ${order}`, async () => {
      const found = await known(after)
      return found && (await textsOf(found)).length === 3 && found
    })
    t.match(contact, { user_id: after, phone: `+${after}`, bsuid: new_id }, `after ${order}`)
    t.same((await textsOf(contact)).sort(), ['id', 'number', 'old'])
    await says({ from: before, ...said('somebody else') })
    const next = await known(before)
    t.not(next?._id, contact._id, 'the next person with the old number is another contact')
    t.same(await textsOf(next!), ['somebody else'])
    await says({ from_user_id: new_id, ...said('again') })
    t.equal((await textsOf(contact)).length, 4)
  }
})

t.test('somebody who had the number before keeps the own id, and the number goes over', async (t) => {
  const person = newPerson()
  const { before, after, old_id, new_id } = person
  const former_id = 'US.739999'
  await says({ from: after, from_user_id: former_id, ...said('I had it') })
  const former = await known(after)
  await says({ from: before, from_user_id: old_id, ...said('I get it') })
  const mine = await known(before)
  for (let n = 0; n < 2; n++) await says(changes(person))
  await eventually('the number goes over', async () => (await known(after))?._id === mine!._id)
  t.match(await known(new_id), { _id: mine!._id, user_id: after, phone: `+${after}` })
  t.match(await known(former_id), { _id: former!._id, user_id: former_id, phone: null })
  await says({ from: after, from_user_id: new_id, ...said('From the new number') })
  await says({ from_user_id: former_id, ...said('Still here') })
  t.same((await textsOf(mine!)).sort(), ['From the new number', 'I get it'])
  t.same((await textsOf(former!)).sort(), ['I had it', 'Still here'])
  const { data } = await made(tenant.api('GET', `contacts/${mine!._id}/merges`))
  t.same(data, [])
})

t.test('a contact of the new number of whom nobody knows who it is stays for itself', async (t) => {
  const person = newPerson()
  const { before, after, old_id, new_id } = person
  const theirs = await made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: after }))
  await says({ from: before, from_user_id: old_id, ...said('Mine') })
  const mine = await known(before)
  await says(changes(person))
  await eventually('the old number is given up', async () => (await known(old_id))?.user_id === old_id)
  t.match(await known(old_id), { _id: mine!._id, phone: null, bsuid: old_id })
  t.match(await known(after), { _id: theirs._id, phone: `+${after}` })
  await says({ from: after, from_user_id: new_id, ...said('Whose?') })
  await says({ from: before, ...said('somebody else') })
  t.same(await textsOf(theirs), ['Whose?'])
  t.same(await textsOf(mine!), ['Mine'])
  t.not((await known(before))!._id, mine!._id)
  const merge = await made(tenant.api('POST', `contacts/${theirs._id}/merge`, { from_contact_id: mine!._id }))
  t.match(merge, { contact_id: theirs._id }, 'an agent who knows may merge them')
})

t.test('without any business-scoped id both contacts stay as they are', async (t) => {
  const { before, after } = newPerson()
  const theirs = await made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: after }))
  const mine = await made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: before }))
  await says({ from: before, type: 'system', system: { type: 'user_changed_number', wa_id: after, body: 'News' } })
  await says({ from: after, ...said('From the number') })
  t.match(await known(before), { _id: mine._id, phone: `+${before}` })
  t.match(await known(after), { _id: theirs._id, phone: `+${after}` })
})

t.test('a new id without a number joins the contact that has it', async (t) => {
  const person = newPerson()
  const { before, old_id, new_id } = person
  await says({ from: before, from_user_id: old_id, ...said('old') })
  await says({ from_user_id: new_id, ...said('new') })
  const present = await known(new_id)
  await says(changes(person, 'user_changed_user_id', { wa_id: undefined }))
  await eventually('one contact', async () => (await textsOf(present!)).length === 2)
  t.equal(await known(old_id), undefined)
  await says({ from: before, ...said('somebody else') })
  t.same(await textsOf((await known(before))!), ['somebody else'])
})

t.test('news of a person who is unknown make one contact, of the new ids', async (t) => {
  const person = newPerson()
  const { before, after, new_id } = person
  for (let n = 0; n < 2; n++) await says(changes(person))
  t.match(await known(after), { user_id: after, phone: `+${after}`, bsuid: new_id })
  t.equal(await known(before), undefined)
})

t.test('news that bring a number besides are news all the same', async () => {
  const person = newPerson()
  const { before, after, old_id, new_id } = person
  await says({ from_user_id: old_id, ...said('old') })
  await says({ from: after, from_user_id: new_id, ...said('new') })
  await says(changes(person))
  const contact = (await known(after))!
  await eventually('one contact', async () => (await textsOf(contact)).length === 2)
  await says({ from: before, ...said('somebody else') })
  t.same(await textsOf((await known(before))!), ['somebody else'])
})

t.test('who writes from a number that another person had is another contact, with and without news', async (t) => {
  const person = newPerson()
  const { before, after, old_id, new_id } = person
  const next_id = 'US.739998'
  const [early, late] = [900, 300].map((ago) => ({ timestamp: String(Math.floor(Date.now() / 1000) - ago) }))
  await says({ from: before, from_user_id: old_id, ...said('old'), ...early })
  const mine = (await known(before))!
  await says({ from: before, from_user_id: next_id, ...said('next') })
  await eventually('the number goes over', async () => (await known(before))?.bsuid === next_id)
  const next = (await known(before))!
  t.match(next, { user_id: before, phone: `+${before}` })
  t.match(await known(old_id), { _id: mine._id, user_id: old_id, phone: null })
  await says({ from: before, from_user_id: old_id, ...said('came late'), ...late })
  await says(changes(person))
  await eventually('the news', async () => (await known(after))?._id === mine._id)
  t.match(await known(after), { _id: mine._id, user_id: after, bsuid: new_id })
  t.match(await known(before), { _id: next._id, user_id: before, bsuid: next_id }, 'the number stays')
  t.same((await textsOf(mine)).sort(), ['came late', 'old'])
  t.same(await textsOf(next), ['next'])
})

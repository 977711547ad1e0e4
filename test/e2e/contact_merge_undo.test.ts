/** A merge is undone: each contact has again what was its own, also in a chain of merges. */
import t from 'tap'
import { holdTable, plainQuery } from '../support/mod.ts'
import { eventually, type Json } from './client.ts'
import { answers, makePair, merge, newNumber, textsOf, undo, writes } from './contact_merge_client.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'

const world = await joinWorld(t)
const database_url = world.config.database_url!

t.test('an undo gives back what each contact had, and what came under its ids since', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const { mine, theirs, survivor, former } = await makePair(world, tenant)
  await made(api('PATCH', `contacts/${former._id}`, { name: 'Ana', custom_fields: { size: 'm' } }))
  await made(api('POST', 'crm/notes', { content: 'About the second', chat_user: former._id }))
  const shown = async (id: string) => {
    const { updated_at: _, last_seen_at: __, windows: ___, ...rest } = await made(api('GET', `contacts/${id}`))
    return rest
  }
  const before = [await shown(survivor._id), await shown(former._id)]
  const merged = await merge(tenant, survivor._id, former._id)
  await writes(world, tenant, theirs, 'While we were one')
  await writes(world, tenant, mine, 'Me too')
  await answers(tenant, theirs)
  t.match(await undo(tenant, merged), { status: 'undone' })
  t.same([await shown(survivor._id), await shown(former._id)], before)
  t.same(await textsOf(tenant, survivor._id), ['From the first', 'Me too'])
  t.same(await textsOf(tenant, former._id), ['From the second', 'While we were one', 'Our answer'])
  t.match((await made(api('GET', `crm/notes?chat_user=${former._id}`))).data, [{ chat_user: former._id }])
  t.same((await made(api('GET', `crm/notes?chat_user=${survivor._id}`))).data, [])
  for (const id of [survivor._id, former._id]) {
    const { data } = await made(api('GET', `crm/tickets?chat_user=${id}`))
    t.match(data, [{ is_closed: false }], 'each has its open ticket again')
  }
  await writes(world, tenant, theirs, 'Back')
  t.equal((await textsOf(tenant, former._id)).at(-1), 'Back')
  const again = await made(api('POST', `contacts/${merged.contact_id}/merges/${merged._id}/undo`))
  t.match(again, { status: 'undone' }, 'a repeat changes nothing')
})

t.test('merges of merged contacts form one contact, and come apart in any order', async (t) => {
  for (const last_first of [true, false]) {
    const tenant = await makeTenant(world)
    const one = await makePair(world, tenant)
    const two = await makePair(world, tenant)
    const [a, b, c] = [one.survivor, one.former, two.survivor]
    const inner = await merge(tenant, a._id, b._id)
    const outer = await merge(tenant, c._id, b._id)
    t.match(outer, { contact_id: c._id, from_contact_id: a._id }, 'the id of a part names the whole')
    await writes(world, tenant, one.theirs, 'From the part')
    t.same(await textsOf(tenant, c._id), ['From the first', 'From the second', 'From the first', 'From the part'])
    for (const merged of last_first ? [outer, inner] : [inner, outer]) await undo(tenant, merged)
    t.same(await textsOf(tenant, a._id), ['From the first'])
    t.same(await textsOf(tenant, b._id), ['From the second', 'From the part'])
    t.same(await textsOf(tenant, c._id), ['From the first'])
  }
})

t.test('a ticket that the person opens in the turn of the merge comes back with the undo', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const { mine, theirs, survivor, former } = await makePair(world, tenant)
  const ticketsOf = async (id: string) => (await made(api('GET', `crm/tickets?chat_user=${id}`))).data as Json[]
  for (const { _id } of await ticketsOf(former._id)) await made(api('PATCH', `crm/tickets/${_id}`, { is_closed: true }))
  const release = await holdTable(t, database_url, 'contact')
  const first = writes(world, tenant, mine, 'Another turn is under way')
  await eventually('its commit waits', async () => {
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    return (await plainQuery(database_url, waiting)).length > 0
  })
  const late = writes(world, tenant, theirs, 'Late')
  // Both are in the mailbox by then, as a rule in this order and in one turn.
  await new Promise((resolve) => setTimeout(resolve, 150))
  const merging = merge(tenant, survivor._id, former._id)
  await new Promise((resolve) => setTimeout(resolve, 150))
  await release()
  const [merged] = await Promise.all([merging, late, first])
  // A message that comes after the merge is one of the survivor's ticket, and there is nothing to prove.
  const was_opened = (await ticketsOf(survivor._id)).length === 3
  await undo(tenant, merged)
  t.same(
    (await ticketsOf(former._id)).map(({ is_closed }) => is_closed).sort(),
    was_opened ? [false, true] : [true],
    'the closed one and the one that was opened',
  )
})

t.test('contacts of a chain are separated in any order, and each has what it had', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const person = (fields: Json) =>
    made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id: newNumber(), ...fields }))
  const { company_id } = tenant
  const customer = await made(world.operator('POST', 'customers', { company_id, full_name: 'Bea' }))
  const own = { name: 'Bea', custom_fields: { plan: 'gold' } }
  const names = { last: 'last', middle: 'middle', first: 'first' } as const
  for (const order of [
    [0, 1],
    [1, 0],
  ]) {
    const first = await person(own)
    const people = { first, middle: await person({}), last: await person({ ...own, custom_fields: { plan: 'gold' } }) }
    const patch = { customer_id: customer._id, consent: { marketing: 'granted' } }
    await made(api('PATCH', `contacts/${first._id}`, patch))
    const shown = async () => {
      const all: Json = {}
      for (const key of Object.values(names)) {
        const { _id, name, customer_id, custom_fields, consent } = await made(api('GET', `contacts/${people[key]._id}`))
        all[key] = { _id, name, customer_id, custom_fields, marketing: consent.marketing }
      }
      return all
    }
    const before = await shown()
    const merged = [
      await merge(tenant, people.middle._id, first._id),
      await merge(tenant, people.last._id, people.middle._id),
    ]
    const { last } = await shown()
    t.match(last, { name: 'Bea', customer_id: customer._id, marketing: 'granted' })
    for (const at of order) await undo(tenant, merged[at]!)
    t.same(await shown(), before, `separated in the order ${order}`)
  }
})

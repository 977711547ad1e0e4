/** Changes of a person that messages bring: `crm.contact.updated` tells each once, and only when it is new. */
import t, { type Test } from 'tap'
import { type Answer, eventually, type Json } from './client.ts'
import { bodyProblems } from './event_schemas.ts'
import { joinWorld, made, makeSister, makeTenant, type Tenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

const world = await joinWorld(t)

let calls = 0

type Said = { from?: string; from_user_id?: string; name?: string; message?: Json }

/** Calls the provider's webhook. `from` is the number, in digits, of a person who shows it. */
function says({ number }: Tenant, { from, from_user_id, name, message = {} }: Said): Promise<Answer> {
  const said = { id: `wamid.change.${++calls}`, from, from_user_id, ...message }
  const contacts = name === undefined ? [] : [{ wa_id: from, user_id: from_user_id, profile: { name } }]
  return callAsProvider(world, number, { messages: [said], contacts })
}

const moved = (to: Json) => ({ type: 'system', system: { body: 'News', type: 'user_changed_number', ...to } })

/** Listens to a tenant's contacts, and returns the events so far, the oldest first. */
async function listen(tenant: Tenant) {
  const path = `contacts of ${tenant.project_id}`.replaceAll(' ', '-')
  const hook = await tenant.subscribe(path, ['crm.contact.created', 'crm.contact.updated'], { concurrency: 1 })
  return {
    /** Resolves to all events as soon as there are `count`. */
    told: async (count: number): Promise<Json[]> => {
      const all = await eventually(`${count} events`, async () => {
        const done = await tenant.deliveries(hook.id, '&status=success')
        return done.length >= count && world.sink.calls(path)
      })
      // A receiver that is slow to answer gets a delivery again.
      const events = new Map(all.map(({ body }) => [body.id, body]))
      return [...events.values()].sort((one, other) => (one.id < other.id ? -1 : 1))
    },
    count: async () => (await tenant.deliveries(hook.id)).length,
  }
}

const contactsOf = async ({ api }: Tenant): Promise<Json[]> => (await made(api('GET', 'contacts'))).data

/** Checks that each event is the contact as it was then. So the last one is the contact as it is now. */
async function isTold(t: Test, tenant: Tenant, events: Json[]): Promise<void> {
  for (const event of events) t.same(bodyProblems(event), [])
  const { data } = events.at(-1)!
  const present = await made(tenant.api('GET', `contacts/${data._id}`))
  for (const event of events) t.same(Object.keys(event.data).sort(), Object.keys(present).sort())
  const { windows: _, last_seen_at, updated_at, ...contact } = present
  t.match(data, contact)
}

t.test('a name that a message brings is told once', async (t) => {
  const tenant = await makeTenant(world)
  const { told, count } = await listen(tenant)
  const from = '15550210001'
  const { _id } = await made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: from }))
  for (const name of [undefined, 'Ana', 'Ana', 'Eva', undefined]) {
    t.equal((await says(tenant, { from, name })).status, 200)
  }
  const events = await told(2)
  t.match(events[1], { type: 'crm.contact.updated', data: { _id, name: 'Ana' } })
  t.same(events[0].data.windows, [], 'nobody has written yet')
  t.match(events[1].data.windows, [{ channel_id: tenant.number.channel_id, is_open: true }])
  await isTold(t, tenant, events)
  t.equal(await count(), 2, 'nothing for the other messages')
})

t.test('a new person is told as created alone', async (t) => {
  const tenant = await makeTenant(world)
  const { told, count } = await listen(tenant)
  for (let n = 0; n < 3; n++) await says(tenant, { from: '15550210002', from_user_id: 'US.2', name: 'Ana' })
  await tenant.send('+15550210002')
  const windows = [{ channel_id: tenant.number.channel_id, is_open: true }]
  t.match(await told(1), [{ type: 'crm.contact.created', data: { name: 'Ana', bsuid: 'US.2', windows } }])
  t.equal(await count(), 1)
})

t.test('a number that is shown brings phone, customer and user_id in one event', async (t) => {
  const tenant = await makeTenant(world)
  const [from, from_user_id] = ['15550210003', 'US.3']
  const customer = { company_id: tenant.company_id, full_name: 'Ana', phone: `+${from}` }
  const { _id: customer_id } = await made(world.operator('POST', 'customers', customer))
  const { told, count } = await listen(tenant)
  await says(tenant, { from_user_id })
  for (let n = 0; n < 2; n++) await says(tenant, { from, from_user_id, name: 'Ana' })
  const events = await told(2)
  t.match(events[0].data, { user_id: from_user_id, phone: null, name: null, customer_id: null })
  t.match(events[1], {
    type: 'crm.contact.updated',
    data: { user_id: from, phone: `+${from}`, name: 'Ana', customer_id },
  })
  await isTold(t, tenant, events)
  t.equal(await count(), 2)
})

t.test('an id that comes beside the number is told', async (t) => {
  const tenant = await makeTenant(world)
  const { told, count } = await listen(tenant)
  await says(tenant, { from: '15550210004', name: 'Ana' })
  for (let n = 0; n < 2; n++) await says(tenant, { from: '15550210004', from_user_id: 'US.4', name: 'Ana' })
  const events = await told(2)
  t.match(events[1].data, { bsuid: 'US.4', user_id: '15550210004' })
  t.equal(await count(), 2)
})

t.test('a change of number is one event with all its changes, and no event when nothing is new', async (t) => {
  const tenant = await makeTenant(world)
  const { told, count } = await listen(tenant)
  const [before, after] = ['15550210005', '15550210006']
  await made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: before }))
  await says(tenant, { from: before, name: 'Ana', message: moved({ wa_id: after }) })
  const events = await told(2)
  t.match(events[1], { type: 'crm.contact.updated', data: { user_id: after, phone: `+${after}`, name: 'Ana' } })
  await says(tenant, { from: after, message: moved({ wa_id: after }) })
  await says(tenant, { from: after, name: 'Ana' })
  t.equal((await contactsOf(tenant)).length, 1, 'still one contact')
  t.equal(await count(), 2)
  await isTold(t, tenant, events)
})

t.test('a change to a number that a sibling project already has as a contact leaves that contact alone', async (t) => {
  const tenant = await makeTenant(world)
  const sister = await makeSister(world, tenant)
  const [before, after, bsuid] = ['15550210007', '15550210008', 'US.8']
  const theirs = await made(sister.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: after }))
  const ours = await made(tenant.api('POST', 'contacts', { channel_type: 'whatsapp', user_id: before }))
  t.equal((await says(tenant, { from: before, message: moved({ wa_id: after }) })).status, 200)
  t.match(await contactsOf(tenant), [{ _id: ours._id, user_id: before }], 'our contact keeps its user_id')
  t.equal((await says(tenant, { from: after, name: 'Ana' })).status, 200)
  const [channels] = await contactsOf(tenant)
  t.match(
    channels,
    { user_id: after, channel_id: tenant.number.channel_id, name: 'Ana' },
    'and the channel has its own',
  )
  t.match(
    await contactsOf(sister),
    [{ _id: theirs._id, name: null, windows: [] }],
    "the sibling's contact keeps its name and windows",
  )
  // The same holds for an id without a number.
  const becomes = { type: 'system', system: { body: 'News', type: 'user_changed_user_id', user_id: bsuid } }
  for (const [one, from, from_user_id] of [
    [sister, after, 'US.81'],
    [tenant, before, 'US.82'],
  ] as const) {
    await says(one, { from, from_user_id })
    t.equal((await says(one, { from_user_id, message: becomes })).status, 200)
  }
  t.match(await contactsOf(sister), [{ _id: theirs._id, user_id: bsuid }])
  const same = (await contactsOf(tenant)).find(({ _id }) => _id === ours._id)
  t.match(same, { user_id: before, bsuid: 'US.82' }, 'our contact keeps its user_id')
  t.equal((await says(tenant, { from_user_id: bsuid })).status, 200, 'a message under the new id is accepted')
  t.equal((await contactsOf(tenant)).length, 3)
})

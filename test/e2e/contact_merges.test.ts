/** Two contacts that are one person become one contact, and may be separated again. */
import t, { type Test } from 'tap'
import { holdTable, plainQuery } from '../support/mod.ts'
import { type Answer, eventually, type Json } from './client.ts'
import { bodyProblems } from './event_schemas.ts'
import { joinWorld, made, makeTenant, type Tenant, text } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

const world = await joinWorld(t)
const database_url = world.config.database_url!

let calls = 0

/** A person writes from this number. */
async function writes({ number }: Tenant, from: string, body = 'Hello', more: Json = {}): Promise<void> {
  const id = `wamid.merge.${++calls}`
  const said = { id, from, timestamp: String(Math.floor(Date.now() / 1000)), type: 'text', text: { body }, ...more }
  const answer = await callAsProvider(world, number, { messages: [said], contacts: [] })
  if (answer.status !== 200) throw new Error(`the webhook answered ${answer.status}`)
}

const answers = ({ api }: Tenant, to: string) =>
  made(api('POST', 'messages', { channel: 'whatsapp', to: `+${to}`, message: text('Our answer') }))

let numbers = 15_550_400_000

/** Two contacts, each of whom wrote, with an open ticket each. */
async function makePair(tenant: Tenant) {
  const [mine, theirs] = [String(++numbers), String(++numbers)]
  await writes(tenant, mine, 'From the first')
  await writes(tenant, theirs, 'From the second')
  const contactOf = async (user_id: string) => {
    const { data } = await made(tenant.api('GET', `contacts?search=${user_id}`))
    return data[0]
  }
  return { mine, theirs, survivor: await contactOf(mine), former: await contactOf(theirs) }
}

async function settled({ api }: Tenant, merge: Json): Promise<Json> {
  return eventually('the merge has ended', async () => {
    const { data } = await made(api('GET', `contacts/${merge.contact_id}/merges`))
    const found = data.find(({ _id }: Json) => _id === merge._id)
    return found && (found.status === 'merged' || found.status === 'undone') && found
  })
}

async function merge(tenant: Tenant, into: string, from_contact_id: string): Promise<Json> {
  const begun = await made(tenant.api('POST', `contacts/${into}/merge`, { from_contact_id }))
  return settled(tenant, begun)
}

async function undo(tenant: Tenant, { _id, contact_id }: Json): Promise<Json> {
  return settled(tenant, await made(tenant.api('POST', `contacts/${contact_id}/merges/${_id}/undo`)))
}

/** Texts of a contact's messages, the oldest first. */
async function textsOf({ api }: Tenant, chat_user: string): Promise<string[]> {
  const { data } = await made(api('GET', `messages?chat_user=${chat_user}&limit=100`))
  return data.map(({ message }: Json) => message.body).reverse()
}

t.test('a merged contact gives all that it has to the one that stays, and its id finds that one', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const { survivor, former } = await makePair(tenant)
  await made(api('PATCH', `contacts/${former._id}`, { name: 'Ana', custom_fields: { plan: 'gold', size: 'm' } }))
  await made(api('PATCH', `contacts/${survivor._id}`, { custom_fields: { plan: 'silver' } }))
  await made(api('POST', 'crm/notes', { content: 'About the second', chat_user: former._id }))
  const merged = await merge(tenant, survivor._id, former._id)
  t.match(merged, {
    contact_id: survivor._id,
    from_contact_id: former._id,
    status: 'merged',
    reason: 'request',
    undone_at: null,
    from_contact: { user_id: former.user_id, phone: former.phone },
  })
  for (const id of [survivor._id, former._id]) {
    const contact = await made(api('GET', `contacts/${id}`))
    t.match(contact, { _id: survivor._id, name: 'Ana', custom_fields: { plan: 'silver', size: 'm' } })
    t.same(await textsOf(tenant, id), ['From the first', 'From the second'])
    const notes = await made(api('GET', `crm/notes?chat_user=${id}`))
    t.match(notes.data, [{ content: 'About the second', chat_user: survivor._id }])
    const tickets = await made(api('GET', `crm/tickets?chat_user=${id}`))
    t.equal(tickets.data.length, 2)
    t.match(
      tickets.data.filter(({ is_closed }: Json) => !is_closed),
      [{ chat_user: survivor._id, unread_count: 2 }],
      'one of two open tickets stays open, and what was unread waits in it',
    )
    const found = await made(api('GET', `crm/events?chat_user=${id}`))
    t.equal(found.data.filter(({ event_type }: Json) => event_type === 'ticket.created').length, 2)
  }
  for (const query of ['', `?search=${former.user_id}`, `?phone=%2B${former.user_id}`]) {
    const { data } = await made(api('GET', `contacts${query}`))
    t.same(
      data.map(({ _id }: Json) => _id),
      [survivor._id],
      `there is one contact in the list${query}`,
    )
  }
})

t.test('a person who writes under merged ids is the contact that stays, and is answered there', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const { mine, theirs, survivor, former } = await makePair(tenant)
  await merge(tenant, survivor._id, former._id)
  const contact = () => made(api('GET', `contacts/${survivor._id}`))
  t.equal((await contact()).send_to, `+${theirs}`, 'the other one wrote last')
  await writes(tenant, mine, 'Me again')
  t.equal((await contact()).send_to, `+${mine}`)
  await writes(tenant, theirs, 'And from here')
  t.equal((await contact()).send_to, `+${theirs}`)
  t.match((await contact()).windows, [{ channel_id: tenant.number.channel_id, is_open: true }])
  const sent = await answers(tenant, theirs)
  t.match(sent, { chat_user: survivor._id, to: `+${theirs}`, warnings: [] })
  t.same(await textsOf(tenant, survivor._id), [
    'From the first',
    'From the second',
    'Me again',
    'And from here',
    'Our answer',
  ])
  t.equal((await made(api('GET', 'contacts'))).data.length, 1)
  const changed = await made(api('PATCH', `contacts/${former._id}`, { name: 'Eva' }))
  t.match(changed, { _id: survivor._id, name: 'Eva' }, 'a change by the former id changes the contact')
  const note = await made(api('POST', 'crm/notes', { content: 'Noted', chat_user: former._id }))
  t.equal(note.chat_user, survivor._id)
})

t.test('an undo gives back what each contact had, and what came under its ids since', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const { mine, theirs, survivor, former } = await makePair(tenant)
  await made(api('PATCH', `contacts/${former._id}`, { name: 'Ana', custom_fields: { size: 'm' } }))
  await made(api('POST', 'crm/notes', { content: 'About the second', chat_user: former._id }))
  const shown = async (id: string) => {
    const { updated_at: _, last_seen_at: __, windows: ___, ...rest } = await made(api('GET', `contacts/${id}`))
    return rest
  }
  const before = [await shown(survivor._id), await shown(former._id)]
  const merged = await merge(tenant, survivor._id, former._id)
  await writes(tenant, theirs, 'While we were one')
  await writes(tenant, mine, 'Me too')
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
  await writes(tenant, theirs, 'Back')
  t.equal((await textsOf(tenant, former._id)).at(-1), 'Back')
  const again = await made(api('POST', `contacts/${merged.contact_id}/merges/${merged._id}/undo`))
  t.match(again, { status: 'undone' }, 'a repeat changes nothing')
})

t.test('merges of merged contacts form one contact, and come apart in any order', async (t) => {
  for (const last_first of [true, false]) {
    const tenant = await makeTenant(world)
    const one = await makePair(tenant)
    const two = await makePair(tenant)
    const [a, b, c] = [one.survivor, one.former, two.survivor]
    const inner = await merge(tenant, a._id, b._id)
    const outer = await merge(tenant, c._id, b._id)
    t.match(outer, { contact_id: c._id, from_contact_id: a._id }, 'the id of a part names the whole')
    await writes(tenant, one.theirs, 'From the part')
    t.same(await textsOf(tenant, c._id), ['From the first', 'From the second', 'From the first', 'From the part'])
    for (const merged of last_first ? [outer, inner] : [inner, outer]) await undo(tenant, merged)
    t.same(await textsOf(tenant, a._id), ['From the first'])
    t.same(await textsOf(tenant, b._id), ['From the second', 'From the part'])
    t.same(await textsOf(tenant, c._id), ['From the first'])
  }
})

t.test('what cannot be one contact is refused, and nothing changes', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const { survivor, former } = await makePair(tenant)
  const customers = await Promise.all(
    ['Ana', 'Eva'].map((full_name) =>
      made(world.operator('POST', 'customers', { company_id: tenant.company_id, full_name })),
    ),
  )
  const mail = await made(api('POST', 'contacts', { channel_type: 'email', user_id: 'ana@example.com' }))
  const ask = (into: string, from_contact_id: string) => api('POST', `contacts/${into}/merge`, { from_contact_id })
  const is = (answer: Answer, status: number, code: string, details?: Json) =>
    t.match(answer, { status, body: { error: { code, ...(details && { details }) } } })
  is(await ask(survivor._id, survivor._id), 409, 'CONTACTS_ALREADY_MERGED', { contact_id: survivor._id })
  is(await ask('0'.repeat(24), survivor._id), 404, 'NOT_FOUND')
  is(await ask(survivor._id, '0'.repeat(24)), 422, 'NO_CONTACT', { from_contact_id: '0'.repeat(24) })
  is(await ask(survivor._id, mail._id), 422, 'CONTACTS_OF_DIFFERENT_CHANNELS')
  for (const [at, { _id }] of [survivor, former].entries()) {
    await made(api('PATCH', `contacts/${_id}`, { customer_id: customers[at]!._id }))
  }
  is(await ask(survivor._id, former._id), 422, 'CONTACTS_OF_DIFFERENT_CUSTOMERS')
  t.same((await made(api('GET', `contacts/${survivor._id}/merges`))).data, [])
  await made(api('PATCH', `contacts/${survivor._id}`, { customer_id: null }))
  const merged = await merge(tenant, survivor._id, former._id)
  t.equal((await made(api('GET', `contacts/${former._id}`))).customer_id, customers[1]!._id)
  is(await ask(former._id, survivor._id), 409, 'CONTACTS_ALREADY_MERGED', { contact_id: survivor._id })
  is(await api('POST', `contacts/${mail._id}/merges/${merged._id}/undo`), 404, 'NOT_FOUND')
  await undo(tenant, merged)
  t.equal((await made(api('GET', `contacts/${former._id}`))).customer_id, customers[1]!._id)
  t.equal((await made(api('GET', `contacts/${survivor._id}`))).customer_id, null)
})

t.test('a merge under way, one that is too old and one that is too large are refused', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const { survivor, former } = await makePair(tenant)
  const { _id: other } = await made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id: String(++numbers) }))
  const merged = await merge(tenant, survivor._id, former._id)
  const undoing = () => api('POST', `contacts/${survivor._id}/merges/${merged._id}/undo`)
  const merging = () => api('POST', `contacts/${other}/merge`, { from_contact_id: former._id })
  const set = (column: string) =>
    plainQuery(database_url, `update contact_merge set ${column} where _id = '${merged._id}'`)
  await set(`status = 'merging'`)
  for (const ask of [undoing, merging]) {
    const running = { code: 'CONTACT_MERGE_RUNNING', details: { merge_id: merged._id } }
    t.match(await ask(), { status: 409, body: { error: running } })
  }
  await set(`status = 'merged', undo_until = now()`)
  t.match(await undoing(), { status: 409, body: { error: { code: 'CONTACT_MERGE_FINAL' } } })
  for (const [_id, field] of [
    [other, 'one'],
    [survivor._id, 'two'],
  ]) {
    await made(api('PATCH', `contacts/${_id}`, { custom_fields: { [field]: 'x'.repeat(20_000) } }))
  }
  t.match(await merging(), { status: 422, body: { error: { code: 'CONTACT_MERGE_TOO_LARGE' } } })
  t.equal((await made(api('GET', `contacts/${other}`)))._id, other)
})

t.test('a contact takes in no more others than a turn can hold', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const person = () => made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id: String(++numbers) }))
  const { _id } = await person()
  for (let n = 1; n < 20; n++) await merge(tenant, _id, (await person())._id)
  const from_contact_id = (await person())._id
  const details = { most: 20 }
  t.match(await api('POST', `contacts/${_id}/merge`, { from_contact_id }), {
    status: 422,
    body: { error: { code: 'CONTACT_MERGE_TOO_LARGE', details } },
  })
})

t.test('a wish to get no marketing outlives the merge and its undo', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const { theirs, survivor, former } = await makePair(tenant)
  const marketing = async (id: string) => (await made(api('GET', `contacts/${id}`))).consent.marketing
  await made(api('PATCH', `contacts/${survivor._id}`, { consent: { marketing: 'granted' } }))
  await made(api('PATCH', `contacts/${former._id}`, { consent: { marketing: 'stopped' } }))
  const merged = await merge(tenant, survivor._id, former._id)
  t.equal(await marketing(survivor._id), 'stopped', 'the stricter wish counts')
  await undo(tenant, merged)
  t.equal(await marketing(survivor._id), 'granted')
  t.equal(await marketing(former._id), 'stopped')
  await made(api('PATCH', `contacts/${former._id}`, { consent: { marketing: 'granted' } }))
  const again = await merge(tenant, survivor._id, former._id)
  await writes(tenant, theirs, 'STOP', { timestamp: String(Math.ceil(Date.now() / 1000) + 2) })
  t.equal(await marketing(survivor._id), 'stopped')
  await undo(tenant, again)
  t.equal(await marketing(former._id), 'stopped', 'a wish that was uttered meanwhile stays')
})

t.test('subscribers hear of a merge and of its undo when all is done', async (t) => {
  const tenant = await makeTenant(world)
  const path = `merges-of-${tenant.project_id}`
  await tenant.subscribe(path, ['crm.contact.merged', 'crm.contact.unmerged'], { concurrency: 1 })
  const { survivor, former } = await makePair(tenant)
  const merged = await merge(tenant, survivor._id, former._id)
  await undo(tenant, merged)
  const told = await eventually('two events', async () => {
    const events = world.sink.events(path)
    return events.length >= 2 && events
  })
  for (const body of told) t.same(bodyProblems(body), [])
  t.match(told, [
    { type: 'crm.contact.merged', data: { _id: merged._id, status: 'merged', contact_id: survivor._id } },
    { type: 'crm.contact.unmerged', data: { _id: merged._id, status: 'undone', from_contact_id: former._id } },
  ])
})

t.test('a contact with more records than a turn moves is whole after the merge and after the undo', async (t: Test) => {
  const tenant = await makeTenant(world)
  const { survivor, former } = await makePair(tenant)
  const database = (statement: string) => plainQuery(database_url, statement)
  await database(`insert into message (id, company_id, project_id, channel, channel_id, direction, "from", chat_user, type,
      message, status, confirmed, created_at, updated_at)
    select 'msg_' || lpad(to_hex(n), 24, '0'), company_id, project_id, channel, channel_id, direction, "from", chat_user, type,
      json_build_object('type', 'text', 'body', n::text), status, confirmed, created_at, updated_at
    from message cross join generate_series(1, 1234) n where chat_user = '${former._id}'`)
  const count = async (id: string) =>
    Number((await database(`select count(*) as n from message where chat_user = '${id}'`))[0]!.n)
  const merged = await merge(tenant, survivor._id, former._id)
  t.equal(await count(survivor._id), 1236)
  t.equal(await count(former._id), 0)
  await undo(tenant, merged)
  t.equal(await count(survivor._id), 1)
  t.equal(await count(former._id), 1235)
})

t.test('a message that proves two contacts to be one person merges them, unless somebody separated them', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const say = (ids: Json, body: string) =>
    callAsProvider(world, tenant.number, {
      messages: [{ id: `wamid.proof.${++calls}`, type: 'text', text: { body }, ...ids }],
      contacts: [],
    })
  const merges = async (id: string): Promise<Json[]> => (await made(api('GET', `contacts/${id}/merges`))).data
  /** A person who has written by id and by number, and then with both: the merge, and the ids. */
  const makeProven = async () => {
    const [from, from_user_id] = [String(++numbers), `US.${++numbers}`]
    await say({ from_user_id }, 'By id')
    await say({ from }, 'By number')
    const [survivor, former] = (await made(api('GET', 'contacts'))).data
    t.match([survivor, former], [{ user_id: from }, { user_id: from_user_id, phone: null }])
    await say({ from, from_user_id }, 'By both')
    const proven = await eventually('the contacts are merged', async () =>
      (await merges(survivor._id)).find(({ status }) => status === 'merged'),
    )
    t.match(proven, { contact_id: survivor._id, from_contact_id: former._id, reason: 'proof', created_by: null })
    return { from, from_user_id, survivor, former, proven }
  }
  const { from, from_user_id, survivor, former, proven } = await makeProven()
  t.same(await textsOf(tenant, survivor._id), ['By id', 'By number', 'By both'])
  await say({ from_user_id }, 'By id again')
  t.same(await textsOf(tenant, survivor._id), ['By id', 'By number', 'By both', 'By id again'])
  await undo(tenant, proven)
  await say({ from_user_id }, 'By id, separated')
  await say({ from, from_user_id }, 'By both again')
  t.same(await textsOf(tenant, former._id), ['By id', 'By id again', 'By id, separated'])
  t.same(await textsOf(tenant, survivor._id), ['By number', 'By both', 'By both again'])
  // What a later message proves comes after what an earlier one does.
  await makeProven()
  t.equal((await merges(survivor._id)).length, 1, 'they stay separated')
})

t.test('an erasure of a contact erases what was merged into it, by whichever id it is asked for', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const { theirs, survivor, former } = await makePair(tenant)
  const merged = await merge(tenant, survivor._id, former._id)
  await writes(tenant, theirs, 'While we were one')
  const order = { kind: 'contact', id: former._id, confirm: true }
  const { _id } = await made(world.operator('POST', 'erasures', order))
  await eventually('the erasure has ended', async () => {
    const { body } = await world.operator('GET', `erasures/${_id}`)
    return body.status === 'done'
  })
  for (const id of [survivor._id, former._id]) {
    t.equal((await api('GET', `contacts/${id}`)).status, 404)
    t.same(await textsOf(tenant, id), [])
  }
  t.equal((await api('POST', `contacts/${survivor._id}/merges/${merged._id}/undo`)).status, 404)
  for (const table of ['contact_merge', 'merged_record', 'contact', 'message', 'ticket']) {
    const left = await plainQuery(database_url, `select 1 from ${table} where project_id = '${tenant.project_id}'`)
    t.equal(left.length, 0, table)
  }
  await writes(tenant, theirs, 'New here')
  const { data } = await made(api('GET', 'contacts'))
  t.match(data, [{ user_id: theirs }], 'the person is a new contact')
  t.not(data[0]._id, former._id)
})

t.test('a ticket that the person opens in the turn of the merge comes back with the undo', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const { mine, theirs, survivor, former } = await makePair(tenant)
  const ticketsOf = async (id: string) => (await made(api('GET', `crm/tickets?chat_user=${id}`))).data as Json[]
  for (const { _id } of await ticketsOf(former._id)) await made(api('PATCH', `crm/tickets/${_id}`, { is_closed: true }))
  const release = await holdTable(t, database_url, 'contact')
  const first = writes(tenant, mine, 'Another turn is under way')
  await eventually('its commit waits', async () => {
    const waiting = `select 1 from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`
    return (await plainQuery(database_url, waiting)).length > 0
  })
  const late = writes(tenant, theirs, 'Late')
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
    made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id: String(++numbers), ...fields }))
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

/** Two contacts that are one person become one contact. */
import t, { type Test } from 'tap'
import { plainQuery } from '../support/mod.ts'
import { type Answer, eventually, type Json } from './client.ts'
import { answers, makePair, merge, newNumber, textsOf, undo, writes } from './contact_merge_client.ts'
import { bodyProblems } from './event_schemas.ts'
import { joinWorld, made, makeTenant } from './fixture.ts'
import { callAsProvider } from './provider_call.ts'

const world = await joinWorld(t)
const database_url = world.config.database_url!

t.test('a merged contact gives all that it has to the one that stays, and its id finds that one', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const { survivor, former } = await makePair(world, tenant)
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
  const { mine, theirs, survivor, former } = await makePair(world, tenant)
  await merge(tenant, survivor._id, former._id)
  const contact = () => made(api('GET', `contacts/${survivor._id}`))
  t.equal((await contact()).send_to, `+${theirs}`, 'the other one wrote last')
  await writes(world, tenant, mine, 'Me again')
  t.equal((await contact()).send_to, `+${mine}`)
  await writes(world, tenant, theirs, 'And from here')
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

t.test('what cannot be one contact is refused, and nothing changes', async (t) => {
  const tenant = await makeTenant(world)
  const { api } = tenant
  const { survivor, former } = await makePair(world, tenant)
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
  const { survivor, former } = await makePair(world, tenant)
  const { _id: other } = await made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id: newNumber() }))
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
  const person = () => made(api('POST', 'contacts', { channel_type: 'whatsapp', user_id: newNumber() }))
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
  const { theirs, survivor, former } = await makePair(world, tenant)
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
  await writes(world, tenant, theirs, 'STOP', { timestamp: String(Math.ceil(Date.now() / 1000) + 2) })
  t.equal(await marketing(survivor._id), 'stopped')
  await undo(tenant, again)
  t.equal(await marketing(former._id), 'stopped', 'a wish that was uttered meanwhile stays')
})

t.test('subscribers hear of a merge and of its undo when all is done', async (t) => {
  const tenant = await makeTenant(world)
  const path = `merges-of-${tenant.project_id}`
  await tenant.subscribe(path, ['crm.contact.merged', 'crm.contact.unmerged'], { concurrency: 1 })
  const { survivor, former } = await makePair(world, tenant)
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
  const { survivor, former } = await makePair(world, tenant)
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
      messages: [{ type: 'text', text: { body }, ...ids }],
      contacts: [],
    })
  const merges = async (id: string): Promise<Json[]> => (await made(api('GET', `contacts/${id}/merges`))).data
  /** A person who has written by id and by number, and then with both: the merge, and the ids. */
  const makeProven = async () => {
    const [from, from_user_id] = [newNumber(), `US.${newNumber()}`]
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
  const { theirs, survivor, former } = await makePair(world, tenant)
  const merged = await merge(tenant, survivor._id, former._id)
  await writes(world, tenant, theirs, 'While we were one')
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
  await writes(world, tenant, theirs, 'New here')
  const { data } = await made(api('GET', 'contacts'))
  t.match(data, [{ user_id: theirs }], 'the person is a new contact')
  t.not(data[0]._id, former._id)
})

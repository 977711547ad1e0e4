/**
 * Contacts in the API: how they are made, read, changed and listed, and which events subscribers get. The file holds
 * the contract of one resource against the projects of two companies on one node.
 */
import t from 'tap'
import { channelTypes, scopes } from '../../actors/mod.ts'
import { openDatabase } from '../../storage/mod.ts'
import { eventually, type Json } from './client.ts'
import { connectNumber, joinWorld, made, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { sink, operator, http, base_url } = world
const database = await openDatabase({ url: world.config.database_url!, pool_size: 2 })
t.teardown(() => database.close())

const tenant = await makeTenant(world)
const other = await makeTenant(world)

/** Makes a second project of the tenant's company. */
async function sibling({ company_id, user_id }: Tenant) {
  const limits = { minute: 1_000_000, hour: 1_000_000, day: 1_000_000 }
  const { _id: project_id } = await made(operator('POST', 'projects', { company_id, name: 'Second', limits }))
  const { token } = await made(operator('POST', 'tokens', { project_id, user_id, name: 'Token', scopes }))
  const api: Tenant['api'] = (method, path, json) => http(method, `${base_url}/v1/${path}`, { json, token })
  return { project_id, api }
}

const second = await sibling(tenant)
const create = (fields: Json, by: Pick<Tenant, 'api'> = tenant) => by.api('POST', 'contacts', fields)
const list = async (query: string, by: Pick<Tenant, 'api'> = tenant) => (await by.api('GET', `contacts?${query}`)).body

const KEYS = [
  '_id',
  'channel_type',
  'user_id',
  'channel_id',
  'name',
  'phone',
  'avatar',
  'custom_fields',
  'customer_id',
  'bsuid',
  'browser',
  'email',
  'send_to',
  'consent',
  'windows',
  'threads',
  'first_seen_at',
  'last_seen_at',
  'created_at',
  'updated_at',
]

t.test('a contact of every channel type is created, read and told in one shape', async (t) => {
  const path = 'created'
  await tenant.subscribe(path, ['crm.contact.created'])
  for (const channel_type of channelTypes) {
    const number = `521555000${channelTypes.indexOf(channel_type)}111`
    const user_id = channel_type === 'email' ? `${number}@example.com` : number
    const body = await tenant.client.contacts.create({ channel_type, user_id })
    t.same(Object.keys(body).sort(), [...KEYS].sort())
    const phone = channel_type === 'whatsapp' ? `+${user_id}` : null
    const blank = { channel_id: null, name: null, avatar: null, custom_fields: {}, customer_id: null, windows: [] }
    t.match(body, { channel_type, user_id, phone, ...blank })
    t.equal(body.first_seen_at, body.created_at)
    t.equal(body.last_seen_at, body.created_at)
    t.same(await tenant.client.contacts.get(body._id), body)
    t.same(await tenant.client.contacts.list({ search: user_id }).toArray({ limit: 2 }), [body])
    const told = await eventually('it is told', () => sink.calls(path).find((call) => call.body.data._id === body._id))
    t.same(told.body.data, body)
  }
})

t.test('fields are kept as sent; the case of an e-mail address does not matter', async (t) => {
  const fields = {
    channel_type: 'whatsapp',
    user_id: '5215550000001',
    channel_id: tenant.number.channel_id,
    name: 'Ana María 😀',
    phone: '+5215559999999',
    avatar: 'https://example.com/ana.jpg',
    custom_fields: { plan: 'gold', tags: ['a', 'b'], nothing: null },
  }
  t.match((await create(fields)).body, fields)
  for (const user_id of ['notmail', 'ana@example.com,eva@example.com', 'Ana <ana@example.com>']) {
    const { status, body } = await create({ channel_type: 'email', user_id })
    t.equal(status, 400, user_id)
    t.match(body.error.details.violations, [{ path: 'user_id', message: /such as ana@example\.com/ }])
  }
  const mail = await create({ channel_type: 'email', user_id: 'Ana@Example.com' })
  t.equal(mail.body.user_id, 'ana@example.com')
  const again = tenant.client.contacts.create({ channel_type: 'email', user_id: 'ana@example.COM' })
  const exists = { name: 'InvalidRequestError', code: 'CONTACT_ALREADY_EXISTS', details: { contact_id: mail.body._id } }
  t.match(await again.catch((error) => error), exists)
  const call = await create({ channel_type: 'phone', user_id: '+5215550000002' })
  t.equal(call.body.phone, '+5215550000002', 'a contact of the channel type phone has its id as its number')
})

const large = (characters: number) => ({ a: 'x'.repeat(characters - '{"a":""}'.length) })
const ok = { channel_type: 'whatsapp', user_id: '5215550000003' }
const refused: [what: string, body: Json, path: string, code?: string, says?: RegExp][] = [
  ['no channel_type', { user_id: '1' }, 'channel_type', 'required'],
  ['no user_id', { channel_type: 'web' }, 'user_id', 'required'],
  ['an unknown channel type', { ...ok, channel_type: 'pigeon' }, 'channel_type', 'invalid_value', /web, whatsapp/],
  ['the playground', { ...ok, channel_type: 'playground' }, 'channel_type', 'invalid_value'],
  ['a + on whatsapp', { ...ok, user_id: '+5215550000003' }, 'user_id', 'invalid_value', /without \+/],
  ['letters on whatsapp', { ...ok, user_id: 'ana' }, 'user_id', 'invalid_value', /digits/],
  ['an empty user_id', { channel_type: 'web', user_id: '' }, 'user_id', 'too_short'],
  ['spaces around user_id', { channel_type: 'web', user_id: ' a' }, 'user_id', 'invalid_value'],
  ['a long user_id', { channel_type: 'web', user_id: 'x'.repeat(257) }, 'user_id', 'too_long'],
  ['a number as user_id', { ...ok, user_id: 5215550000003 }, 'user_id', 'invalid_type'],
  ['a malformed channel_id', { ...ok, channel_id: 'x' }, 'channel_id', 'invalid_format'],
  ['a phone without +', { ...ok, phone: '5215550000003' }, 'phone', 'invalid_format', /E\.164/],
  ['an avatar that is no URL', { ...ok, avatar: 'ana.jpg' }, 'avatar', 'invalid_value'],
  ['an avatar that is a script', { ...ok, avatar: 'javascript:alert(1)' }, 'avatar', 'invalid_value'],
  ['an empty name', { ...ok, name: '' }, 'name', 'too_short'],
  [
    'more custom fields than a ticket may have',
    { ...ok, custom_fields: large(32_769) },
    'custom_fields',
    'invalid_value',
  ],
  ['a list of custom fields', { ...ok, custom_fields: [] }, 'custom_fields', 'invalid_type'],
  ...['company', 'project', 'metadata', '_id', 'customer_id', 'bsuid', 'created_at'].map(
    (name): [string, Json, string, string] => [
      `the property ${name}`,
      { ...ok, [name]: 'x' },
      name,
      'unknown_property',
    ],
  ),
]
for (const [what, body, path, code, says = /./] of refused) {
  t.test(`${what} is refused`, async (t) => {
    const answer = await create(body)
    t.equal(answer.status, 400)
    t.equal(answer.body.error.code, 'VALIDATION_ERROR')
    t.match(answer.body.error.details.violations, [{ path, code, message: says }])
    t.equal((await list('search=5215550000003')).total, 0, 'nothing was written')
  })
}

t.test('a channel that is not one of the project and of the type is not found', async (t) => {
  const cases = [
    { ...ok, channel_id: 'f'.repeat(24) },
    { ...ok, channel_id: other.number.channel_id },
    { channel_type: 'web', user_id: 'x', channel_id: tenant.number.channel_id },
  ]
  for (const fields of cases) {
    const error = { code: 'CHANNEL_NOT_FOUND', details: { channel_id: fields.channel_id } }
    t.match(await create(fields), { status: 422, body: { error } })
  }
  t.equal((await list('search=5215550000003')).total, 0)
})

t.test(
  'an identity exists once in a company, and a channel type and each channel are identities of their own',
  async (t) => {
    const user_id = '5215550000010'
    const wide = { channel_type: 'whatsapp', user_id }
    const narrow = { ...wide, channel_id: tenant.number.channel_id }
    const first = (await create(wide)).body
    const exists = (contact_id: string) => ({
      status: 400,
      body: { error: { code: 'CONTACT_ALREADY_EXISTS', details: { contact_id } } },
    })
    t.match(await create(wide), exists(first._id))
    const there = await create(wide, second)
    t.equal(there.status, 400, 'also for another project of the company')
    t.same(Object.keys(there.body.error), ['code', 'message'], 'the other project does not learn the id')
    t.equal(there.body.error.code, 'CONTACT_ALREADY_EXISTS')
    const own = await create(narrow)
    t.equal(own.status, 201, 'a contact of a single channel is a contact of its own')
    t.match(await create(narrow), exists(own.body._id))
    t.match(await create({ ...wide, channel_type: 'phone' }), { status: 201 })
    t.equal((await create(wide, other)).status, 201, 'other companies do not matter')
    const sent = await tenant.send(`+${user_id}`)
    t.equal(sent.body.chat_user, own.body._id, "a message goes to the channel's own contact")
  },
)

t.test('a person whom a message made a contact cannot be created again', async (t) => {
  const { body } = await tenant.send('+5215550000011')
  const fields = { channel_type: 'whatsapp', user_id: '5215550000011', channel_id: tenant.number.channel_id }
  t.match(await create(fields), { status: 400, body: { error: { details: { contact_id: body.chat_user } } } })
})

t.test('one of forty simultaneous requests from two projects creates the contact', async (t) => {
  const fields = { channel_type: 'telegram', user_id: 'racing' }
  const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => create(fields, n % 2 ? tenant : second)))
  const created = answers.filter(({ status }) => status === 201)
  t.equal(created.length, 1)
  const by = answers.indexOf(created[0]!) % 2
  for (const [n, { status, body }] of answers.entries()) {
    if (status === 201) continue
    t.equal(status, 400)
    t.same(body.error.details, n % 2 === by ? { contact_id: created[0]!.body._id } : undefined)
  }
})

t.test('a change is written and told; a request without a change is not', async (t) => {
  const { company_id } = tenant
  const customer = await made(operator('POST', 'customers', { company_id, full_name: 'Ana' }))
  const { body: before } = await create({
    channel_type: 'web',
    user_id: 'changing',
    custom_fields: { plan: 'gold', a: 1 },
  })
  const path = 'updated'
  const hook = await tenant.subscribe(path, ['crm.contact.updated'])
  const change = (json: Json, by: Pick<Tenant, 'api'> = tenant) => by.api('PATCH', `contacts/${before._id}`, json)
  const changes: Json[] = [
    { name: 'Ana', phone: '+5215550000020' },
    { avatar: 'https://example.com/a.png' },
    { custom_fields: { b: 2 } },
    { customer_id: customer._id },
    { name: null, phone: null, avatar: null, customer_id: null, custom_fields: {} },
  ]
  let expected = before
  for (const patch of changes) {
    const { status, body } = await change(patch)
    t.equal(status, 200)
    t.ok(body.updated_at >= expected.updated_at)
    expected = { ...expected, ...patch, updated_at: body.updated_at }
    t.same(body, expected)
    const same = await change(patch)
    t.same(same.body, expected, 'the same again changes nothing')
    t.same((await change({})).body, expected)
  }
  const told = await eventually(
    'changes are told',
    () => sink.events(path).length >= changes.length && sink.events(path),
  )
  t.equal((await tenant.deliveries(hook.id)).length, changes.length, 'each change is told once')
  t.equal(told.length, changes.length)
  const unknown = 'f'.repeat(24)
  const missing = { status: 422, body: { error: { code: 'CUSTOMER_NOT_FOUND', details: { customer_id: unknown } } } }
  t.match(await change({ customer_id: unknown, name: 'x' }), missing)
  const stranger = await made(operator('POST', 'customers', { company_id: other.company_id, full_name: 'Luis' }))
  t.equal((await change({ customer_id: stranger._id })).status, 422, "another company's customer")
  for (const patch of [{ user_id: 'x' }, { channel_type: 'web' }, { name: '' }, { phone: '1' }, { customer_id: 'x' }]) {
    t.equal((await change(patch)).body.error.code, 'VALIDATION_ERROR', JSON.stringify(patch))
  }
  t.equal((await change({ name: 'x' }, other)).status, 404)
  t.equal((await change({ name: 'x' }, second)).status, 404, 'another project does not find the contact')
  t.equal((await tenant.api('PATCH', 'contacts/x', { name: 'x' })).status, 404)
  t.same(await tenant.client.contacts.get(before._id), expected, 'refusals wrote nothing')
})

t.test('the list finds parts of a value, and takes every character literally', async (t) => {
  const one = await makeTenant(world)
  const people: Json[] = [
    { channel_type: 'whatsapp', user_id: '5215550001001', name: 'Ana 100% López' },
    { channel_type: 'whatsapp', user_id: '5215550001002', name: 'ANA_B' },
    { channel_type: 'web', user_id: 'back\\slash@example.com', name: 'ÉLODIE' },
    { channel_type: 'web', user_id: "x'; drop table contact; --", name: 'Luis ?' },
  ]
  const ids: string[] = []
  for (const fields of people) ids.push((await made(create(fields, one)))._id)
  const finds: [query: Record<string, string>, found: number[]][] = [
    [{}, [3, 2, 1, 0]],
    [{ search: '' }, [3, 2, 1, 0]],
    [{ search: 'ana' }, [1, 0]],
    [{ search: 'LÓPEZ' }, [0]],
    [{ search: 'élo' }, [2]],
    [{ search: '%' }, [0]],
    [{ search: '_' }, [1]],
    [{ search: '\\' }, [2]],
    [{ search: '?' }, [3]],
    [{ search: "'; drop" }, [3]],
    [{ search: '+521' }, [1, 0]],
    [{ search: '1002' }, [1]],
    [{ search: 'López5' }, []],
    [{ search: 'nobody' }, []],
    [{ channel_type: 'whatsapp' }, [1, 0]],
    [{ channel_type: 'whatsapp', search: 'lópez' }, [0]],
    [{ phone: '+5215550001001' }, [0]],
    [{ phone: '5215550001001' }, []],
    [{ phone: ' 5215550001001' }, [0]],
    [{ customer_id: 'f'.repeat(24) }, []],
    [{ limit: '2' }, [3, 2]],
    [{ limit: '2', offset: '1' }, [2, 1]],
    [{ offset: '4' }, []],
  ]
  for (const [query, found] of finds) {
    const body = await list(`${new URLSearchParams(query)}`, one)
    t.same(
      body.data.map(({ _id }: Json) => ids.indexOf(_id)),
      found,
      JSON.stringify(query),
    )
    const pages = 'limit' in query || 'offset' in query
    t.equal(body.total, pages ? 4 : found.length)
    t.match(body, { limit: Number(query.limit ?? 50), offset: Number(query.offset ?? 0) })
  }
  t.equal((await list('phone=+5215550001001', one)).total, 1, 'a + that was not encoded')
  t.equal((await list('', other)).data.filter(({ _id }: Json) => ids.includes(_id)).length, 0)
  for (const query of [
    'limit=0',
    'limit=201',
    'limit=x',
    'offset=-1',
    'offset=1.5',
    'page=1',
    'channel_type=playground',
    'customer_id=x',
    'search=%01',
    `search=${'x'.repeat(201)}`,
    'search=a&search=b',
  ]) {
    t.equal((await one.api('GET', `contacts?${query}`)).body.error?.code, 'VALIDATION_ERROR', query)
  }
})

t.test('the custom fields of a contact have a bound, so that an event can always write through to them', async (t) => {
  const most = { channel_type: 'web', user_id: 'large', custom_fields: large(32_768) }
  const { _id } = await made(create(most))
  t.same((await tenant.api('GET', `contacts/${_id}`)).body.custom_fields, most.custom_fields)
  const change = await tenant.api('PATCH', `contacts/${_id}`, { custom_fields: large(32_769) })
  t.match(change, { status: 400, body: { error: { details: { violations: [{ path: 'custom_fields' }] } } } })
})

t.test('custom fields are those the company has defined', async (t) => {
  const one = await makeTenant(world)
  const { company_id } = one
  await made(
    operator('POST', 'custom-fields', { company_id, owner: 'contact', key: 'age', name: 'Age', type: 'number' }),
  )
  const { body } = await create({ channel_type: 'web', user_id: 'a', custom_fields: { age: 'old', size: 1 } }, one)
  t.match(body.error.details.violations, [
    { path: 'custom_fields.age', code: 'invalid_type' },
    { path: 'custom_fields.size', code: 'unknown_property' },
  ])
  const sentence = 'custom_fields.age must be a finite number (and 1 more in details.violations)'
  t.equal(body.error.message, sentence, 'the message quotes the first violation, as for other fields')
  t.equal((await create({ channel_type: 'web', user_id: 'a', custom_fields: { age: 30 } }, one)).status, 201)
})

t.test('no table can store a contact of the playground, so no read can show one', async (t) => {
  const insert = `insert into contact (_id, company_id, project_id, channel_type, user_id)
    values ('${'a'.repeat(24)}', '${tenant.company_id}', '${tenant.project_id}', 'playground', 'x')`
  await t.rejects(database.execute(insert), /contact_channel_type_check/)
})

t.test('each scope opens its own routes', async (t) => {
  const { project_id, user_id } = tenant
  const { token } = await made(
    operator('POST', 'tokens', { project_id, user_id, name: 'Reader', scopes: ['contacts:read'] }),
  )
  t.equal((await http('GET', `${base_url}/v1/contacts`, { token })).status, 200)
  const { status, body } = await http('POST', `${base_url}/v1/contacts`, { token, json: ok })
  t.equal(status, 403)
  t.match(body.error, { code: 'INSUFFICIENT_SCOPE', details: { missing: ['contacts:write'] } })
})

t.test('an Idempotency-Key makes one contact of many requests', async (t) => {
  const headers = { 'idempotency-key': 'one contact' }
  const fields = { channel_type: 'web', user_id: 'idempotent', channel_id: undefined }
  const answers = [
    await tenant.api('POST', 'contacts', fields, { headers }),
    await tenant.api('POST', 'contacts', fields, { headers }),
  ]
  t.same(
    answers.map(({ status }) => status),
    [201, 201],
  )
  t.same(answers[1]!.body, answers[0]!.body)
  const far = await connectNumber(world, tenant.project_id)
  t.equal((await create({ ...ok, channel_id: far.channel_id })).status, 201, 'a channel connected later is found')
})

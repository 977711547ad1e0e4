import t from 'tap'
import { type Answer, eventually, type Json } from './client.ts'
import { connectNumber, joinWorld, makeTenant, type Tenant } from './fixture.ts'

const world = await joinWorld(t)
const { sink } = world

const codeOf = ({ status, body }: Answer) => [status, body.error?.code]

async function templates(tenant: Tenant, query = ''): Promise<Json[]> {
  return (await tenant.api('GET', `messages/templates?limit=200${query}`)).body.data
}

/** Calls the account's management API at the provider, as Meta's own manager does. */
function manage(tenant: Tenant, method: string, path: string, json?: unknown): Promise<Answer> {
  const { business_account_id, access_token } = tenant.number
  const url = `${world.simulator_url}/v25.0/${business_account_id}/message_templates${path}`
  return world.http(method, url, { json, token: access_token })
}

const set = (tenant: Tenant, name: string, status: string) =>
  world.control('PUT', 'templates', {
    name,
    language: 'en_US',
    status,
    business_account_id: tenant.number.business_account_id,
  })

t.test('a new channel has its templates at once, each with the variables it needs', async (t) => {
  const tenant = await makeTenant(world)
  const all = await templates(tenant)
  const needs = Object.fromEntries(all.map((one) => [`${one.name} ${one.language}`, one.variables]))
  t.match(needs, {
    'hello_world en_US': [],
    'order_update en_US': ['1', '2'],
    'order_update es': ['1', '2'],
    'appointment_reminder en_US': ['customer_name', 'appointment_date', 'appointment_time'],
  })
  const [one] = await templates(tenant, '&name=order_update&language=es')
  t.match(one, { name: 'order_update', language: 'es', status: 'APPROVED', channel_id: tenant.number.channel_id })
  t.same(await templates(tenant, `&channel_id=${'0'.repeat(24)}`), [])
})

t.test('a change of status that a webhook brings is kept and told exactly once', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('status', ['whatsapp.template.updated'])
  const status = async () => (await templates(tenant, '&name=order_update&language=en_US'))[0].status
  await set(tenant, 'order_update', 'PAUSED')
  await eventually('it is paused', async () => (await status()) === 'PAUSED')
  await set(tenant, 'order_update', 'PAUSED')
  await set(tenant, 'order_update', 'APPROVED')
  await eventually('it is approved', async () => (await status()) === 'APPROVED')
  await eventually('both events', () => sink.events('status').length >= 2)
  t.same(
    // Two deliveries under way may overtake each other.
    sink.events('status').map(({ data }) => [data.name, data.status, data.variables]),
    [
      ['order_update', 'PAUSED', ['1', '2']],
      ['order_update', 'APPROVED', ['1', '2']],
    ],
  )
})

const unapproved: [string, RegExp][] = [
  ['PAUSED', /is PAUSED\. .*paused it/],
  ['DISABLED', /is DISABLED\. .*disabled it/],
  ['PENDING', /is PENDING\. .*not approved it yet/],
  ['REJECTED', /is REJECTED\. .*rejected it/],
]

t.test('a send of an unapproved template is taken with a warning', async (t) => {
  const tenant = await makeTenant(world)
  const variables = { 1: 'Ana', 2: 'A-1' }
  const message = { type: 'template', name: 'order_update', language: 'en_US', variables }
  const to = '+15557000053'
  const parameters = Object.values(variables).map((text) => ({ type: 'text', text }))
  const template = { name: 'order_update', language: { code: 'en_US' }, components: [{ type: 'body', parameters }] }
  const bulk = { template_name: 'order_update', language: 'en_US', recipients: [{ phone: to, variables }] }
  const sends = {
    send: () => tenant.send(to, { message }),
    raw: () => tenant.api('POST', 'messages/raw', { payload: { to, type: 'template', template } }),
    bulk: () => tenant.api('POST', 'messages/bulk', bulk),
  }
  const status = async () => (await templates(tenant, '&name=order_update&language=en_US'))[0].status
  for (const [word, expected] of unapproved) {
    await set(tenant, 'order_update', word)
    await eventually(`it is ${word}`, async () => (await status()) === word)
    for (const [what, send] of Object.entries(sends)) {
      const { status, body } = await send()
      t.equal(status, 202, `${what}: ${word}`)
      t.match(body.warnings, [{ code: 'TEMPLATE_NOT_APPROVED', message: expected }], `${what}: ${word}`)
    }
  }
  const { body } = await sends.send()
  t.match(
    await tenant.message(body.id, 'failed'),
    { error: { code: '132001' } },
    'the provider refuses the template, as the warning says',
  )
  await set(tenant, 'order_update', 'APPROVED')
  await eventually('it is approved', async () => (await status()) === 'APPROVED')
  for (const [what, send] of Object.entries(sends)) t.same((await send()).body.warnings, [], what)
})

t.test('an unknown template is fetched when the provider names it', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('new', ['whatsapp.template.updated'])
  const made = await manage(tenant, 'POST', '', {
    name: 'parcel_left',
    language: 'en_US',
    category: 'UTILITY',
    components: [
      { type: 'BODY', text: 'Hi {{1}}, your parcel is at {{2}}.', example: { body_text: [['Ana', 'door']] } },
    ],
  })
  t.equal(made.status, 200, made.text)
  const message = { type: 'template', name: 'parcel_left', language: 'en_US', variables: { 1: 'Ana', 2: 'the door' } }
  await eventually('it can be sent', async () => (await tenant.send('+15557000051', { message })).status === 202)
  await eventually('the event', () => sink.calls('new').length > 0)
  t.match(sink.calls('new'), [{ body: { data: { name: 'parcel_left', status: 'APPROVED', variables: ['1', '2'] } } }])
})

t.test('a check brings the changes that no webhook told: new text, new templates, deleted templates', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('check', ['whatsapp.template.updated'])
  const { channel_id } = tenant.number
  const before = await templates(tenant)
  const hello = before.find(({ name }) => name === 'hello_world')
  const listed = (await manage(tenant, 'GET', '?name=hello_world')).body.data
  const { access_token } = tenant.number
  const edited = [{ type: 'BODY', text: 'Hello {{1}}!', example: { body_text: [['Ana']] } }]
  await world.control('PUT', 'numbers', { phone_number_id: tenant.number.phone_number_id, webhook_url: null })
  await world.http('POST', `${world.simulator_url}/v25.0/${listed[0].id}`, {
    json: { components: edited },
    token: access_token,
  })
  t.equal((await manage(tenant, 'DELETE', '?name=promo_picture')).status, 200)
  const checked = await world.operator('POST', `channels/${channel_id}/check`)
  t.match(checked, { status: 200, body: { ok: true, templates: { synced: before.length - 1, reason: null } } })
  const after = await templates(tenant)
  t.match(
    after.find(({ name }) => name === 'hello_world'),
    { _id: hello._id, components: edited, variables: ['1'] },
  )
  t.notOk(after.some(({ name }) => name === 'promo_picture'))
  await eventually('both events', () => sink.events('check').length >= 2)
  await world.operator('POST', `channels/${channel_id}/check`)
  t.same(
    sink
      .events('check')
      .map(({ data }) => [data.name, data.status])
      .sort(),
    [
      ['hello_world', 'APPROVED'],
      ['promo_picture', 'DELETED'],
    ],
    'what is the same makes no event',
  )
  const variables = { message: { type: 'template', name: 'hello_world', language: 'en_US' } }
  const refused = await tenant.send('+15557000052', variables)
  t.same(codeOf(refused), [422, 'TEMPLATE_VARIABLE_MISSING'], 'sends use the new text at once')
  const gone = { message: { type: 'template', name: 'promo_picture', language: 'en_US' } }
  t.same(codeOf(await tenant.send('+15557000052', gone)), [422, 'TEMPLATE_NOT_FOUND'])
})

t.test('a list that cannot be fetched changes nothing', async (t) => {
  const tenant = await makeTenant(world)
  const before = await templates(tenant)
  await world.control('POST', 'faults', { match: { operation: 'templates' }, garbage: true })
  t.teardown(() => world.control('DELETE', 'faults'))
  await manage(tenant, 'POST', '', {
    name: 'not_heard',
    language: 'en_US',
    category: 'UTILITY',
    components: [{ type: 'BODY', text: 'Hi.' }],
  })
  const checked = await world.operator('POST', `channels/${tenant.number.channel_id}/check`)
  t.match(checked.body, { ok: true, templates: { synced: 0, reason: /502/ } })
  t.same((await templates(tenant)).length, before.length)
})

t.test('a change reaches all numbers of the account and no other account', async (t) => {
  const [mine, theirs] = [await makeTenant(world), await makeTenant(world)]
  const second = await connectNumber(world, mine.project_id)
  const status = async (tenant: Tenant, channel_id: string) =>
    (await templates(tenant, `&name=order_update&language=en_US&channel_id=${channel_id}`))[0].status
  await set(mine, 'order_update', 'DISABLED')
  await eventually('it is disabled', async () => (await status(mine, mine.number.channel_id)) === 'DISABLED')
  t.equal(await status(mine, second.channel_id), 'APPROVED', 'another account of the project keeps the status')
  t.equal(await status(theirs, theirs.number.channel_id), 'APPROVED', 'another project keeps the status')
})

const flow = (fields: Json = {}) => ({ flow: { flow_token: 'visit-1', ...fields } })
const bindings: { what: string; message: Json; details: Json }[] = [
  {
    what: 'a template without a FLOW button',
    message: { name: 'order_update', variables: { 1: 'a', 2: 'b' }, ...flow() },
    details: { button_index: null, flow_buttons: [] },
  },
  {
    what: 'a button that is no FLOW button',
    message: { name: 'book_visit', ...flow({ button_index: 3 }) },
    details: { button_index: 3, flow_buttons: [0] },
  },
]

t.test('a Flow is bound to a FLOW button or refused', async (t) => {
  const tenant = await makeTenant(world)
  const [book] = await templates(tenant, '&name=book_visit')
  const given = Object.fromEntries(book.variables.map((name: string) => [name, 'x']))
  for (const { what, message, details } of bindings) {
    const variables = message.variables ?? given
    const full = { type: 'template', language: 'en_US', ...message, variables }
    const answer = await tenant.send('+15557000053', { message: full })
    t.same(codeOf(answer), [422, 'TEMPLATE_FLOW_BUTTON_MISSING'], what)
    t.match(answer.body.error.details, details, what)
  }
  const good = { type: 'template', name: 'book_visit', language: 'en_US', variables: given, ...flow() }
  t.equal((await tenant.send('+15557000053', { message: good })).status, 202)
  t.same((await tenant.api('GET', 'messages')).body.data.length, 1)
})

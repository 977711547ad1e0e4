/** Templates that clients submit, edit and delete at the provider, and the provider's changes of quality and category. */
import t from 'tap'
import { type Answer, eventually, type Json } from './client.ts'
import { makeAgent, signIn } from './console_client.ts'
import { connectNumber, makeTenant, startWorld, type Tenant } from './fixture.ts'

// A node of its own: the provider of this file has faults.
const world = await startWorld(t)
const { sink } = world

const PATH = 'messages/templates'
const codeOf = ({ status, body }: Answer) => [status, body.error?.code]
const body = (text: string) => [{ type: 'BODY', text }]

function draft(name: string, more: Json = {}): Json {
  const components = body('Hi {{1}}, your order {{2}} can be collected.')
  return { name, language: 'en_US', category: 'UTILITY', components, examples: { 1: 'Ana', 2: 'A-1' }, ...more }
}

/** The templates of this name as the provider lists them. */
async function atProvider(tenant: Tenant, name: string): Promise<Json[]> {
  const { business_account_id, access_token } = tenant.number
  const url = `${world.simulator_url}/v25.0/${business_account_id}/message_templates?name=${name}`
  return (await world.http('GET', url, { token: access_token })).body.data
}

const change = (tenant: Tenant, fields: Json) =>
  world.control('PUT', 'templates', {
    name: 'order_update',
    language: 'en_US',
    business_account_id: tenant.number.business_account_id,
    ...fields,
  })

async function listed(tenant: Tenant, name: string): Promise<Json | undefined> {
  return (await tenant.api('GET', `${PATH}?name=${name}&language=en_US`)).body.data[0]
}

t.test('a submitted template is reviewed, listed and sent', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('submitted', ['whatsapp.template.updated'])
  const made = await tenant.api('POST', PATH, draft('order_ready'))
  t.equal(made.status, 201)
  t.match(made.body, {
    name: 'order_ready',
    status: 'APPROVED',
    category: 'UTILITY',
    variables: ['1', '2'],
    channel_id: tenant.number.channel_id,
    provider_template_id: /^\d+$/,
  })
  const { synced_at: _, ...shown } = made.body
  t.match((await tenant.api('GET', `${PATH}/${made.body._id}`)).body, shown)
  t.match(await listed(tenant, 'order_ready'), shown)
  const [there] = await atProvider(tenant, 'order_ready')
  t.match(there, { id: made.body.provider_template_id, parameter_format: 'POSITIONAL' })
  t.same(there!.components, [
    { ...body('Hi {{1}}, your order {{2}} can be collected.')[0], example: { body_text: [['Ana', 'A-1']] } },
  ])
  const sent = await tenant.api('POST', 'messages', {
    channel: 'whatsapp',
    to: '+15550180000',
    message: { type: 'template', name: 'order_ready', language: 'en_US', variables: { 1: 'Ana', 2: 'A-1' } },
  })
  t.same([sent.status, sent.body.warnings], [202, []])
  await eventually('one event', () => sink.events('submitted').length === 1)
  t.match(sink.events('submitted')[0]!.data, { name: 'order_ready', status: 'APPROVED' })
})

t.test('examples become the form of each component', async (t) => {
  const tenant = await makeTenant(world)
  const components = [
    { type: 'HEADER', format: 'TEXT', text: 'Sale for {{1}}' },
    { type: 'BODY', text: 'Hi {{1}}, {{2}} off until Sunday.' },
    { type: 'FOOTER', text: 'Reply STOP to hear no more' },
    {
      type: 'BUTTONS',
      buttons: [
        { type: 'URL', text: 'Shop', url: 'https://shop.example.com/{{1}}' },
        { type: 'COPY_CODE' },
        { type: 'QUICK_REPLY', text: 'Stop' },
      ],
    },
  ]
  const examples = { 1: 'Ana', 2: '20 %', header_1: 'members', button_0: 'sale', button_1: 'SAVE20' }
  const made = await tenant.api('POST', PATH, draft('sale', { category: 'MARKETING', components, examples }))
  t.equal(made.status, 201)
  t.same(made.body.variables, ['header_1', '1', '2', 'button_0', 'button_1'])
  const [there] = await atProvider(tenant, 'sale')
  t.match(there!.components, [
    { example: { header_text: ['members'] } },
    { example: { body_text: [['Ana', '20 %']] } },
    { example: undefined },
    { buttons: [{ example: ['https://shop.example.com/sale'] }, { example: 'SAVE20' }, { example: undefined }] },
  ])
  const named = draft('named', { components: body('Hello {{customer}}, see you soon.'), examples: { customer: 'Ana' } })
  t.equal((await tenant.api('POST', PATH, named)).status, 201)
  const [other] = await atProvider(tenant, 'named')
  t.match(other, {
    parameter_format: 'NAMED',
    components: [{ example: { body_text_named_params: [{ param_name: 'customer', example: 'Ana' }] } }],
  })
})

t.test('a draft that Meta would refuse is refused with every fault, and nothing is submitted', async (t) => {
  const tenant = await makeTenant(world)
  const faults: [string, Json, string][] = [
    ['a name with capitals', { name: 'Order' }, 'name'],
    ['an unknown language', { language: 'english' }, 'language'],
    ['an unknown category', { category: 'SERVICE' }, 'category'],
    ['no body', { components: [{ type: 'FOOTER', text: 'x' }] }, 'components'],
    ['two bodies', { components: [...body('One.'), ...body('Two.')] }, 'components.1.type'],
    ['a body without a text', { components: [{ type: 'BODY' }] }, 'components.0.text'],
    ['a variable at the end', { components: body('Hi {{1}}') }, 'components.0.text'],
    ['a gap in the numbers', { components: body('Hi {{2}} there.') }, 'components.0.text'],
    ['numbers and names', { components: body('Hi {{1}} and {{name}} there.') }, 'components.0.text'],
    [
      'a variable in the footer',
      { components: [...body('x'), { type: 'FOOTER', text: 'Bye {{1}}.' }] },
      'components.1.text',
    ],
    ['a long header', { components: [{ type: 'HEADER', text: 'x'.repeat(61) }, ...body('x')] }, 'components.0.text'],
    ['no example', { examples: { 1: 'Ana' } }, 'examples.2'],
    ['no picture', { components: [{ type: 'HEADER', format: 'IMAGE' }, ...body('x')] }, 'examples.header_image'],
    ['an unknown kind', { components: [{ type: 'BODIES', text: 'x' }] }, 'components.0.type'],
    [
      'eleven buttons',
      { components: [...body('x'), { type: 'BUTTONS', buttons: Array(11).fill({ type: 'URL' }) }] },
      'components.1.buttons',
    ],
  ]
  for (const [what, more, path] of faults) {
    const refused = await tenant.api('POST', PATH, draft('faulty', more))
    const paths = (refused.body.error?.details?.violations ?? []).map((one: Json) => one.path)
    t.same([refused.status, paths.includes(path)], [400, true], `${what}: ${JSON.stringify(refused.body)}`)
  }
  t.same(await atProvider(tenant, 'faulty'), [])
})

t.test('a name that the channel has in this language is refused with the template that has it', async (t) => {
  const tenant = await makeTenant(world)
  const existing = await listed(tenant, 'order_update')
  const refused = await tenant.api('POST', PATH, draft('order_update'))
  t.same(codeOf(refused), [409, 'TEMPLATE_ALREADY_EXISTS'])
  t.equal(refused.body.error.details.template_id, existing!._id)
  t.equal((await tenant.api('POST', PATH, draft('order_update', { language: 'pt_BR' }))).status, 201)
})

t.test('an edit is reviewed again, and a rejection says why', async (t) => {
  const tenant = await makeTenant(world)
  const { body: made } = await tenant.api('POST', PATH, draft('first_text'))
  const edited = await tenant.api('PATCH', `${PATH}/${made._id}`, { components: body('It is ready.') })
  t.match([edited.status, edited.body], [200, { _id: made._id, status: 'APPROVED', variables: [] }])
  t.equal((await atProvider(tenant, 'first_text'))[0]!.components[0].text, 'It is ready.')
  t.same(codeOf(await tenant.api('PATCH', `${PATH}/${made._id}`, {})), [400, 'VALIDATION_ERROR'])
  const moved = await tenant.api('PATCH', `${PATH}/${made._id}`, { category: 'MARKETING' })
  t.same(codeOf(moved), [422, 'PROVIDER_REFUSED'])
  t.match(moved.body.error.message, /category of an approved template/)
  const rejected = await tenant.api('POST', PATH, draft('rejected_text'))
  t.match(rejected.body, { status: 'REJECTED' })
  await eventually(
    'the reason',
    async () => (await listed(tenant, 'rejected_text'))?.rejected_reason === 'INVALID_FORMAT',
  )
})

t.test('a deleted template is gone at the provider, and one that is gone there can be deleted', async (t) => {
  const tenant = await makeTenant(world)
  const { body: made } = await tenant.api('POST', PATH, draft('short_lived'))
  const { body: other } = await tenant.api('POST', PATH, draft('short_lived', { language: 'es' }))
  t.equal((await tenant.api('DELETE', `${PATH}/${made._id}`)).status, 204)
  t.same(
    (await atProvider(tenant, 'short_lived')).map(({ language }) => language),
    ['es'],
  )
  t.same(codeOf(await tenant.api('GET', `${PATH}/${made._id}`)), [404, 'NOT_FOUND'])
  t.same(codeOf(await tenant.api('DELETE', `${PATH}/${made._id}`)), [404, 'NOT_FOUND'])
  const { business_account_id, access_token } = tenant.number
  const url = `${world.simulator_url}/v25.0/${business_account_id}/message_templates?name=short_lived`
  await world.http('DELETE', url, { token: access_token })
  t.equal((await tenant.api('DELETE', `${PATH}/${other._id}`)).status, 204)
})

t.test('all numbers of the account have the change at once', async (t) => {
  const tenant = await makeTenant(world)
  const { channel_id: _, ...account } = tenant.number
  const credentials = { ...account, phone_number_id: `${account.phone_number_id}9` }
  await world.control('PUT', 'numbers', { ...credentials, display_phone_number: '+15559990000' })
  const { body: second } = await world.operator('POST', 'channels', {
    project_id: tenant.project_id,
    channel_type: 'whatsapp',
    provider: 'simulator',
    name: 'Second number',
    credentials: { ...credentials, api_base_url: world.simulator_url },
  })
  const made = await tenant.api('POST', PATH, draft('shared', { channel_id: tenant.number.channel_id }))
  t.equal(made.status, 201)
  const all = (await tenant.api('GET', `${PATH}?name=shared`)).body.data
  t.same(all.map((one: Json) => one.channel_id).sort(), [tenant.number.channel_id, second._id].sort())
  t.equal((await tenant.api('DELETE', `${PATH}/${made.body._id}`)).status, 204)
  t.same((await tenant.api('GET', `${PATH}?name=shared`)).body.data, [])
})

t.test('a repeat under the same key submits nothing twice, also after a lost answer', async (t) => {
  const tenant = await makeTenant(world)
  const key = { headers: { 'idempotency-key': 'submit-1' } }
  await world.control('POST', 'faults', {
    match: { channel: 'whatsapp', operation: 'templates', type: 'create' },
    times: 1,
    reset: 'after',
  })
  const lost = await tenant.api('POST', PATH, draft('once'), key)
  t.same(codeOf(lost), [502, 'WHATSAPP_UPSTREAM_ERROR'])
  const made = await tenant.api('POST', PATH, draft('once'), key)
  t.equal(made.status, 201)
  t.equal((await atProvider(tenant, 'once')).length, 1)
  t.same((await tenant.api('POST', PATH, draft('once'), key)).body, made.body)
})

t.test('a submission that the provider cannot take, may not take or refuses stores nothing', async (t) => {
  const tenant = await makeTenant(world)
  for (const [error, status, code] of [
    [{ code: 131000, status: 500 }, 502, 'WHATSAPP_UPSTREAM_ERROR'],
    [{ code: 190, status: 401 }, 422, 'CHANNEL_NOT_CONNECTED'],
    [{ code: 10, status: 400 }, 422, 'PROVIDER_REFUSED'],
  ] as const) {
    await world.control('POST', 'faults', { match: { operation: 'templates', type: 'create' }, error })
    t.same(codeOf(await tenant.api('POST', PATH, draft('refused'))), [status, code])
    await world.control('DELETE', 'faults')
  }
  t.same((await tenant.api('GET', `${PATH}?name=refused`)).body.data, [])
  t.equal((await tenant.api('POST', PATH, draft('refused'))).status, 201)
})

t.test('quality and category are kept, told and warned of', async (t) => {
  const tenant = await makeTenant(world)
  await tenant.subscribe('rated', ['whatsapp.template.updated'])
  const is = (field: string, value: unknown) =>
    eventually(`${field} is ${value}`, async () => (await listed(tenant, 'order_update'))?.[field] === value)
  await change(tenant, { quality: 'red' })
  await is('quality', 'RED')
  await change(tenant, { next_category: 'marketing' })
  await is('next_category', 'MARKETING')
  const message = { type: 'template', name: 'order_update', language: 'en_US', variables: { 1: 'Ana', 2: 'A-1' } }
  const sent = await tenant.api('POST', 'messages', { channel: 'whatsapp', to: '+15550180000', message })
  t.same(
    sent.body.warnings.map((one: Json) => one.code),
    ['TEMPLATE_QUALITY_LOW', 'TEMPLATE_CATEGORY_CHANGES'],
  )
  await change(tenant, { category: 'marketing' })
  await is('category', 'MARKETING')
  t.match(await listed(tenant, 'order_update'), { previous_category: 'UTILITY', next_category: null })
  await eventually('three events', () => sink.events('rated').length === 3)
})

t.test('a template is submitted through the only number of the Cloud API, or the one that is named', async (t) => {
  const tenant = await makeTenant(world)
  const { project_id, number } = tenant
  const submit = (fields: Json = {}) => tenant.api('POST', PATH, draft('chosen', fields))
  const gateway = { api_base_url: 'http://127.0.0.1:9', instance: 'x', api_key: 'k', webhook_secret: 's' }
  const fields = { project_id, name: 'Other', channel_type: 'whatsapp', provider: 'qr', credentials: gateway }
  const { _id: qr } = (await world.operator('POST', 'channels', fields)).body
  t.same(codeOf(await submit({ channel_id: qr })), [422, 'OPERATION_NOT_SUPPORTED_FOR_CHANNEL'])
  t.same(codeOf(await submit({ channel_id: '0'.repeat(24) })), [422, 'CHANNEL_NOT_FOUND'])
  const second = await connectNumber(world, project_id)
  t.same(codeOf(await submit()), [422, 'CHANNEL_REQUIRED'])
  await world.operator('PATCH', `channels/${second.channel_id}`, { is_active: false })
  t.same(codeOf(await submit({ channel_id: second.channel_id })), [422, 'CHANNEL_NOT_CONNECTED'])
  t.match(await submit(), { status: 201, body: { channel_id: number.channel_id } })
})

t.test('a token without the scope changes nothing', async (t) => {
  const tenant = await makeTenant(world)
  const { project_id, user_id } = tenant
  const fields = { project_id, user_id, name: 'Sender', scopes: ['messages:read', 'messages:write'] }
  const { token } = (await world.operator('POST', 'tokens', fields)).body
  const refused = await tenant.api('POST', PATH, draft('forbidden'), { token })
  t.match([refused.status, refused.body.error.details], [403, { required: ['templates:write'] }])
  t.same(await atProvider(tenant, 'forbidden'), [])
})

t.test('an agent manages templates with the permission, and reads them without', async (t) => {
  const tenant = await makeTenant(world)
  const agent = async (...permissions: string[]) =>
    signIn(world, (await makeAgent(world, tenant, { permissions })) as { email: string })
  const writer = await agent('console.agent', 'console.manage_templates')
  const reader = await agent('console.agent')
  const ask = (who: typeof writer, method: string, path: string, json?: unknown) =>
    who.call(method, `projects/${tenant.project_id}/${PATH}${path}`, { json })
  const made = await ask(writer, 'POST', '', draft('by_agent'))
  t.equal(made.status, 201, made.text)
  t.equal((await ask(reader, 'GET', `/${made.body._id}`)).body.name, 'by_agent')
  for (const [method, path, json] of [
    ['POST', '', draft('refused')],
    ['PATCH', `/${made.body._id}`, { components: body('Other.') }],
    ['DELETE', `/${made.body._id}`, undefined],
  ] as const)
    t.same(codeOf(await ask(reader, method, path, json)), [403, 'INSUFFICIENT_PERMISSION'], method)
  t.equal((await ask(writer, 'DELETE', `/${made.body._id}`)).status, 204)
})

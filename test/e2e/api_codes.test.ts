/**
 * Codes that operations describe and that no other test sees on them: those of providers and services outside, and those
 * of references in bodies. The records and examples are those of `api_examples.test.ts`.
 */
import t, { type Test } from 'tap'
import { exampleIds as ids, scopes } from '../../actors/mod.ts'
import type { DescribedOperation } from '../../http/openapi/describe.ts'
import { upload } from '../http/media_client.ts'
import { files } from '../http/media_files.ts'
import { startAssistantService } from '../support/mod.ts'
import { type Changes, call } from './api_examples/calls.ts'
import { countNodes, fillFolder, fillProject, fillTable } from './api_examples/full.ts'
import { makeRecords, type Places } from './api_examples/records.ts'
import { operations, startScene } from './api_examples/scene.ts'
import { eventually, type Json } from './client.ts'
import { connectNumber, made, makeTenant } from './fixture.ts'

const service = await startAssistantService(t)
const config = { assistants_url: service.url, assistants_key: 'key' }
const { world, tenant, tools, database, prepared } = await startScene(t, config)
const { api, project_id } = tenant
const { operator } = world
const places = await makeRecords(world, tenant, tools, database)
const nobody = 'f'.repeat(24)

const named = (id: string): DescribedOperation => operations.find((one) => one.id === id)!
const withCode = (code: string) => operations.filter(({ errors }) => errors.some((one) => one.code === code))

async function refused(
  t: Test,
  operation: DescribedOperation,
  code: string,
  changes: Changes = {},
  own: Places = {},
): Promise<void> {
  const { status, body, text } = await call(world, tenant, operation, { ...places, ...own }, changes)
  const is_described = operation.errors.some((one) => one.code === code && one.status === status)
  t.ok(is_described && body.error.code === code, `${operation.id} ${code}: ${status} ${text.slice(0, 300)}`)
}

t.test('an assistant service that fails', async (t) => {
  for (const operation of withCode('ASSISTANTS_UPSTREAM_ERROR')) {
    const own = await prepared[operation.id]?.()
    service.answers({ status: 500 })
    await refused(t, operation, 'ASSISTANTS_UPSTREAM_ERROR', {}, own)
    service.answers(undefined)
  }
})

t.test('a key of another request, of one under way, and of one whose answer was erased', async (t) => {
  const now = {
    ...places,
    token: (await made(operator('POST', 'tokens', { project_id, user_id: tenant.user_id, name: 'Own', scopes }))).token,
  }
  for (const operation of operations.filter(({ takes_key }) => takes_key)) {
    const own = { ...now, ...(await prepared[operation.id]?.()) }
    const headers = { 'idempotency-key': operation.id }
    const keep = (column: string) =>
      database.execute(
        `update idempotency set ${column} where key = '${operation.id}' and project_id in ('', '${project_id}')`,
      )
    const { body } = await call(world, tenant, operation, own, { headers })
    // The next tests know the channels of the project.
    if (operation.id === 'create_channel') await made(operator('PATCH', `channels/${body._id}`, { is_active: false }))
    await keep("value_hash = 'of another' || value_hash")
    await refused(t, operation, 'IDEMPOTENCY_KEY_REUSED', { headers }, own)
    await keep(`value_hash = substr(value_hash, 11), body = '{"erased":true}'`)
    await refused(t, operation, 'IDEMPOTENCY_ANSWER_ERASED', { headers }, own)
    if ((operation.route.act ?? operation.route.change) === undefined) continue
    await keep(`body = '{"claim":{"id":"x","until":9000000000000},"in_doubt":false}'`)
    await refused(t, operation, 'IDEMPOTENCY_IN_PROGRESS', { headers }, own)
  }
})

/** Answers of the provider, and the code that each becomes. */
const TROUBLE: [error: Json, code: string][] = [
  [{ code: 131000, status: 500 }, 'WHATSAPP_UPSTREAM_ERROR'],
  [{ code: 190, status: 401 }, 'CHANNEL_NOT_CONNECTED'],
  [{ code: 10, status: 400 }, 'PROVIDER_REFUSED'],
]
const AT_PROVIDER: Record<string, string> = {
  mark_message_read: 'mark_read',
  get_media: 'media',
  delete_media: 'media',
  download_media: 'media',
  get_media_thumbnail: 'media',
  delete_flow: 'flows',
  publish_flow: 'flows',
  update_template: 'templates',
  delete_template: 'templates',
}

t.test('a provider that fails or refuses', async (t) => {
  for (const [id, operation] of Object.entries(AT_PROVIDER)) {
    const own = await prepared[id]?.()
    for (const [error, code] of TROUBLE) {
      await made(world.control('POST', 'faults', { match: { operation }, error }))
      await refused(t, named(id), code, {}, own)
      await world.control('DELETE', 'faults')
    }
  }
})

t.test('a tree of knowledge that is as deep as it may be', async (t) => {
  let deepest: string | null = null
  for (;;) {
    const { status, body } = await api('POST', 'knowledge/nodes', {
      type: 'folder',
      name: 'Deeper',
      parent_id: deepest,
    })
    if (status !== 201) break
    deepest = body._id
  }
  // A document fits below the deepest folder, and nothing below a document.
  const own = await prepared.delete_knowledge_node!()
  for (const operation of withCode('KNOWLEDGE_TOO_DEEP')) {
    const example = operation.id.startsWith('update') ? {} : { ...(operation.example.body as object), type: 'folder' }
    const body: Json = { ...example, parent_id: deepest }
    if (operation.id === 'create_knowledge_node') delete body.content
    await refused(t, operation, 'KNOWLEDGE_TOO_DEEP', { body }, own)
  }
})

t.test('knowledge that is full', async (t) => {
  const addFolder = async (name: string) => (await made(api('POST', 'knowledge/nodes', { type: 'folder', name })))._id
  const [folder, other] = [await addFolder('Full'), await addFolder('Other')]
  await fillFolder(database, tenant, folder)
  for (const operation of withCode('KNOWLEDGE_FOLDER_FULL')) {
    const example = operation.id.startsWith('update') ? {} : (operation.example.body as object)
    const body = { ...example, parent_id: folder }
    await refused(t, operation, 'KNOWLEDGE_FOLDER_FULL', { body }, { [ids.node]: other })
  }
  await countNodes(database, tenant, 10_000, 200_000)
  for (const operation of withCode('KNOWLEDGE_TREE_FULL')) {
    // A source that was imported before needs no room.
    const source = operation.id === 'import_knowledge_url' ? { source_url: tools.url('new') } : { name: operation.id }
    const body: Json = { ...(operation.example.body as object), parent_id: other, ...source }
    await refused(t, operation, 'KNOWLEDGE_TREE_FULL', { body })
  }
  await countNodes(database, tenant, 0, 0)
})

/** Requests that bring back what was switched off or archived. */
const RETURNING: Record<string, Changes> = {
  update_assistant: { body: { is_active: true } },
  update_assistant_record: { body: { is_active: true } },
  unarchive_block: {},
  update_block_record: { body: { is_archived: false } },
}

t.test('a project that has as many records of a kind as it may', async (t) => {
  const full = await makeTenant(world)
  const refuses = async (code: string, own: Places) => {
    for (const operation of withCode(code)) {
      const returning = RETURNING[operation.id]
      await refused(t, operation, code, returning ?? {}, { ...own, ...(returning && away) })
    }
  }
  const idle = (await made(full.api('POST', 'assistants', { name: 'Idle' }))).assistant
  await made(full.api('PATCH', `assistants/${idle._id}`, { is_active: false }))
  const [archived] = idle.blocks
  await made(full.api('POST', `blocks/${archived._id}/archive`))
  const away = { [ids.assistant]: idle._id, [ids.block]: archived._id }
  const own = await fillProject(database, full)
  for (const code of ['TOO_MANY_AGENT_TOOLS', 'PROGRAM_LIMIT_REACHED', 'BLOCK_LIMIT_REACHED']) await refuses(code, own)
  await fillTable(database, full, 'assistant', 999, { model: "'m'" })
  await refuses('ASSISTANT_LIMIT_REACHED', own)
})

t.test('example files of templates that cannot be uploaded', async (t) => {
  const pdf = (await upload(tenant, files.pdf, { phone_number_id: tenant.number.phone_number_id })).body.media_id
  const components = [
    { type: 'HEADER', format: 'IMAGE' },
    { type: 'BODY', text: 'Our offer.' },
  ]
  for (const id of ['create_template', 'update_template']) {
    const fields = id === 'create_template' ? { ...(named(id).example.body as object), name: 'with_picture' } : {}
    for (const [code, header_image] of [
      ['MEDIA_NOT_FOUND', nobody],
      ['MEDIA_NOT_ACCEPTED', pdf],
    ]) {
      const body = { ...fields, components, examples: { header_image } }
      await refused(t, named(id), code!, { body }, await prepared[id]?.())
    }
  }
})

t.test('messages that cannot be marked as read', async (t) => {
  const operation = named('mark_message_read')
  const refuses = (code: string, message_id: string) => refused(t, operation, code, { body: { message_id } })
  await refuses('MESSAGE_NOT_FOUND', `msg_${nobody}`)
  const inbound = async (search: string) =>
    (
      await eventually('it arrives', async () => {
        const { data } = await made(api('GET', 'messages?status=received'))
        return data.find((one: Json) => JSON.stringify(one).includes(search))
      })
    ).id
  const bot_token = '110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw'
  const webhook_secret = 'a-secret_token'
  const credentials = { bot_token, webhook_secret, api_base_url: world.simulator_url }
  const fields = { project_id, channel_type: 'telegram', name: 'Bot', provider: 'simulator', credentials }
  const bot = (await made(operator('POST', 'channels', fields)))._id
  await world.control('PUT', 'bots', {
    bot_token,
    webhook_secret,
    webhook_url: `${world.base_url}/providers/telegram/${bot}`,
  })
  await world.control('POST', 'inbound', { channel: 'telegram', from: 518273640, name: 'Ana', message: 'By telegram' })
  await refuses('OPERATION_NOT_SUPPORTED_FOR_CHANNEL', await inbound('By telegram'))
  const { channel_id, phone_number_id } = await connectNumber(world, project_id)
  await tenant.writes('+15551230000', 'To a number that leaves', { phone_number_id })
  const id = await inbound('To a number that leaves')
  await made(operator('DELETE', `channels/${channel_id}`))
  await refuses('CHANNEL_NOT_FOUND', id)
})

t.test('reminders that could not be sent', async (t) => {
  const { channel_id } = await connectNumber(world, project_id)
  const off = await connectNumber(world, project_id)
  await operator('PATCH', `channels/${off.channel_id}`, { is_active: false })
  await made(call(world, tenant, named('create_channel'), places))
  const contact = async (channel_type: string, user_id: string) =>
    (await made(api('POST', 'contacts', { channel_type, user_id })))._id
  const [visitor, person] = [await contact('web', 'visitor-1'), await contact('whatsapp', '5215550000001')]
  const template = { hours_before: 1, template_name: 'order_update', template_language: 'en_US' }
  const variables = { 1: 'Ana', 2: 'A-1' }
  const { number } = tenant
  const pdf = (await upload(tenant, files.pdf, { phone_number_id: number.phone_number_id })).body.media_id
  const picture = { template_name: 'promo_picture', channel_id: number.channel_id }
  const cases: [code: string, reminder: Json, fields?: Json][] = [
    ['CHANNEL_NOT_FOUND', { variables, channel_id: nobody }],
    ['CHANNEL_NOT_CONNECTED', { variables, channel_id: off.channel_id }],
    ['CHANNEL_REQUIRED', { variables }],
    ['TEMPLATE_NOT_FOUND', { variables, channel_id, template_name: 'none' }],
    ['TEMPLATE_VARIABLE_MISSING', { variables: {}, channel_id }],
    ['MEDIA_NOT_FOUND', { ...picture, variables: { 1: 'Ana', header_image: nobody } }],
    ['MEDIA_NOT_ACCEPTED', { ...picture, variables: { 1: 'Ana', header_image: pdf } }],
    ['MESSAGE_TYPE_NOT_SUPPORTED_FOR_CHANNEL', { variables }, { chat_user: visitor }],
  ]
  for (const [code, reminder, fields] of cases) {
    const asked = { chat_user: person, reminder: { ...template, ...reminder }, ...fields }
    const time = { starts_at: '2029-01-01T10:00:00.000Z', ends_at: '2029-01-01T11:00:00.000Z' }
    await refused(t, named('create_appointment'), code, { body: { project_id, ...time, ...asked } })
    await refused(t, named('update_appointment'), code, { body: asked })
  }
})

t.test('references to records that are not there, or not so', async (t) => {
  const inactive = await made(
    api('POST', 'webhooks', {
      name: 'Off',
      url: world.sink.url('off'),
      events: ['crm.ticket.updated'],
      is_active: false,
    }),
  )
  const folder = (await made(api('POST', 'knowledge/nodes', { type: 'folder', name: 'A' })))._id
  const document = (await made(api('POST', 'knowledge/nodes', { type: 'document', name: 'B' })))._id
  const tag = await made(operator('POST', 'tags', { project_id, name: 'other' }))
  const other = await connectNumber(world, project_id)
  const { phone_number_id, business_account_id, access_token, app_secret, verify_token } = tenant.number
  const account = { phone_number_id, business_account_id, access_token, app_secret, verify_token }
  const time = { starts_at: '2029-02-01T10:00:00.000Z', ends_at: '2029-02-01T11:00:00.000Z' }
  const over = (await made(operator('POST', 'appointments', { project_id, ...time, status: 'cancelled' }))).id
  const stages = (rules: Json) => ({ stages: [{ _id: places[ids.stage], name: 'In work', rules }] })
  const { program_id, serial_number } = await made(operator('GET', `memberships/${places[ids.membership]}`))
  const { company_id } = tenant
  const { _id: customer_id } = await made(operator('POST', 'customers', { company_id, full_name: 'Eva' }))
  const example = (id: string, fields: Json) => ({ body: { ...(named(id).example.body as object), ...fields } })
  const cases: [id: string, code: string, changes: Changes, own?: Places][] = [
    ['create_flow', 'CHANNEL_NOT_FOUND', example('create_flow', { channel_id: nobody })],
    ['recover_webhook', 'WEBHOOK_INACTIVE', {}, { [ids.webhook]: inactive.id }],
    ['create_channel', 'PROJECT_NOT_FOUND', example('create_channel', { project_id: nobody })],
    [
      'update_channel',
      'CHANNEL_ALREADY_EXISTS',
      { body: { credentials: { ...account, api_base_url: world.simulator_url } } },
      { [ids.channel]: other.channel_id },
    ],
    ['create_loyalty_membership', 'SERIAL_NUMBER_ALREADY_EXISTS', { body: { program_id, customer_id, serial_number } }],
    ['update_tag', 'TAG_ALREADY_EXISTS', { body: { name: 'returns' } }, { [ids.tag]: tag._id }],
    ['create_stage', 'ASSIGNEE_NOT_FOUND', { body: { name: 'X', rules: { assign_to: [nobody] } } }],
    ['create_stage', 'TAG_NOT_FOUND', { body: { name: 'X', rules: { add_tag_ids: [nobody] } } }],
    ['update_stage', 'ASSIGNEE_NOT_FOUND', { body: { rules: { assign_to: [nobody] } } }],
    ['update_pipeline', 'ASSIGNEE_NOT_FOUND', { body: stages({ assign_to: [nobody] }) }],
    ['update_pipeline', 'TAG_NOT_FOUND', { body: stages({ add_tag_ids: [nobody] }) }],
    ['update_appointment', 'APPOINTMENT_NOT_PENDING', { body: { status: 'confirmed' } }, { [ids.appointment]: over }],
    [
      'download_export',
      'RANGE_NOT_SATISFIABLE',
      { headers: { range: 'bytes=999999999-' } },
      await prepared.download_export!(),
    ],
    ['update_stage', 'TAG_NOT_FOUND', { body: { rules: { add_tag_ids: [nobody] } } }],
    ['update_assistant_record', 'INVALID_MODEL', { body: { model: 'none' } }],
    ...['create_assistant', 'create_assistant_of_project'].map((id): [string, string, Changes] => [
      id,
      'KNOWLEDGE_NODE_NOT_FOUND',
      example(id, { knowledge_node_ids: [nobody] }),
    ]),
    ...['update_assistant', 'update_assistant_record'].map((id): [string, string, Changes] => [
      id,
      'KNOWLEDGE_NODE_NOT_FOUND',
      { body: { knowledge_node_ids: [nobody] } },
    ]),
    [
      'search_knowledge_of_project',
      'KNOWLEDGE_NODE_NOT_FOUND',
      { body: { project_id, query: 'x', node_ids: [nobody] } },
    ],
    [
      'create_knowledge_node_of_project',
      'KNOWLEDGE_PARENT_NOT_FOLDER',
      example('create_knowledge_node_of_project', { parent_id: document }),
    ],
    ['update_knowledge_node_record', 'KNOWLEDGE_PARENT_NOT_FOUND', { body: { parent_id: nobody } }],
    ['update_knowledge_node_record', 'KNOWLEDGE_PARENT_NOT_FOLDER', { body: { parent_id: document } }],
    [
      'update_knowledge_node_record',
      'KNOWLEDGE_NODE_BELOW_ITSELF',
      { body: { parent_id: folder } },
      { [ids.node]: folder },
    ],
    ['update_knowledge_node_record', 'KNOWLEDGE_NODE_NOT_DOCUMENT', { body: { content: 'x' } }, { [ids.node]: folder }],
    ['get_knowledge_tree_of_project', 'NOT_FOUND', { query: { project_id, parent_id: nobody } }],
    ['preview_erasure', 'NOT_FOUND', { query: { kind: 'contact', id: nobody } }],
    ['download_broadcast_recipients', 'RANGE_NOT_SATISFIABLE', { headers: { range: 'bytes=999999999-' } }],
    ['download_costs', 'RANGE_NOT_SATISFIABLE', { headers: { range: 'bytes=999999999-' } }],
    ['download_costs_of_companies', 'RANGE_NOT_SATISFIABLE', { headers: { range: 'bytes=999999999-' } }],
  ]
  for (const [id, code, changes, own] of cases) await refused(t, named(id), code, changes, own)

  await operator('PATCH', `channels/${other.channel_id}`, { messages_per_second: 1 })
  for (let n = 0; n < 5; n++) await made(tenant.send(`+1555018000${n}`, { channel_id: other.channel_id }))
  await refused(t, named('delete_channel'), 'IN_USE', {}, { [ids.channel]: other.channel_id })

  for (const one of (await made(operator('GET', `channels?project_id=${project_id}`))).data) {
    await made(operator('PATCH', `channels/${one._id}`, { is_active: false }))
  }
  await refused(t, named('list_flows'), 'CHANNEL_NOT_CONNECTED')
})

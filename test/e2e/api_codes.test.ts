/**
 * Codes that operations describe and that no other test sees on them: those of providers and services outside, and those
 * of references in bodies. The records and examples are those of `api_examples.test.ts`.
 */
import t, { type Test } from 'tap'
import { exampleIds as ids } from '../../actors/mod.ts'
import { type DescribedOperation, describeApi } from '../../http/openapi/describe.ts'
import { openDatabase } from '../../storage/mod.ts'
import { describableRoutes } from '../support/described.ts'
import { startAssistantService } from '../support/mod.ts'
import { type Changes, call } from './api_examples/calls.ts'
import { preparations } from './api_examples/preparations.ts'
import { makeRecords, type Places } from './api_examples/records.ts'
import type { Json } from './client.ts'
import { connectNumber, made, makeTenant, startWorld } from './fixture.ts'
import { startToolServer } from './tool_server.ts'

const service = await startAssistantService(t)
const world = await startWorld(t, { config: { assistants_url: service.url, assistants_key: 'key' } })
const tenant = await makeTenant(world)
const { api, project_id } = tenant
const { operator } = world
const tools = await startToolServer(t)
const database = await openDatabase({ url: world.config.database_url!, pool_size: 1 })
t.teardown(() => database.close())
const places = await makeRecords(world, tenant, tools, database)
const prepared = preparations(world, tenant, tools, database)
const { operations } = describeApi(describableRoutes().filter(({ path }) => /^\/(?:admin\/)?v1\//.test(path)))
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
  const wanted = operation.errors.find((one) => one.code === code)
  t.strictSame([status, body?.error?.code], [wanted?.status, code], `${operation.id}: ${text.slice(0, 300)}`)
}

t.test('an assistant service that fails', async (t) => {
  for (const operation of withCode('ASSISTANTS_UPSTREAM_ERROR')) {
    const own = await prepared[operation.id]?.()
    service.answers({ status: 500 })
    await refused(t, operation, 'ASSISTANTS_UPSTREAM_ERROR', {}, own)
    service.answers(undefined)
  }
})

/** What the provider answers, and the code that it becomes. */
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
  delete_flow: 'flows',
  publish_flow: 'flows',
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
  const cases: [code: string, reminder: Json, fields?: Json][] = [
    ['CHANNEL_NOT_FOUND', { variables, channel_id: nobody }],
    ['CHANNEL_NOT_CONNECTED', { variables, channel_id: off.channel_id }],
    ['CHANNEL_REQUIRED', { variables }],
    ['TEMPLATE_NOT_FOUND', { variables, channel_id, template_name: 'none' }],
    ['TEMPLATE_VARIABLE_MISSING', { variables: {}, channel_id }],
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
    ['update_tag', 'TAG_ALREADY_EXISTS', { body: { name: 'returns' } }, { [ids.tag]: tag._id }],
    ['create_stage', 'ASSIGNEE_NOT_FOUND', { body: { name: 'X', rules: { assign_to: [nobody] } } }],
    ['create_stage', 'TAG_NOT_FOUND', { body: { name: 'X', rules: { add_tag_ids: [nobody] } } }],
    ['update_stage', 'ASSIGNEE_NOT_FOUND', { body: { rules: { assign_to: [nobody] } } }],
    ['update_stage', 'TAG_NOT_FOUND', { body: { rules: { add_tag_ids: [nobody] } } }],
    ['update_assistant_record', 'INVALID_MODEL', { body: { model: 'none' } }],
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
